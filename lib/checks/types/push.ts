import * as z from 'zod';
import { invalid } from '#lib/platform/errors.ts';
import { assertHasRuns, assertTimeZone, dueTimes, parseCalendar } from '#lib/schedule/calendar/calendar.ts';
import { CalendarError } from '#lib/schedule/calendar/schedule-line.ts';
import { defineCheck } from './check-type.ts';

/** The longest interval of a push check, s: a leap year. */
const MAX_SECONDS = 31_622_400;

/** Without a schedule. */
const DEFAULTS = { interval_seconds: 60, failure_threshold: 3 };

/** A text that a function of the calendar takes without a CalendarError. */
const calendarText = (most: number, take: (text: string) => unknown) =>
  z
    .string()
    .max(most, { abort: true })
    .superRefine((text, context) => {
      const message = errorMessageOf(() => take(text));
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });

function errorMessageOf(take: () => unknown): string | undefined {
  try {
    take();
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
        'When the job is due: five cron fields, @hourly, @daily, @weekly, @monthly, @yearly, or up to five lines of systemd OnCalendar, such as Mon..Fri 02:30 Europe/Berlin.',
      )
      .optional(),
    timezone: calendarText(100, assertTimeZone)
      .describe('IANA name of the time zone that the schedule hangs in, such as Europe/Berlin. Default: UTC.')
      .optional(),
    grace_seconds: z
      .int()
      .min(1)
      .max(63_244_800)
      .describe(
        'Seconds of silence since the last sign of life until the first failure is recorded, then one each interval_seconds. Default: interval_seconds x 2. With a schedule: seconds after each due time; default 3,600.',
      )
      .optional(),
    max_run_seconds: z
      .int()
      .min(1)
      .max(2_592_000)
      .describe('Seconds that a run which said that it has started may take. Default: grace_seconds.')
      .optional(),
    expect_first_within_seconds: z
      .int()
      .min(0)
      .max(MAX_SECONDS)
      .describe(
        'Seconds after creation, enabling or a change of settings in which a first sign of life must come; 0: a job that never ran is not missed. Default: 0.',
      )
      .optional(),
    keep_body: z
      .boolean()
      .describe('Whether the bodies of pings are kept, and their last line quoted. Default: true.')
      .optional(),
  })
  .refine(({ schedule, timezone }) => timezone === undefined || schedule !== undefined, {
    path: ['timezone'],
    message: 'has no use without config.schedule',
  });

/** `config` of a push check. */
export type PushConfig = z.output<typeof config>;

/** The zone that a schedule hangs in. */
export const zoneOf = ({ timezone }: PushConfig): string => timezone ?? 'UTC';

/** Never probed: the customer's agent posts results; health detects its silence. */
export const push = defineCheck({
  type: 'push',
  mode: 'push',
  title: 'Results of your own',
  about:
    "Is never probed: your agent or cron job pings its address, or posts results or heartbeats. Once a first one has come, silence past the grace counts as failures (dead man's switch). With a schedule, one is expected at each due time.",
  config,
  sources: ['body', 'latency_ms'],
  derived: (config, now, before) => {
    const { schedule } = config;
    const defaults = before ? {} : DEFAULTS;
    if (schedule === undefined) return defaults;
    if (schedule === before?.schedule && zoneOf(config) === zoneOf(before)) return {};
    const calendar = parseCalendar(schedule, zoneOf(config));
    const refusal = errorMessageOf(() => assertHasRuns(calendar, now));
    if (refusal !== undefined) throw invalid('config.schedule', refusal);
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
