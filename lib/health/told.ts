import type { CheckItem } from '#lib/checks/check-item.ts';

/** A planned alert, and the check state that it announces. */
type ToldAlert = { id: string; tells: 'up' | 'down' };

/** The state last announced to the channels. `uncertain`: up or down, not known which. */
type Belief = 'up' | 'down' | 'uncertain';

/**
 * What was announced to a check's channels. `open` are the latest alerts, oldest first: any of them may yet fail on
 * every channel, and then what was announced before it holds. `before` is what was announced before all of those.
 */
export type Told = { before: Belief; open: ToldAlert[] };

/** Alerts remembered one by one; bounds the size of a check item. */
const MOST_OPEN = 4;
const NOTHING: Told = { before: 'up', open: [] };

/** The state in the latest alert that did not fail; none yet counts as up (docs/CONTRACT.md#alerts). */
export const toldState = ({ told = NOTHING }: CheckItem['alerts']): Belief => told.open.at(-1)?.tells ?? told.before;

/**
 * The announced state once `alert` is planned. The oldest open alert may have to make room. Whether it was sent is not
 * known then, so `before` is uncertain unless both say the same.
 */
export function tell({ told = NOTHING }: CheckItem['alerts'], alert: ToldAlert): Told {
  const open = [...told.open, alert];
  const forgotten = open.length > MOST_OPEN ? open.shift() : undefined;
  const isSame = forgotten === undefined || forgotten.tells === told.before;
  return { before: isSame ? told.before : 'uncertain', open };
}

/** The announced state once every delivery of an alert has failed; the same object when it is not open. */
export function untell(told: Told, id: string): Told {
  return told.open.some((alert) => alert.id === id)
    ? { ...told, open: told.open.filter((alert) => alert.id !== id) }
    : told;
}
