import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { POLICY_NAMES } from '#lib/alerting/policy/settings.ts';
import { ListQuery, listOf } from '#lib/platform/http/paging.ts';
import { CreatedReply, route } from '#lib/platform/http/route.ts';
import {
  AccountChannelBody,
  AccountChannelPatch,
  AccountChannelRecord,
  accountChannelViews,
  addAccountChannel,
  allChannels,
  ChangedAccountChannel,
  changeAccountChannel,
  deleteAccountChannel,
  ListedChannel,
  requireAccountChannel,
} from './account-channels.ts';
import { changeDefaultPolicy, DefaultPolicyBody, DefaultPolicyRecord, readDefaultPolicy } from './default-policy.ts';
import { mailAddressRoutes } from './mail-addresses.ts';
import { createMonitor, Monitor, MonitorBody } from './monitors.ts';
import { examplePreview, TestedChannel, testAccountChannel } from './preview.ts';
import {
  addSilence,
  endSilence,
  MadeSilence,
  NewSilence,
  noticeOf,
  requireSilence,
  SilenceRecord,
  silenceList,
  silenceView,
} from './silences.ts';
import {
  addWindow,
  allWindows,
  ChangedWindow,
  changeWindow,
  deleteWindow,
  NewWindow,
  requireWindow,
  WindowPatch,
  WindowRecord,
  windowView,
} from './windows.ts';

const endpoint = route<Context>();

const load = (context: Context, { id }: { id: string }) => requireWindow(context, id);

export const windowRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/windows',
    access: 'read',
    summary: 'List maintenance windows',
    description: 'Includes the next time range of each. One-time windows are listed until 30 days after their end.',
    status: 200,
    reply: z.array(WindowRecord),
    run: async (context) => {
      const now = context.ports.clock.now();
      return (await allWindows(context)).map((window) => windowView(window, now));
    },
  }),
  endpoint({
    method: 'POST',
    path: '/v1/windows',
    access: 'suppress',
    summary: 'Create a maintenance window',
    description:
      'Alerts of its checks are held until it ends. A window of all checks, or of more than a day, requires the member role and, for a key with scopes, the scope write.',
    status: 201,
    body: NewWindow,
    nulls: ['until'],
    reply: ChangedWindow,
    errors: ['LIMIT_EXCEEDED'],
    run: async (context, { body }) => {
      const window = await addWindow(context, body);
      return { ...windowView(window, context.ports.clock.now()), notice: await noticeOf(context, window.scope) };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/windows/{id}',
    access: 'read',
    summary: 'Get a maintenance window',
    status: 200,
    reply: WindowRecord,
    load,
    run: async ({ ports }, { loaded }) => windowView(loaded, ports.clock.now()),
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/windows/{id}',
    access: 'suppress',
    summary: 'Update a maintenance window',
    description: 'Omitted properties keep their value. The change has immediate effect.',
    status: 200,
    body: WindowPatch,
    nulls: ['until'],
    reply: ChangedWindow,
    load,
    run: async (context, { loaded, body }) => {
      const window = await changeWindow(context, loaded.id, body);
      return { ...windowView(window, context.ports.clock.now()), notice: await noticeOf(context, window.scope) };
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/windows/{id}',
    access: 'suppress',
    summary: 'Delete a maintenance window',
    description: 'An open window ends.',
    status: 204,
    load,
    run: (context, { loaded }) => deleteWindow(context, loaded.id),
  }),
];

const loadChannel = (context: Context, { id }: { id: string }) => requireAccountChannel(context, id);

const channelRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/notify/channels',
    access: 'read',
    summary: 'List all channels',
    description: 'Channels of the account first, then channels of checks.',
    status: 200,
    query: ListQuery,
    reply: z.array(ListedChannel),
    run: (context, call) => listOf(`${context.tenant} channels`, call, allChannels(context)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/notify/channels',
    access: 'write',
    summary: 'Create an account channel for all or selected checks',
    status: 201,
    body: AccountChannelBody,
    nulls: ['slug', 'applies_to'],
    reply: ChangedAccountChannel,
    errors: ['LIMIT_EXCEEDED', 'CONFLICT'],
    run: async (context, { body }) => {
      const channel = await addAccountChannel(context, body);
      const [view] = await accountChannelViews(context, [channel]);
      return { ...view!, notice: await noticeOf(context, channel.applies_to) };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/notify/channels/{id}',
    access: 'read',
    summary: 'Get an account channel',
    status: 200,
    reply: AccountChannelRecord,
    load: loadChannel,
    run: async (context, { loaded }) => (await accountChannelViews(context, [loaded]))[0]!,
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/notify/channels/{id}',
    access: 'write',
    summary: 'Update an account channel',
    description: 'Omitted properties, and properties sent as ********, keep their value. The type cannot change.',
    status: 200,
    body: AccountChannelPatch,
    nulls: ['slug', 'applies_to'],
    reply: ChangedAccountChannel,
    errors: ['CONFLICT'],
    load: loadChannel,
    run: async (context, { loaded, body }) => {
      const channel = await changeAccountChannel(context, loaded.id, body);
      const [view] = await accountChannelViews(context, [channel]);
      return { ...view!, notice: await noticeOf(context, channel.applies_to) };
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/notify/channels/{id}',
    access: 'write',
    summary: 'Delete an account channel',
    description: 'Its unfinished deliveries end as failed, except closing alerts, which are still sent.',
    status: 204,
    load: loadChannel,
    run: (context, { loaded }) => deleteAccountChannel(context, loaded.id),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/notify/channels/{id}/test',
    access: 'respond',
    rate: 'send',
    summary: 'Send a test alert to an account channel',
    description: 'Returns the delivery and a preview of an alert.',
    status: 200,
    reply: TestedChannel,
    load: loadChannel,
    run: async (context, { loaded }) => ({
      ...(await testAccountChannel(context, loaded)),
      preview: examplePreview(loaded),
    }),
  }),
];

const policyRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/notify/policy',
    access: 'read',
    summary: 'Get the default policy of the account',
    status: 200,
    reply: DefaultPolicyRecord,
    run: readDefaultPolicy,
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/notify/policy',
    access: 'write',
    summary: 'Update the default policy; null restores a service default',
    status: 200,
    body: DefaultPolicyBody,
    nulls: POLICY_NAMES,
    reply: DefaultPolicyRecord,
    run: (context, { body }) => changeDefaultPolicy(context, body),
  }),
];

const silenceRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/notify/silences',
    access: 'read',
    summary: 'List active silences of the account, its entities and checks',
    description: 'Silences of the account first.',
    status: 200,
    query: ListQuery,
    reply: z.array(SilenceRecord),
    run: (context, request) => listOf(`${context.tenant} silences`, request, silenceList(context)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/notify/silences',
    access: 'suppress',
    summary: 'Silence the alerts of the selected checks until a given time',
    description:
      'At the end, a late alert reports each check in a state or failure that no alert has reported. A silence of all checks, or of more than a day, requires the member role and, for a key with scopes, the scope write.',
    status: 201,
    body: NewSilence,
    nulls: ['applies_to'],
    reply: MadeSilence,
    errors: ['LIMIT_EXCEEDED'],
    run: async (context, { body }) => {
      const silence = await addSilence(context, body);
      return { ...silenceView(silence), notice: await noticeOf(context, silence.applies_to) };
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/notify/silences/{id}',
    access: 'suppress',
    summary: 'End a silence early',
    status: 204,
    load: (context, { id }) => requireSilence(context, id),
    run: (context, { loaded }) => endSilence(context, loaded),
  }),
];

const monitorRoutes = [
  endpoint({
    method: 'POST',
    path: '/v1/monitors',
    access: 'write',
    summary: 'Monitor a URL, host, or job',
    description:
      'Creates an entity, a check by a preset, and, if given, an account channel. A repeated request creates nothing and returns 200.',
    status: 200,
    makes: true,
    body: MonitorBody,
    reply: Monitor,
    errors: ['CONFLICT', 'LIMIT_EXCEEDED'],
    run: async (context, { body }) => {
      const { monitor, isNew } = await createMonitor(context, body);
      return isNew ? new CreatedReply(monitor) : monitor;
    },
  }),
];

export const accountAlertRoutes = [
  ...monitorRoutes,
  ...channelRoutes,
  ...mailAddressRoutes,
  ...policyRoutes,
  ...silenceRoutes,
  ...windowRoutes,
];
