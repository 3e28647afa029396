import type { CheckItem } from '#lib/checks/check-item.ts';

/** One alert that was planned, and the check state that whoever reads it believes. */
export type ToldAlert = { id: string; tells: 'up' | 'down' };

/**
 * What a check's channels were told. `open` are the latest alerts, oldest first; any of them may still turn out to
 * have failed on every channel, and then what stood before it holds. `before` is what held before those.
 */
export type Told = { before: 'up' | 'down'; open: ToldAlert[] };

/** Alerts further back are taken as told: more of them than this do not fail one after another unseen. */
const MOST_OPEN = 4;
const NOTHING: Told = { before: 'up', open: [] };

/** The state in the latest alert that did not fail; none yet counts as up (decisions.md, Alerts). */
export const toldState = ({ told = NOTHING }: CheckItem['alerts']): 'up' | 'down' =>
  told.open.at(-1)?.tells ?? told.before;

/** What is told once `alert` is planned. */
export function tell({ told = NOTHING }: CheckItem['alerts'], alert: ToldAlert): Told {
  const open = [...told.open, alert];
  const settled = open.length > MOST_OPEN ? open.shift() : undefined;
  return { before: settled?.tells ?? told.before, open };
}

/** What is told once every delivery of an alert has failed; the same object when it is not open. */
export function untell(told: Told, id: string): Told {
  return told.open.some((alert) => alert.id === id)
    ? { ...told, open: told.open.filter((alert) => alert.id !== id) }
    : told;
}
