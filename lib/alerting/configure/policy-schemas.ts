import * as z from 'zod';
import { DeliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import { Escalation } from '#lib/alerting/policy/escalation-schema.ts';
import { SilenceChanges, SilenceMembers } from '#lib/catalog/own-silence.ts';
import { CreatedAt, IdOf, Unchanged, UpdatedAt } from '#lib/platform/http/route.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';

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
  repeat_interval_seconds: seconds('Seconds between reminders while the check is down; 0: none. Default 0.'),
  catch_up: z
    .boolean()
    .describe(
      'Whether the present state is announced once what held an alert back is over, if channels believe another. Default true.',
    ),
  flap_threshold: FlapThreshold.describe(
    'So many changes of state within flap_window_seconds are flapping: one alert says so, and the next ones are held back until the check has kept one state for a quarter of that time. 0: off; else 3 to 20. Default 0.',
  ),
  hold_for_dependencies: z
    .boolean()
    .describe(
      'Whether an alert for down waits until it is known if it follows from what the entity depends on. Default true.',
    ),
  impact_update: z
    .boolean()
    .describe(
      'Whether those who were told of it hear once, a minute later, if more fails with it than was known then. Default true.',
    ),
  flap_window_seconds: z.int().min(60).max(86_400).describe('Seconds in which changes count together. Default 3600.'),
  escalation: Escalation.describe(
    'Whom to call next while a failure is neither acknowledged nor over, at most 5 steps. A channel that a step names hears of a failure at its step, and not before. Default none.',
  ),
};

/** What can be set, for a check or as default of the account. */
export const PolicySettings = z.object(settings);

const GIVES_BACK = 'null gives it back to the default.';

/** Each setting as a change has it. */
export const SETTING_CHANGES = Object.fromEntries(
  Object.entries(settings).map(([name, member]) => [
    name,
    member.nullable().describe(`${member.description} ${GIVES_BACK}`).exactOptional(),
  ]),
) as { [name in keyof typeof settings]: z.ZodExactOptional<z.ZodNullable<(typeof settings)[name]>> };

export const Inherited = z
  .array(z.string())
  .describe('As it was read: a setting that it names, and that is sent unchanged, stays inherited.')
  .exactOptional();

/** Members whose null gives a setting back. */
export const SETTING_NAMES = Object.keys(settings) as (keyof typeof settings)[];

/** The settings of a policy; each may be left out and then keeps its value. */
export const PolicyBody = z
  .object({
    check_id: Unchanged.exactOptional(),
    channels: z
      .array(z.record(z.string(), z.unknown()))
      .describe('May be repeated but not changed: they have endpoints of their own.')
      .exactOptional(),
    ...SETTING_CHANGES,
    ...SilenceChanges,
    inherited: Inherited,
  })
  .meta({ id: 'PolicySettings' });
export type PolicyInput = z.infer<typeof PolicyBody>;

export const ChannelRecord = z
  .object({
    id: IdOf('the channel'),
    scope: z.literal('check').describe('A channel of one check.'),
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

const SilenceRecord = z.object({
  by: z
    .enum(['check', 'entity', 'account'])
    .describe('check: its own policy. entity: its entity is silenced. account: a silence of the account selects it.'),
  id: IdOf('the check, entity or silence'),
  until: z.iso.datetime().nullable().describe('When it ends by itself; null: when it is lifted.'),
  reason: z.string().describe('Why, for people.'),
});

const AppliedChannel = z.object({
  id: IdOf('the channel'),
  name: z.string().describe('What it is called.'),
  channel_type: z.string().describe('What kind of channel it is.'),
  why: z.string().describe('Why it gets alerts of this check.'),
});

export const PolicyRecord = z
  .object({
    check_id: IdOf('the check'),
    ...settings,
    ...SilenceMembers,
    inherited: z
      .array(z.string())
      .describe('Settings that are not set on the check: the defaults of the account hold.'),
    silenced_by: z.array(SilenceRecord).describe('Every silence that holds of it now, its own included.'),
    channels: z.array(ChannelRecord).describe('Its own channels, which get its alerts; at most 10.'),
    account_channels: z.array(AppliedChannel).describe('Channels of the account that get its alerts too.'),
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Policy' });
export type PolicyRecord = z.infer<typeof PolicyRecord>;
