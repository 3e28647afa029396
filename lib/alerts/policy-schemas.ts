import * as z from 'zod';
import { DeliveryRecord } from './delivery-item.ts';

const WEEK_SECONDS = 604_800;

const seconds = (meaning: string) =>
  z
    .number()
    .int('must be a whole number of seconds')
    .min(0, 'must be 0 or more')
    .max(WEEK_SECONDS, `must be at most ${WEEK_SECONDS} (a week)`)
    .describe(meaning);

/** The settings of a policy; each may be left out and then keeps its value. */
export const PolicyBody = z
  .object({
    check_id: z.string().describe('May be repeated, but not changed.').exactOptional(),
    channels: z
      .array(z.record(z.string(), z.unknown()))
      .describe('May be repeated but not changed: they have endpoints of their own.')
      .exactOptional(),
    cooldown_seconds: seconds('Minimum gap between alerts for the check; default 300.').exactOptional(),
    notify_on_recovery: z.boolean().describe('Also alert when the check recovers; default true.').exactOptional(),
    silenced: z.boolean().describe('Pause all alerts; default false.').exactOptional(),
    repeat_interval_seconds: seconds(
      'Alert again every so often while the check is down; 0 for never.',
    ).exactOptional(),
    catch_up: z.boolean().describe('Tell what was held back as soon as it may be told; default true.').exactOptional(),
  })
  .meta({ id: 'PolicySettings' });
export type PolicyInput = z.infer<typeof PolicyBody>;

export const ChannelRecord = z
  .object({
    id: z.string(),
    check_id: z.string(),
    channel_type: z.string(),
    config: z.record(z.string(), z.string()),
    created_at: z.iso.datetime(),
    last_delivery: DeliveryRecord.nullable(),
  })
  .meta({ id: 'Channel' });
export type ChannelRecord = z.infer<typeof ChannelRecord>;

export const PolicyRecord = z
  .object({
    check_id: z.string(),
    cooldown_seconds: z.int(),
    notify_on_recovery: z.boolean(),
    silenced: z.boolean(),
    repeat_interval_seconds: z.int(),
    catch_up: z.boolean(),
    channels: z.array(ChannelRecord),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Policy' });
export type PolicyRecord = z.infer<typeof PolicyRecord>;
