import { computed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { now } from '#console/app/clock.ts';
import { hourBars } from '#console/app/hour-bars.ts';
import { HistoryBar } from '#console/parts/history-bar.tsx';
import type { FleetRow } from '#console/rules/fleet.ts';
import { barOf } from '#console/rules/history-bar.ts';
import { barHours } from '#console/rules/hour-bars.ts';
import { uptimeOf } from '#console/rules/uptime.ts';
import { percent } from '#console/rules/words.ts';

const MINUTE = 60_000;
const minute = computed(() => Math.floor(now.value / MINUTE) * MINUTE);

const observed = new WeakMap<Element, string>();

/** One observer for all rows, so that rows that become visible together are reported together. */
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) hourBars.seen(observed.get(target)!, isIntersecting);
});

/** Shows the state of an entity in the last 24 hours, and its uptime. Read only while the row is visible. */
export function RowBar({ row }: { row: FleetRow }) {
  const { id } = row;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const own = element.current!;
    observed.set(own, id);
    observer.observe(own);
    return () => {
      observer.unobserve(own);
      hourBars.seen(id, false);
    };
  }, [id]);
  const cached = hourBars.of(id).value;
  const hours = cached && barHours(cached, row, minute.value);
  const failure = hourBars.failure.value;
  return (
    <div ref={element} class="row-bar">
      {hours && <HistoryBar buckets={barOf(hours)} title="Last 24 h" />}
      {hours && <span class="row-uptime">{percent(uptimeOf(hours))}</span>}
      {!hours && failure && (
        <span class="row-uptime" title={failure.message}>
          unavailable
        </span>
      )}
    </div>
  );
}
