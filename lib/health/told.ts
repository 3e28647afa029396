import type { CheckItem } from '#lib/checks/check-item.ts';

/** One alert that was planned, and the check state that whoever reads it believes. */
export type ToldAlert = { id: string; tells: 'up' | 'down' };

/** What channels believe of a check. `uncertain`: one of the two, and nobody knows which any more. */
export type Belief = 'up' | 'down' | 'uncertain';

/**
 * What a check's channels were told. `open` are the latest alerts, oldest first; any of them may still turn out to
 * have failed on every channel, and then what stood before it holds. `before` is what held before those.
 */
export type Told = { before: Belief; open: ToldAlert[] };

/** More alerts than this are not remembered one by one: it bounds the item of a check. */
const MOST_OPEN = 4;
const NOTHING: Told = { before: 'up', open: [] };

/** The state in the latest alert that did not fail; none yet counts as up (docs/CONTRACT.md#alerts). */
export const toldState = ({ told = NOTHING }: CheckItem['alerts']): Belief => told.open.at(-1)?.tells ?? told.before;

/**
 * What is told once `alert` is planned. One that is put out of `open` for it may have been sent, or fail yet: should
 * all newer ones fail, the channels believe what it tells or what held before it.
 */
export function tell({ told = NOTHING }: CheckItem['alerts'], alert: ToldAlert): Told {
  const open = [...told.open, alert];
  const forgotten = open.length > MOST_OPEN ? open.shift() : undefined;
  const isSame = forgotten === undefined || forgotten.tells === told.before;
  return { before: isSame ? told.before : 'uncertain', open };
}

/** What is told once every delivery of an alert has failed; the same object when it is not open. */
export function untell(told: Told, id: string): Told {
  return told.open.some((alert) => alert.id === id)
    ? { ...told, open: told.open.filter((alert) => alert.id !== id) }
    : told;
}
