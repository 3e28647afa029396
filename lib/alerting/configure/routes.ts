import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { DeliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import { POLICY_NAMES } from '#lib/alerting/policy/settings.ts';
import { ChannelBody } from '#lib/channels/registry.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { ListQuery, limitParam, listOf } from '#lib/platform/http/paging.ts';
import { route } from '#lib/platform/http/route.ts';
import { addChannel, changeChannel, channelOf, removeChannel } from './check-channels.ts';
import { DeliveryFilter, deliveryLog, requireDelivery } from './deliveries.ts';
import { readPolicy, updatePolicy } from './policies.ts';
import { ChannelPatch, ChannelRecord, PolicyBody, PolicyRecord } from './policy-schemas.ts';
import { previewOf, TestedChannel, testChannel } from './preview.ts';
import { policyView, readChannelView } from './views.ts';

const endpoint = route<Context>();

const loadCheck = (context: Context, { check_id }: { check_id: string }) => requireCheck(context, check_id);

async function loadChannel(context: Context, params: { check_id: string; channel_id: string }) {
  const check = await loadCheck(context, params);
  return { check, channel: channelOf((await readPolicy(context, check)).stored, params.channel_id) };
}

export const alertRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/checks/{check_id}/policy',
    access: 'read',
    summary: 'Get the notification policy of a check',
    description: 'Includes its channels.',
    status: 200,
    reply: PolicyRecord,
    load: loadCheck,
    run: async (context, { loaded }) => policyView(context, await readPolicy(context, loaded)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/checks/{check_id}/policy',
    access: 'write',
    summary: 'Update the notification policy of a check',
    description:
      'Omitted properties keep their value; null restores the default of the account. silenced_until null: the silence has no end.',
    status: 200,
    body: PolicyBody,
    nulls: [...POLICY_NAMES, 'silenced_until'],
    reply: PolicyRecord,
    load: loadCheck,
    run: async (context, { loaded, body }) => policyView(context, await updatePolicy(context, loaded, body)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/checks/{check_id}/policy/channels',
    access: 'write',
    summary: 'Add a channel to the policy of a check',
    description: 'A check has at most 10 channels.',
    status: 201,
    body: ChannelBody,
    reply: ChannelRecord,
    errors: ['LIMIT_EXCEEDED'],
    load: loadCheck,
    run: async (context, { loaded, body }) =>
      readChannelView(context, loaded.id, await addChannel(context, loaded, body)),
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/checks/{check_id}/policy/channels/{channel_id}',
    access: 'write',
    summary: 'Update a channel of a check',
    description: 'Omitted settings, and settings sent as ********, keep their value. The type cannot change.',
    status: 200,
    body: ChannelPatch,
    reply: ChannelRecord,
    load: loadChannel,
    run: async (context, { loaded: { check, channel }, body }) =>
      readChannelView(context, check.id, await changeChannel(context, check, channel.id, body)),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/checks/{check_id}/policy/channels/{channel_id}',
    access: 'write',
    summary: 'Remove a channel from the policy of a check',
    description: 'Its unfinished deliveries end as failed, except closing alerts, which are still sent.',
    status: 204,
    load: loadChannel,
    run: (context, { loaded }) => removeChannel(context, loaded.check, loaded.channel.id),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/checks/{check_id}/policy/channels/{channel_id}/test',
    access: 'respond',
    rate: 'send',
    summary: 'Send a test alert to a channel of a check',
    description: 'Returns the delivery and a preview of an alert.',
    status: 200,
    reply: TestedChannel,
    load: loadChannel,
    run: async (context, { loaded: { check, channel } }) => ({
      ...(await testChannel(context, check, channel)),
      preview: await previewOf(context, check, channel),
    }),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/notify/logs',
    access: 'read',
    summary: 'List deliveries of all channels, newest first',
    status: 200,
    query: DeliveryFilter.extend({ ...ListQuery.shape, limit: limitParam(50, 1000) }),
    reply: z.array(DeliveryRecord),
    run: (context, call) => listOf(`${context.tenant} deliveries`, call, deliveryLog(context, call.query)),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/notify/logs/{id}',
    access: 'read',
    summary: 'Get a delivery',
    status: 200,
    reply: DeliveryRecord,
    load: (context, { id }) => requireDelivery(context, id),
    run: async (_context, { loaded }) => loaded,
  }),
];
