import { duration } from './time.ts';

type ScheduledCheck = { interval_seconds: number; config: object };

/** Returns the schedule of a check: `every 1 min`, `by 30 2 * * * in Europe/Berlin`. */
export function intervalText({ interval_seconds, config }: ScheduledCheck): string {
  const { schedule, timezone = 'UTC' } = config as { schedule?: string; timezone?: string };
  if (schedule === undefined) return `every ${duration(interval_seconds * 1000)}`;
  return `by ${schedule.trim().replaceAll(/\s*\n\s*/g, ' and ')} in ${timezone}`;
}
