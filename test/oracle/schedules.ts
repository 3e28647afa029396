import type { History } from './history.ts';
import type { Inside } from './inside.ts';
import { outagesOf, skewOf, slotsOf } from './rules.ts';

/** Maximum time from a slot to the start of its execution without faults (ms). */
const BEGUN_MS = 5_000;

/** Promise: an unchanged scheduled action runs once per slot. */
export function checkSchedules({ actions, executions, over_before }: History, inside: Inside): string[] {
  const { seen, profile } = inside;
  const skew = skewOf(inside);
  const wrong: string[] = [];
  for (const [id, versions] of actions) {
    const created = executions
      .filter(({ began }) => began.action_id === id && began.trigger === 'schedule')
      .map(({ at }) => at);
    for (const [i, { at, action }] of versions.entries()) {
      if (action?.trigger_type !== 'schedule' || !action.interval_seconds) continue;
      const interval = action.interval_seconds * 1000;
      const to = Math.min(versions[i + 1]?.at ?? inside.end, over_before.runs) - interval;
      const slots = slotsOf(id, action.interval_seconds, at + BEGUN_MS, to);
      for (const slot of slots) {
        const runs = created.filter((time) => time >= slot - skew && time < slot + interval - skew).length;
        if (runs === 1 || (runs > 1 && !profile.quiet)) continue;
        if (seen.stops.some((stop) => slot >= stop.from - interval && slot <= stop.over + BEGUN_MS)) continue;
        const isLate = seen.actionRuns.some(
          (one) => one.action_id === id && one.slot === slot && (one.done_at ?? 0) >= slot + interval - skew,
        );
        const isOut = outagesOf(seen).some((outage) => outage.from <= slot && slot <= outage.to);
        if (runs === 0 && !profile.quiet && (isLate || isOut)) continue;
        wrong.push(`slot ${slot} of action ${id} (${interval} ms) was executed ${runs} times`);
      }
      const sum = created.filter((time) => time >= at && time <= to + skew).length;
      if (sum > slots.length + 2)
        wrong.push(`action ${id} was executed ${sum} times in ${slots.length} slots from ${at}`);
    }
  }
  return wrong;
}
