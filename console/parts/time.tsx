import { zone } from '#console/app/appearance.ts';
import { now } from '#console/app/clock.ts';
import { clock, dateTime, duration, relative, shortDuration, zoneName } from '#console/rules/time.ts';

type TimeProps = {
  at: string | number;
  /** `ago`: `4 min ago`. `for`: time since `at`; `short`: in one unit. `clock`: time of day. `full`: date and time. */
  as?: 'ago' | 'for' | 'short' | 'clock' | 'full';
};

/** Shows a time. Its title has the full time with the zone. */
export function Time({ at, as = 'ago' }: TimeProps) {
  const ms = typeof at === 'number' ? at : Date.parse(at);
  const shown = {
    ago: () => relative(ms, now.value),
    for: () => duration(now.value - ms),
    short: () => shortDuration(now.value - ms),
    clock: () => clock(ms, zone.value),
    full: () => dateTime(ms, zone.value),
  }[as]();
  return (
    <time dateTime={new Date(ms).toISOString()} title={`${dateTime(ms, zone.value)} ${zoneName(zone.value)}`}>
      {shown}
    </time>
  );
}
