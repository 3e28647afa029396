import { type IntervalSchedule, latestSlot, slotsBetween } from '#lib/schedule/slots.ts';

/** A check with its slots. */
export type Pulled = { id: string; rhythm: IntervalSchedule };

/** A probe may begin so long before its slot (ms): those due at about the same time travel together. */
const EARLY_MS = 100;

/**
 * How far behind its slot each of some probes began, ms, and which slots in (from, until] have none. Times in epoch ms.
 * @param began when each probe of one check began
 */
export function slotsOf(rhythm: IntervalSchedule, began: number[], from: number, until: number) {
  const due = new Set(slotsBetween(rhythm, from, until));
  const errors: number[] = [];
  const taken = new Set<number>();
  for (const at of began) {
    const slot = latestSlot(rhythm, at + EARLY_MS);
    if (!due.has(slot)) continue;
    taken.add(slot);
    errors.push(at - slot);
  }
  return { due: due.size, lost: due.size - taken.size, errors };
}
