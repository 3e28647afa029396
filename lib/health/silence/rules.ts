import type { CheckItem } from '#lib/checks/check-item.ts';
import { type PushConfig, zoneOf } from '#lib/checks/types/push.ts';
import { type Calendar, parseCalendar } from '#lib/schedule/calendar/calendar.ts';

/** What the settings of a push check say of its silence, defaults filled in; times in ms. */
export type SilenceRules = {
  calendar: Calendar | undefined;
  zone: string;
  interval: number;
  /** Without a calendar counted from the last sign of life, with one from the due time. */
  grace: number;
  maxRun: number;
  /** How long a first sign of life may take; 0: as long as it likes. */
  first: number;
};

const GRACE_OF_SCHEDULE = 3600;

export function silenceRules(check: Pick<CheckItem, 'config' | 'interval_seconds'>): SilenceRules {
  // Stored settings have passed the schema of their type.
  const config = check.config as PushConfig;
  const { schedule } = config;
  const grace = config.grace_seconds ?? (schedule === undefined ? 2 * check.interval_seconds : GRACE_OF_SCHEDULE);
  const zone = zoneOf(config);
  return {
    calendar: schedule === undefined ? undefined : parseCalendar(schedule, zone),
    zone,
    interval: 1000 * check.interval_seconds,
    grace: 1000 * grace,
    maxRun: 1000 * (config.max_run_seconds ?? grace),
    first: 1000 * (config.expect_first_within_seconds ?? 0),
  };
}
