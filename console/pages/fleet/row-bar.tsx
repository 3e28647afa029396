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
/** Bars are drawn anew each minute. */
const minute = computed(() => Math.floor(now.value / MINUTE) * MINUTE);

const observed = new WeakMap<Element, string>();

/** One for all rows: those that come into sight together are told of together. */
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) hourBars.seen(observed.get(target)!, isIntersecting);
});

/** The last 24 hours of an entity, and how much of them it was up. It is asked for while it is in sight alone. */
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
  const held = hourBars.of(id).value;
  const hours = held && barHours(held, row, minute.value);
  const failure = hourBars.failure.value;
  return (
    <div ref={element} class="row-bar">
      {hours && <HistoryBar buckets={barOf(hours)} title="Last 24 h" />}
      {hours && <span class="row-uptime">{percent(uptimeOf(hours))}</span>}
      {!hours && failure && (
        <span class="row-uptime" title={failure.message}>
          not read
        </span>
      )}
    </div>
  );
}
