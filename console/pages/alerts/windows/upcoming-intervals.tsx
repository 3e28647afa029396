import { zone as shownZone } from '#console/app/appearance.ts';
import { clockIn, duration, span, zoneName } from '#console/rules/time.ts';
import { coming } from '#console/rules/windows/times.ts';
import type { WindowTimes } from '#lib/alerting/policy/intervals.ts';

/** So many intervals tell what a rule means, two changes of clocks aside. */
const SHOWN = 5;

type ComingProps = {
  times: WindowTimes | undefined;
  /** The zone by whose clocks it begins, where it has one. */
  zone: string | null;
};

/** When a window is open next. */
export function Coming({ times, zone }: ComingProps) {
  const intervals = times ? coming(times, Date.now(), SHOWN) : [];
  if (intervals.length === 0) return <p class="hint">Never again.</p>;
  const isElsewhere = zone !== null && zone !== zoneName(shownZone.value);
  return (
    <ol class="coming">
      {intervals.map(({ from, to }) => (
        <li key={from}>
          {span(from, to, shownZone.value)}
          <span class="hint">
            {' '}
            {duration(to - from)}
            {isElsewhere && `, from ${clockIn(zone, from)} in ${zone}`}
          </span>
        </li>
      ))}
    </ol>
  );
}
