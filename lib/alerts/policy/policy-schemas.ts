import * as z from 'zod';
import { DeliveryRecord } from '#lib/alerts/deliver/delivery-item.ts';
import { CreatedAt, IdOf, Unchanged, UpdatedAt } from '#lib/platform/http/members.ts';
import { REDACTED } from '#lib/platform/secrets/redacted.ts';

const WEEK_SECONDS = 604_800;

const seconds = (meaning: string) =>
  z
    .number()
    .int('must be a whole number of seconds')
    .min(0, 'must be 0 or more')
    .max(WEEK_SECONDS, `must be at most ${WEEK_SECONDS} (a week)`)
    .describe(meaning);

/** 0, or enough changes that they are no single outage. */
const FlapThreshold = z
  .number()
  .refine(
    (count) => count === 0 || (Number.isInteger(count) && count >= 3 && count <= 20),
    'must be 0, or a whole number from 3 to 20',
  )
  .meta({ type: 'integer', minimum: 0, maximum: 20 });

const settings = {
  cooldown_seconds: seconds('Seconds after an alert of the check in which no other is sent; 0: none. Default 300.'),
  notify_on_recovery: z.boolean().describe('Whether recovery is announced as well. Default true.'),
  notify_on_degraded: z
    .boolean()
    .describe('Whether changes between up and degraded are announced; if not, degraded counts as up. Default true.'),
  silenced: z.boolean().describe('Whether all alerts of the check are held back. Default false.'),
  repeat_interval_seconds: seconds('Seconds between reminders while the check is down; 0: none. Default 0.'),
  catch_up: z
    .boolean()
    .describe(
      'Whether the present state is announced once what held an alert back is over, if channels believe another. Default true.',
    ),
  flap_threshold: FlapThreshold.describe(
    'So many changes of state within flap_window_seconds are flapping: one alert says so, and the next ones are held back until the check has kept one state for a quarter of that time. 0: off; else 3 to 20. Default 0.',
  ),
  flap_window_seconds: z.int().min(60).max(86_400).describe('Seconds in which changes count together. Default 3600.'),
};

export const PolicySettings = z.object(settings);

/** The settings of a policy; each may be left out and then keeps its value. */
export const PolicyBody = z
  .object({
    check_id: Unchanged.exactOptional(),
    channels: z
      .array(z.record(z.string(), z.unknown()))
      .describe('May be repeated but not changed: they have endpoints of their own.')
      .exactOptional(),
    cooldown_seconds: settings.cooldown_seconds.exactOptional(),
    notify_on_recovery: settings.notify_on_recovery.exactOptional(),
    notify_on_degraded: settings.notify_on_degraded.exactOptional(),
    silenced: settings.silenced.exactOptional(),
    repeat_interval_seconds: settings.repeat_interval_seconds.exactOptional(),
    catch_up: settings.catch_up.exactOptional(),
    flap_threshold: settings.flap_threshold.exactOptional(),
    flap_window_seconds: settings.flap_window_seconds.exactOptional(),
  })
  .meta({ id: 'PolicySettings' });
export type PolicyInput = z.infer<typeof PolicyBody>;

export const ChannelRecord = z
  .object({
    id: IdOf('the channel'),
    check_id: IdOf('the check whose alerts it gets'),
    channel_type: z.string().describe('What kind of channel it is.'),
    config: z.record(z.string(), z.string()).describe('Settings of its type; a read-only key sees ********.'),
    created_at: CreatedAt,
    last_delivery: DeliveryRecord.nullable().describe('What was sent to it last; null before the first.'),
  })
  .meta({ id: 'Channel' });
export type ChannelRecord = z.infer<typeof ChannelRecord>;

/** What of a channel is changed; the rest keeps its value. */
export const ChannelPatch = z
  .object({
    id: Unchanged.exactOptional(),
    check_id: Unchanged.exactOptional(),
    channel_type: Unchanged.exactOptional(),
    config: z
      .record(z.string(), z.string().nullable())
      .describe(
        `Settings of its type by name: what is left out keeps its value, as ${REDACTED} does; null removes one.`,
      )
      .exactOptional(),
  })
  .meta({ id: 'ChannelPatch' });
export type ChannelPatch = z.infer<typeof ChannelPatch>;

export const PolicyRecord = z
  .object({
    check_id: IdOf('the check'),
    ...settings,
    channels: z.array(ChannelRecord).describe('The channels that get its alerts; at most 10.'),
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Policy' });
export type PolicyRecord = z.infer<typeof PolicyRecord>;
