import { computed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { now } from '#console/app/clock.ts';
import { hourBars, monthUptimes } from '#console/app/hour-bars.ts';
import { HistoryBar } from '#console/parts/history-bar.tsx';
import type { FleetRow } from '#console/rules/fleet.ts';
import { barOf } from '#console/rules/history-bar.ts';
import { barHours } from '#console/rules/hour-bars.ts';
import { sparklinePath, sparklineSummary } from '#console/rules/sparkline.ts';
import { uptimeOf } from '#console/rules/uptime.ts';
import { number, percent } from '#console/rules/words.ts';

const MINUTE = 60_000;
const currentMinute = computed(() => Math.floor(now.value / MINUTE) * MINUTE);

const observed = new WeakMap<Element, string>();

/** One observer for all rows, so that rows that become visible together are reported together. */
const observer = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) report(observed.get(target)!, isIntersecting);
});

function report(id: string, isVisible: boolean): void {
  hourBars.setVisible(id, isVisible);
  monthUptimes.setVisible(id, isVisible);
}

/** Shows the states and uptime of an entity in the last 24 hours. Loads them only while the row is visible. */
export function RowBar({ row }: { row: FleetRow }) {
  const { id } = row;
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const bar = element.current!;
    observed.set(bar, id);
    observer.observe(bar);
    return () => {
      observer.unobserve(bar);
      report(id, false);
    };
  }, [id]);
  const cached = hourBars.of(id).value;
  const hours = cached && barHours(cached, row, currentMinute.value);
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

const WIDTH = 96;
const HEIGHT = 18;

/** Shows the hourly mean latency of an entity in the last 24 hours. `RowBar` loads it. */
export function RowLatency({ row: { id } }: { row: FleetRow }) {
  const values = hourBars.of(id).value?.hours.map(({ mean_latency_ms }) => mean_latency_ms) ?? [];
  const last = values.findLast((value) => value !== null);
  if (last === undefined) return null;
  const summary = sparklineSummary(values, 'Latency, last 24 h');
  return (
    <div class="row-latency">
      <svg class="sparkline" viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`} role="img" aria-label={summary}>
        <title>{summary}</title>
        <path d={sparklinePath(values, WIDTH, HEIGHT)} />
      </svg>
      <span class="row-uptime">{number(last ?? 0)} ms</span>
    </div>
  );
}

/** Shows the uptime of an entity in the last 30 days. `RowBar` loads it. */
export function RowUptime({ row: { id } }: { row: FleetRow }) {
  const uptime = monthUptimes.of(id).value;
  return <>{uptime === undefined ? '' : percent(uptime)}</>;
}
