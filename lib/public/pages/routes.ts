import * as z from 'zod';
import type { AccountItem } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import { seesSecrets } from '#lib/access/redaction.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { Reply, route } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import { linksAddress } from '#lib/settings.ts';
import { allPages } from './ask-to-publish.ts';
import { changePage, createPage, deletePage, requirePage, setLogo } from './change-page.ts';
import { statusHtml } from './html.ts';
import type { PublicationItem } from './publish.ts';
import { readView } from './read-view.ts';
import { logoOf, STATUS_PATH } from './render.ts';
import {
  addressOf,
  componentsOf,
  Logo,
  NewStatusPage,
  NULLABLE,
  type StatusPageItem,
  StatusPagePatch,
  StatusPageRecord,
} from './status-page.ts';
import {
  addSubscriber,
  deleteSubscriber,
  NewSubscriber,
  requireSubscriber,
  SubscriberRecord,
  subscribersOf,
  subscriberView,
} from './subscribers.ts';

const row = route<Context>();

/** Returns pages as the API shows them. */
async function pageViews(context: Context, pages: readonly StatusPageItem[]): Promise<StatusPageRecord[]> {
  const { ports, keys, tenant } = context;
  const components = pages.flatMap(componentsOf);
  const shownIds = [...new Set(components.flatMap(({ entity_id, check_id }) => entity_id ?? check_id ?? []))];
  const shown = await ports.table.getMany<EntityItem | CheckItem>(
    shownIds.map((id) => (id.startsWith('ent_') ? keys.entity(tenant, id) : keys.check(tenant, id))),
    { eventual: true },
  );
  const missing = new Set(shownIds.filter((_, i) => shown[i] === undefined));
  const publications = await ports.table.getMany<PublicationItem>(
    pages.map(({ id }) => keys.publication(tenant, id)),
    { eventual: true },
  );
  return pages.map((page, i) => {
    const address = addressOf(page);
    const isSecret = page.visibility === 'link' && !seesSecrets(context.caller);
    const base = address && (isSecret ? REDACTED : `${linksAddress(ports.settings)}/${STATUS_PATH}/${address}`);
    return pick(StatusPageRecord, {
      ...page,
      missing_component_ids: componentsOf(page).flatMap(({ id, entity_id, check_id }) =>
        missing.has(entity_id ?? check_id ?? '') ? [id] : [],
      ),
      url: base ?? null,
      logo_url: base !== undefined && page.logo ? (isSecret ? REDACTED : `${base}/${page.logo}`) : null,
      published_at: (address && publications[i]?.published_at) ?? null,
    });
  });
}

const pageRecord = async (context: Context, page: StatusPageItem) => (await pageViews(context, [page]))[0]!;

const load = (context: Context, { id }: { id: string }) => requirePage(context, id);

/** The editor of the console shows a preview in a frame. */
const PREVIEW_HEADERS = { 'content-security-policy': "sandbox allow-scripts; frame-ancestors 'self'" };

/** Returns the HTML of a page as visitors would see it now, also of a draft. */
async function preview(context: Context, page: StatusPageItem): Promise<string> {
  const account = await context.ports.table.get<AccountItem>(context.keys.account(context.tenant));
  const { view } = await readView(context, page, account!);
  const logo = await logoOf(context, page);
  return statusHtml(view, {
    base: `/${STATUS_PATH}/${page.slug}`,
    logo: logo && `data:${logo.type};base64,${logo.data}`,
  });
}

export const statusPageRoutes = [
  row({
    method: 'GET',
    path: '/v1/status-pages',
    access: 'read',
    summary: 'List status pages',
    status: 200,
    reply: z.array(StatusPageRecord),
    run: async (context) => pageViews(context, await allPages(context, context.tenant)),
  }),
  row({
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
  row({
    method: 'GET',
    path: '/v1/status-pages/{id}',
    access: 'read',
    summary: 'Get a status page',
    status: 200,
    reply: StatusPageRecord,
    load,
    run: (context, { loaded }) => pageRecord(context, loaded),
  }),
  row({
    method: 'PUT',
    path: '/v1/status-pages/{id}',
    access: 'configure',
    summary: 'Update a status page',
    description:
      'Omitted properties keep their value. groups replaces all groups; a component with its id stays the same ' +
      'component. A page that is no longer public is removed within 30 seconds.',
    status: 200,
    body: StatusPagePatch,
    nulls: NULLABLE,
    reply: StatusPageRecord,
    errors: ['CONFLICT'],
    load,
    run: async (context, { loaded, body }) => pageRecord(context, await changePage(context, loaded.id, body)),
  }),
  row({
    method: 'DELETE',
    path: '/v1/status-pages/{id}',
    access: 'configure',
    summary: 'Delete a status page',
    description: 'It is removed within 30 seconds.',
    status: 204,
    load,
    run: (context, { loaded }) => deletePage(context, loaded.id),
  }),
  row({
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
  row({
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
  row({
    method: 'POST',
    path: '/v1/status-pages/{id}/subscribers',
    access: 'configure',
    summary: 'Add a subscriber of a status page',
    description: 'It receives later updates with `notify`.',
    status: 201,
    body: NewSubscriber,
    reply: SubscriberRecord,
    errors: ['LIMIT_EXCEEDED'],
    load,
    run: async (context, { loaded, body }) => subscriberView(context, await addSubscriber(context, loaded, body)),
  }),
  row({
    method: 'DELETE',
    path: '/v1/status-pages/{id}/subscribers/{subscriber_id}',
    access: 'configure',
    summary: 'Delete a subscriber of a status page',
    status: 204,
    load: (context, params) => requireSubscriber(context, params),
    run: (context, { loaded }) => deleteSubscriber(context, loaded),
  }),
  row({
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
  row({
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
