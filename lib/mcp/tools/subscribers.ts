import * as z from 'zod';
import { requirePage } from '#lib/public/pages/status-page.ts';
import {
  addSubscriber,
  deleteSubscriber,
  NewSubscriber,
  requireSubscriber,
  subscribersOf,
  subscriberView,
} from '#lib/public/pages/subscribers.ts';
import { defineTool } from './tool.ts';

const status_page_id = z.string().describe('Id of the page, as in list_status_pages');

export const listSubscribers = defineTool({
  description:
    'Subscribers of a status page: the addresses that receive its incident updates and maintenance. For a key without write access, secrets are shown as ********.',
  input: z.strictObject({ status_page_id }),
  run: async (context, { status_page_id }) => {
    const page = await requirePage(context, status_page_id);
    return { subscribers: (await subscribersOf(context, page)).map((one) => subscriberView(context, one)) };
  },
});

const { channel_type, config, component_ids } = NewSubscriber.shape;

export const addSubscriberTool = defineTool({
  description:
    'Add a subscriber to a status page. It receives later incident updates and maintenance of the page. Ask the user before you add an address.',
  input: z.strictObject({
    status_page_id,
    channel_type,
    config: config.describe('Settings: url, and for a webhook optionally secret, which signs the messages'),
    component_ids,
  }),
  run: async (context, { status_page_id, ...subscriber }) =>
    subscriberView(context, await addSubscriber(context, status_page_id, subscriber)),
});

export const deleteSubscriberTool = defineTool({
  description: 'Delete a subscriber of a status page. It receives no more messages, and pending messages fail.',
  input: z.strictObject({
    status_page_id,
    subscriber_id: z.string().describe('Id of the subscriber, as in list_subscribers'),
  }),
  run: async (context, { status_page_id, subscriber_id }) => {
    await deleteSubscriber(context, await requireSubscriber(context, { id: status_page_id, subscriber_id }));
    return { deleted: subscriber_id };
  },
});
