import { zone as shownZone } from '#console/app/appearance.ts';
import { clockIn, duration, timeRange, zoneName } from '#console/rules/time.ts';
import { nextOccurrences } from '#console/rules/windows/times.ts';
import type { WindowTimes } from '#lib/schedule/calendar/window-ranges.ts';

const MAX_OCCURRENCES = 5;

type UpcomingProps = {
  times: WindowTimes | undefined;
  zone: string | null;
};

export function UpcomingOccurrences({ times, zone }: UpcomingProps) {
  const intervals = times ? nextOccurrences(times, Date.now(), MAX_OCCURRENCES) : [];
  if (intervals.length === 0) return <p class="hint">No more occurrences.</p>;
  const isOtherZone = zone !== null && zone !== zoneName(shownZone.value);
  return (
    <ol class="coming">
      {intervals.map(({ from, to }) => (
        <li key={from}>
          {timeRange(from, to, shownZone.value)}
          <span class="hint">
            {' '}
            {duration(to - from)}
            {isOtherZone && `, from ${clockIn(zone, from)} in ${zone}`}
          </span>
        </li>
      ))}
    </ol>
  );
}
