import * as z from 'zod';
import { assertDueTimes, assertTimeZone, dueTimes, parseCalendar } from '#lib/schedule/calendar/calendar.ts';
import { calendarErrorsAt } from '#lib/schedule/calendar/calendar-errors.ts';
import { CalendarError } from '#lib/schedule/calendar/schedule-line.ts';
import { defineCheck } from './check-type.ts';

/** Maximum interval of a push check in seconds: a leap year. */
const MAX_SECONDS = 31_622_400;

const DEFAULTS = { interval_seconds: 60, failure_threshold: 3 };

const calendarText = (maxLength: number, parseText: (text: string) => unknown) =>
  z
    .string()
    .max(maxLength, { abort: true })
    .superRefine((text, context) => {
      const message = errorMessageOf(() => parseText(text));
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });

function errorMessageOf(parseText: () => unknown): string | undefined {
  try {
    parseText();
    return undefined;
  } catch (error) {
    if (error instanceof CalendarError) return error.message;
    throw error;
  }
}

const config = z
  .strictObject({
    schedule: calendarText(300, (text) => parseCalendar(text, 'UTC'))
      .describe(
        'Due times: five cron fields, @hourly to @yearly, or up to five lines of systemd OnCalendar, such as Mon..Fri 02:30 Europe/Berlin.',
      )
      .optional(),
    timezone: calendarText(100, assertTimeZone)
      .describe('IANA time zone of the schedule, such as Europe/Berlin. Default: UTC.')
      .meta({ title: 'Time zone' })
      .optional(),
    grace_seconds: z
      .int()
      .min(1)
      .max(63_244_800)
      .describe(
        'Grace time after the last heartbeat, or after each due time of a schedule. Default: twice the interval; with a schedule an hour.',
      )
      .meta({ title: 'Grace time' })
      .optional(),
    max_run_seconds: z
      .int()
      .min(1)
      .max(2_592_000)
      .describe('Maximum duration of a job run that reported its start. Default: the grace time.')
      .meta({ title: 'Longest job run', 'x-group': 'Timing' })
      .optional(),
    expect_first_within_seconds: z
      .int()
      .min(0)
      .max(MAX_SECONDS)
      .describe(
        'Time until the first heartbeat is due, after creation, enabling or a settings change. 0: no limit. Default: 0.',
      )
      .meta({ title: 'First heartbeat within', 'x-group': 'Timing' })
      .optional(),
    keep_body: z
      .boolean()
      .describe('Whether to keep the bodies of pings and quote their last line. Default: true.')
      .meta({ 'x-group': 'Details' })
      .optional(),
  })
  .refine(({ schedule, timezone }) => timezone === undefined || schedule !== undefined, {
    path: ['timezone'],
    message: 'requires config.schedule',
  });

export type PushConfig = z.output<typeof config>;

export const zoneOf = ({ timezone }: PushConfig): string => timezone ?? 'UTC';

export const push = defineCheck({
  type: 'push',
  mode: 'push',
  title: 'Push results',
  about:
    "A job or program pings the address of the check, or posts results or heartbeats. After the first one, a missed heartbeat is a failure (dead man's switch). With a schedule, a heartbeat is expected at each due time.",
  config,
  sources: ['body', 'latency_ms'],
  derived: (config, now, before) => {
    const { schedule } = config;
    const defaults = before ? {} : DEFAULTS;
    if (schedule === undefined) return defaults;
    if (schedule === before?.schedule && zoneOf(config) === zoneOf(before)) return {};
    const calendar = parseCalendar(schedule, zoneOf(config));
    calendarErrorsAt('config.schedule', () => assertDueTimes(calendar, now));
    const times = dueTimes(calendar, now);
    const [first, second] = [times.next().value, times.next().value];
    return {
      ...defaults,
      ...(first && second && { interval_seconds: Math.min((second - first) / 1000, MAX_SECONDS) }),
      ...(before?.schedule === undefined && { failure_threshold: 1 }),
    };
  },
  hosts: () => [],
  targetLabel: () => 'push',
  examples: {
    valid: [
      { config: { grace_seconds: 120 } },
      { config: {} },
      { config: { assertions: [{ source: 'body', operator: 'not_contains', value: 'ERROR' }] } },
      { config: { schedule: '30 2 * * *', timezone: 'Europe/Berlin', max_run_seconds: 7200 } },
      { config: { schedule: 'Mon..Fri 09:00\nSat 12:00 Asia/Tokyo', expect_first_within_seconds: 90_000 } },
      { config: { expect_first_within_seconds: 0, keep_body: false } },
    ],
    invalid: [
      { value: { config: { grace_seconds: 0 } }, path: 'config.grace_seconds' },
      { value: { config: { grace_seconds: 63_244_801 } }, path: 'config.grace_seconds' },
      { value: { config: { grace: 120 } }, path: 'config.grace' },
      { value: { config: { schedule: '61 2 * * *' } }, path: 'config.schedule' },
      { value: { config: { schedule: `${'0,'.repeat(150)}0 0 * * *` } }, path: 'config.schedule' },
      { value: { config: { schedule: '30 2 * * *', timezone: 'Berlin' } }, path: 'config.timezone' },
      { value: { config: { timezone: 'Europe/Berlin' } }, path: 'config.timezone' },
      { value: { config: { max_run_seconds: 0 } }, path: 'config.max_run_seconds' },
      { value: { config: { expect_first_within_seconds: -1 } }, path: 'config.expect_first_within_seconds' },
      { value: { config: { keep_body: 'no' } }, path: 'config.keep_body' },
    ],
  },
});
