import * as z from 'zod';
import type { AccountItem } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import { Reply, route } from '#lib/platform/http/route.ts';
import { allPages } from './ask-to-publish.ts';
import { changePage, createPage, deletePage, setLogo, withSettings } from './change-page.ts';
import { statusHtml } from './html.ts';
import { pageRecords } from './page-records.ts';
import { readView } from './read-view.ts';
import { logoOf, STATUS_PATH } from './render.ts';
import {
  Logo,
  NewStatusPage,
  NULLABLE,
  requirePage,
  type StatusPageItem,
  StatusPagePatch,
  StatusPageRecord,
} from './status-page.ts';
import { PREVIEW_SCRIPT } from './style.ts';
import {
  addSubscriber,
  deleteSubscriber,
  NewSubscriber,
  requireSubscriber,
  SubscriberRecord,
  subscribersOf,
  subscriberView,
} from './subscribers.ts';

const endpoint = route<Context>();

const pageRecord = async (context: Context, page: StatusPageItem) => (await pageRecords(context, [page]))[0]!;

const load = (context: Context, { id }: { id: string }) => requirePage(context, id);

/** The editor of the console shows a preview in a frame. */
const PREVIEW_HEADERS = { 'content-security-policy': "sandbox allow-scripts; frame-ancestors 'self'" };

/** Returns the HTML of a page as visitors would see it now, also of a draft. */
async function preview(context: Context, page: StatusPageItem): Promise<string> {
  const account = await context.ports.table.get<AccountItem>(context.keys.account(context.tenant));
  const { view } = await readView(context, page, account!);
  const logo = await logoOf(context, page);
  const base = `/${STATUS_PATH}/${page.slug}`;
  return statusHtml(view, {
    base,
    json: `${base}.json`,
    logo: logo && `data:${logo.type};base64,${logo.data}`,
    script: PREVIEW_SCRIPT,
  });
}

export const statusPageRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/status-pages',
    access: 'read',
    summary: 'List status pages',
    status: 200,
    reply: z.array(StatusPageRecord),
    run: async (context) => pageRecords(context, await allPages(context, context.tenant)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/status-pages',
    access: 'configure',
    summary: 'Create a status page',
    description: 'It is published within seconds, unless it is a draft.',
    status: 201,
    body: NewStatusPage,
    nulls: NULLABLE,
    reply: StatusPageRecord,
    errors: ['LIMIT_EXCEEDED', 'CONFLICT'],
    run: async (context, { body }) => pageRecord(context, await createPage(context, body)),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/status-pages/{id}',
    access: 'read',
    summary: 'Get a status page',
    status: 200,
    reply: StatusPageRecord,
    load,
    run: (context, { loaded }) => pageRecord(context, loaded),
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/status-pages/{id}',
    access: 'configure',
    summary: 'Update a status page',
    description:
      'Omitted properties keep their value. `groups` replaces all groups; a component sent with its id is updated, one ' +
      'without is new. A page that is no longer public is removed within 30 seconds.',
    status: 200,
    body: StatusPagePatch,
    nulls: NULLABLE,
    reply: StatusPageRecord,
    errors: ['CONFLICT'],
    load,
    run: async (context, { loaded, body }) => pageRecord(context, await changePage(context, loaded.id, body)),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/status-pages/{id}',
    access: 'configure',
    summary: 'Delete a status page',
    description: 'It is removed within 30 seconds.',
    status: 204,
    load,
    run: (context, { loaded }) => deletePage(context, loaded.id),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/status-pages/{id}/preview',
    access: 'read',
    summary: 'Get the HTML of a status page, also of a draft',
    status: 200,
    text: 'html',
    reply: z.string(),
    load,
    run: async (context, { loaded }) => new Reply(await preview(context, loaded), PREVIEW_HEADERS),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/status-pages/{id}/preview',
    access: 'configure',
    summary: 'Get the HTML of a status page with other settings',
    description: 'Takes the body of `PUT`, and changes nothing.',
    status: 200,
    body: StatusPagePatch,
    nulls: NULLABLE,
    text: 'html',
    reply: z.string(),
    load,
    run: async (context, { loaded, body: { id: _same, rotate_link: _link, ...settings } }) =>
      new Reply(await preview(context, await withSettings(context, loaded, settings)), PREVIEW_HEADERS),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/status-pages/{id}/subscribers',
    access: 'read',
    summary: 'List the subscribers of a status page',
    status: 200,
    reply: z.array(SubscriberRecord),
    load,
    run: async (context, { loaded }) =>
      (await subscribersOf(context, loaded)).map((one) => subscriberView(context, one)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/status-pages/{id}/subscribers',
    access: 'configure',
    summary: 'Add a subscriber to a status page',
    description: 'It is notified of later updates that have `notify`, and of maintenance.',
    status: 201,
    body: NewSubscriber,
    reply: SubscriberRecord,
    errors: ['LIMIT_EXCEEDED'],
    load,
    run: async (context, { loaded, body }) => subscriberView(context, await addSubscriber(context, loaded.id, body)),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/status-pages/{id}/subscribers/{subscriber_id}',
    access: 'configure',
    summary: 'Delete a subscriber of a status page',
    status: 204,
    load: (context, params) => requireSubscriber(context, params),
    run: (context, { loaded }) => deleteSubscriber(context, loaded),
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/status-pages/{id}/logo',
    access: 'configure',
    summary: 'Set the logo of a status page',
    status: 200,
    body: Logo,
    reply: StatusPageRecord,
    load,
    run: async (context, { loaded, body }) => pageRecord(context, await setLogo(context, loaded.id, body.data)),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/status-pages/{id}/logo',
    access: 'configure',
    summary: 'Remove the logo of a status page',
    status: 204,
    load,
    run: async (context, { loaded }) => {
      await setLogo(context, loaded.id, undefined);
    },
  }),
];
