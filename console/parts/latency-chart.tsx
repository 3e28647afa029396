import { zone } from '#console/app/appearance.ts';
import {
  type Chart,
  type ChartPoint,
  chartSummary,
  linePath,
  placeOf,
  topOf,
  VIEW_BOX,
} from '#console/rules/latency-chart.ts';
import { clock, date, dateTime, shortDuration } from '#console/rules/time.ts';
import { number } from '#console/rules/words.ts';

const DAY_MS = 86_400_000;

const tick = (at: number, length: number): string =>
  length > 2 * DAY_MS ? date(at, zone.value) : clock(at, zone.value).slice(0, 5);

/** Chart of median, 95th percentile, failures, and gaps, with a text alternative and a table. */
export function LatencyChart({ chart }: { chart: Chart }) {
  const { from, to, points, gaps } = chart;
  const top = topOf(points);
  const middle = (from + to) / 2;
  const hasPercentile = points.some(({ slow }) => slow !== null);
  const percent = ({ left, width }: { left: number; width: number }) => ({
    left: `${left}%`,
    width: `max(2px, ${width}%)`,
  });
  return (
    <figure class="latency">
      <div class="latency-plot" role="img" aria-label={chartSummary(chart)}>
        <span class="latency-top">{number(top)} ms</span>
        {gaps.map((gap) => {
          const place = placeOf(chart, gap);
          const title = `Gap of ${shortDuration(gap.to - gap.from)}: ${gap.why}`;
          return place && <i key={gap.from} class="latency-gap" style={percent(place)} title={title} />;
        })}
        <svg viewBox={VIEW_BOX} preserveAspectRatio="none" aria-hidden="true">
          <path class="latency-slow" d={linePath(chart, ({ slow }) => slow)} />
          <path class="latency-typical" d={linePath(chart, ({ typical }) => typical)} />
        </svg>
        {points.map((point) => {
          const place = placeOf(chart, point);
          return (
            place && (
              <i
                key={point.from}
                class={point.failures > 0 ? 'latency-hit failed' : 'latency-hit'}
                style={percent(place)}
                title={pointText(point)}
              />
            )
          );
        })}
      </div>
      <div class="latency-axis" aria-hidden="true">
        {[from, middle, to].map((at) => (
          <span key={at}>{tick(at, to - from)}</span>
        ))}
      </div>
      <p class="latency-legend">
        <span class="typical">{hasPercentile ? 'median' : 'result'}</span>
        {hasPercentile && <span class="slow">95th percentile</span>}
        <span class="failed">failures</span>
        <span class="gap">gap</span>
      </p>
      <details>
        <summary>Show table</summary>
        <ChartTable points={points} />
      </details>
    </figure>
  );
}

const pointText = ({ from, typical, slow, runs, failures, warnings }: ChartPoint): string =>
  [
    dateTime(from, zone.value),
    typical !== null && `${number(typical)} ms${slow === null ? '' : `, 95th percentile ${number(slow)} ms`}`,
    failures > 0 && `${number(failures)} of ${number(runs)} failed`,
    warnings > 0 && `${number(warnings)} of ${number(runs)} warned`,
    runs === 0 && 'no result',
  ]
    .filter(Boolean)
    .join('\n');

const ChartTable = ({ points }: { points: readonly ChartPoint[] }) => (
  // It scrolls, so the keyboard must reach it.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
  <section class="latency-table" tabIndex={0} aria-label="Latency table">
    <table>
      <thead>
        <tr>
          <th scope="col">From</th>
          <th scope="col">Median</th>
          <th scope="col">95th percentile</th>
          <th scope="col">Failed</th>
        </tr>
      </thead>
      <tbody>
        {points
          .filter(({ runs }) => runs > 0)
          .toReversed()
          .map(({ from, typical, slow, runs, failures }) => (
            <tr key={from}>
              <td>{dateTime(from, zone.value)}</td>
              <td>{typical === null ? '–' : `${number(typical)} ms`}</td>
              <td>{slow === null ? '–' : `${number(slow)} ms`}</td>
              <td>
                {number(failures)} of {number(runs)}
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  </section>
);
