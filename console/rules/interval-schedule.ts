import { duration } from './time.ts';

type Rhythmic = { interval_seconds: number; config: object };

/** How often a check is due: `every 1 min`, `by 30 2 * * * in Europe/Berlin`. */
export function rhythmWords({ interval_seconds, config }: Rhythmic): string {
  const { schedule, timezone = 'UTC' } = config as { schedule?: string; timezone?: string };
  if (schedule === undefined) return `every ${duration(interval_seconds * 1000)}`;
  return `by ${schedule.trim().replaceAll(/\s*\n\s*/g, ' and ')} in ${timezone}`;
}
