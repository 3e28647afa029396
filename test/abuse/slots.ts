import { type IntervalSchedule, latestSlot, slotsBetween } from '#lib/schedule/slots.ts';

/** A probed check with its schedule. */
export type Pulled = { id: string; schedule: IntervalSchedule };

/** Maximum time by which a probe can begin before its slot (ms), because simultaneous probes share a job. */
const EARLY_MS = 100;

/**
 * Returns the number of slots in (from, until], the number of slots `lost` without a probe, and the delay of each probe
 * after its slot in ms (`delays`). Times in epoch ms.
 * @param began start of each probe of one check
 */
export function slotsOf(schedule: IntervalSchedule, began: number[], from: number, until: number) {
  const due = new Set(slotsBetween(schedule, from, until));
  const delays: number[] = [];
  const taken = new Set<number>();
  for (const at of began) {
    const slot = latestSlot(schedule, at + EARLY_MS);
    if (!due.has(slot)) continue;
    taken.add(slot);
    delays.push(at - slot);
  }
  return { due: due.size, lost: due.size - taken.size, delays };
}
