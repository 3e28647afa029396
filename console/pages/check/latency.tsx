import { useEffect, useState } from 'preact/hooks';
import { useEvery } from '#console/api/every.ts';
import { useLoad } from '#console/api/load.ts';
import type { CheckDetail, CheckHistory, Gap, Result } from '#console/api/records.ts';
import { setQuery } from '#console/app/router.ts';
import { Button } from '#console/parts/button.tsx';
import { HistoryBar } from '#console/parts/history-bar.tsx';
import { LatencyChart } from '#console/parts/latency-chart.tsx';
import { Section } from '#console/parts/page.tsx';
import { Data, Empty, Loading } from '#console/parts/states.tsx';
import { barOf } from '#console/rules/history-bar.ts';
import {
  type Chart,
  gapBefore,
  gapsOf,
  gapsOfBuckets,
  pointsOfBuckets,
  pointsOfResults,
} from '#console/rules/latency-chart.ts';
import { duration } from '#console/rules/time.ts';
import { CHART_RANGES, type ChartRange, chartRangeOf, degradedOf, uptimeOf } from '#console/rules/uptime.ts';
import { percent } from '#console/rules/words.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MAX_RESULTS = 500;
const MAX_GAPS = 200;

/** Shows uptime and latency of a check. @param refresh changes when the results must be read again */
export function Latency({ check, query, refresh }: { check: CheckDetail; query: URLSearchParams; refresh: number }) {
  const [now, setNow] = useState(Date.now);
  const range = chartRangeOf(query.get('window'), now - Date.parse(check.created_at));
  useEffect(() => setNow(Date.now()), [refresh, range]);
  const path = `/v1/checks/${check.id}`;
  const firstDay = new Date(Math.floor(now / DAY_MS) * DAY_MS - 89 * DAY_MS).toISOString();
  const days = useLoad<CheckHistory>(`${path}/history?bucket=day&from=${firstDay}`, { about: isTransitionOf(check) });
  const hours = useLoad<CheckHistory>(`${path}/history?bucket=hour`, { about: isTransitionOf(check) });
  useEvery(5 * MINUTE_MS, () => {
    setNow(Date.now());
    hours.reload();
    days.reload();
  });
  return (
    <Section
      title="Latency"
      actions={
        <fieldset class="windows">
          <legend class="unseen">Time range</legend>
          {CHART_RANGES.map(({ key, name }) => (
            <Button key={key} small pressed={key === range.key} onClick={() => setQuery({ window: key })}>
              {name}
            </Button>
          ))}
        </fieldset>
      }
    >
      <Data of={days} what="Loading the history">
        {(found) => <Uptime hours={hours.data} days={found} now={now} />}
      </Data>
      <ChartOf key={range.key} check={check} range={range} now={now} refresh={refresh} hours={hours} days={days} />
    </Section>
  );
}

const isTransitionOf =
  ({ id }: { id: string }) =>
  ({ check_id }: { check_id: string }) =>
    check_id === id;

type UptimeProps = {
  hours: CheckHistory | undefined;
  days: CheckHistory;
  /** Epoch ms. */
  now: number;
};

const Uptime = ({ hours, days, now }: UptimeProps) => {
  const { known_since } = days.total;
  const age = known_since === null ? 0 : now - Date.parse(known_since);
  const ranges = [
    { span: '24 h', ms: DAY_MS, buckets: hours?.buckets },
    ...[7, 30, 90].map((count) => ({
      span: `${count} d`,
      ms: count * DAY_MS,
      buckets: days.buckets.slice(-count),
    })),
  ];
  return (
    <div class="uptime">
      <dl>
        {ranges.map(({ span, ms, buckets }) => (
          <div key={span} class={age < ms ? 'partial' : undefined}>
            <dt>Uptime {span}</dt>
            <dd>
              {buckets ? percent(uptimeOf(buckets)) : '…'}
              {known_since && age < ms && <span class="under">known for {duration(age)}</span>}
              <span class="under">{buckets && degradedOf(buckets)}</span>
            </dd>
          </div>
        ))}
      </dl>
      <HistoryBar title="Last 90 days" buckets={barOf(days.buckets)} />
    </div>
  );
};

type Histories = { hours: ReturnType<typeof useLoad<CheckHistory>>; days: ReturnType<typeof useLoad<CheckHistory>> };

function ChartOf({
  check,
  range,
  now,
  refresh,
  hours,
  days,
}: Histories & { check: CheckDetail; range: ChartRange; now: number; refresh: number }) {
  const path = `/v1/checks/${check.id}`;
  // The start of a long range is a full hour, so that the range is not read again each minute.
  const step = range.by === 'results' ? MINUTE_MS : HOUR_MS;
  const since = new Date(Math.floor((now - range.hours * HOUR_MS) / step) * step).toISOString();
  const isWeek = range.key === '7d';
  const week = useLoad<CheckHistory>(isWeek ? `${path}/history?bucket=hour&from=${since}` : null);
  const isByResult = range.by === 'results';
  const results = useLoad<{ results: Result[] }>(
    isByResult ? `${path}/results?since=${since}&limit=${MAX_RESULTS}` : null,
  );
  const gaps = useLoad<Gap[]>(range.by === 'day' ? null : `${path}/gaps?since=${since}&limit=${MAX_GAPS}`);

  const reload = results.reload;
  useEffect(() => {
    if (refresh > 0) reload();
  }, [refresh, reload]);

  if (isByResult) {
    return (
      <Data of={results} what="Loading the results">
        {({ results: found }) => {
          // If the response is full, the chart begins with its oldest result.
          const from = found.length === MAX_RESULTS ? Date.parse(found.at(-1)!.checked_at) : Date.parse(since);
          const points = pointsOfResults(found, check.interval_seconds * 1000);
          return (
            <ChartOrEmpty
              chart={{
                from,
                to: now,
                points,
                gaps: [...gapBefore(check.created_at, from), ...gapsOf(gaps.data ?? [])],
              }}
            />
          );
        }}
      </Data>
    );
  }
  const history = range.by === 'day' ? days : isWeek ? week : hours;
  return (
    <Data of={history} what="Loading the history">
      {({ buckets: all }) => {
        const buckets = range.by === 'day' ? all.slice(-range.hours / 24) : all;
        const [first, last] = [buckets[0], buckets.at(-1)];
        if (!first || !last) return <Loading />;
        return (
          <ChartOrEmpty
            chart={{
              from: Date.parse(first.from),
              to: Date.parse(last.to),
              points: pointsOfBuckets(buckets),
              gaps: [...gapsOfBuckets(buckets, range.by === 'day'), ...gapsOf(gaps.data ?? [])],
            }}
          />
        );
      }}
    </Data>
  );
}

const ChartOrEmpty = ({ chart }: { chart: Chart }) =>
  chart.points.some(({ runs }) => runs > 0) || chart.gaps.length > 0 ? (
    <LatencyChart chart={chart} />
  ) : (
    <Empty title="No results in this time range" />
  );
