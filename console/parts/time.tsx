import { zone } from '#console/app/appearance.ts';
import { now } from '#console/app/clock.ts';
import { clock, dateTime, duration, relative, shortDuration, zoneName } from '#console/rules/time.ts';

type TimeProps = {
  /** ISO 8601, or epoch ms. */
  at: string | number;
  /**
   * `ago`: `4 min ago`. `for`: how long it has lasted. `short`: that in one unit. `clock`: time of day. `full`: all.
   */
  as?: 'ago' | 'for' | 'short' | 'clock' | 'full';
};

/** A moment. Whatever is shown of it, its title has it whole, with the zone. */
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
