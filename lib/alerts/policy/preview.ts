import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { DeliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import { downAlertOf } from '#lib/alerting/notify/make-alert.ts';
import type { Channel } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import { EXAMPLE_ALERT } from '#lib/channels/alert.ts';
import { type Message, messageOf } from '#lib/channels/message.ts';
import { linesOf } from '#lib/channels/plain-text.ts';
import { channelTypeOf } from '#lib/channels/registry.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';

const Preview = z
  .object({
    title: z.string().describe('Its title.'),
    body: z.string().describe('All below the title, as plain text.'),
  })
  .nullable()
  .describe(
    "What the channel would say if the check went down now, in its own words where it has templates; null where programs read it. A type's own form and limits come on top.",
  );
type Preview = z.infer<typeof Preview>;

/** The answer of a test. */
export const TestedChannel = DeliveryRecord.extend({ preview: Preview }).meta({ id: 'TestedChannel' });

/** What a channel of the account would say of some check. */
export function examplePreview({ channel_type, config }: Channel): Preview {
  if (channelTypeOf(channel_type)?.read_by !== 'people') return null;
  return shown(messageOf(EXAMPLE_ALERT, config));
}

const shown = (message: Message): Preview => ({ title: message.title, body: linesOf(message).join('\n') });

/** What a channel would say if the check went down now. */
export async function previewOf(
  { ports, keys, tenant }: Context,
  check: CheckItem,
  { channel_type, config }: Channel,
): Promise<Preview> {
  if (channelTypeOf(channel_type)?.read_by !== 'people') return null;
  const entity = await ports.table.get<EntityItem>(keys.entity(tenant, check.entity_id));
  if (!entity) return null;
  const about = { check, entity, public_url: ports.settings.PUBLIC_URL, now: ports.clock.now() };
  return shown(messageOf(downAlertOf(about), config));
}
