import * as z from 'zod';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import { seesSecrets } from '#lib/access/redaction.ts';
import { newSettings } from '#lib/alerting/configure/channel-settings.ts';
import { withoutSecrets } from '#lib/alerting/configure/views.ts';
import { deliverMessage } from '#lib/alerting/notify/fan-out.ts';
import type { Channel } from '#lib/alerting/policy/policy.ts';
import type { Audited } from '#lib/audit/write.ts';
import { ChannelBody } from '#lib/channels/registry.ts';
import type { Env } from '#lib/env.ts';
import { SUBSCRIBERS, under } from '#lib/keys.ts';
import { AppError, invalid, notFound } from '#lib/platform/errors.ts';
import { CreatedAt, IdOf } from '#lib/platform/http/route.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { derivedId, isId } from '#lib/platform/ids.ts';
import { chunks, pick } from '#lib/platform/plain-data.ts';
import type { Item } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { commit, oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { componentsOf, requirePage, type StatusPageItem } from './status-page.ts';
import type { NoticeView } from './view.ts';

const MAX_SUBSCRIBERS = 100;
/** Number of subscribers that are deleted in one transaction. */
const AT_ONCE = 25;
const TYPES = ['webhook', 'slack', 'discord'] as const;

/** A receiver of the updates of a status page, about 0.4 KB. */
type SubscriberItem = Item & Channel & { v: string; page_id: string; component_ids: string[] };

const settings = {
  channel_type: z.enum(TYPES).describe('Type of the receiver.'),
  component_ids: z
    .array(z.string())
    .describe('Components whose updates it receives; empty: all of the page. Default: all.'),
};

export const NewSubscriber = z
  .object({
    ...settings,
    config: z.record(z.string(), z.string()).describe('Settings of this type, as for a channel.'),
    component_ids: settings.component_ids.default([]),
  })
  .meta({ id: 'NewStatusSubscriber' });
type NewSubscriber = z.output<typeof NewSubscriber>;

export const SubscriberRecord = z
  .object({
    id: IdOf('the subscriber, which is the channel_id of its deliveries'),
    ...settings,
    config: z
      .record(z.string(), z.string())
      .describe('Settings. Callers without write access see ******** for secrets.'),
    created_at: CreatedAt,
  })
  .meta({ id: 'StatusSubscriber' });

export const subscriberView = ({ caller }: Context, item: SubscriberItem): z.output<typeof SubscriberRecord> =>
  pick(SubscriberRecord, {
    ...item,
    channel_type: item.channel_type as (typeof TYPES)[number],
    config: seesSecrets(caller) ? item.config : withoutSecrets(item),
  });

const audited: Audited<SubscriberItem> = {
  type: 'status_subscriber',
  target: ({ id, channel_type, page_id }) => ({ id, name: channel_type, within: [page_id] }),
  properties: ({ channel_type, config, component_ids }) => ({ channel_type, config, component_ids }),
  shown: (item) => ({
    channel_type: item.channel_type,
    config: withoutSecrets(item),
    component_ids: item.component_ids,
  }),
};

/** Reads the subscribers of a page, oldest first. */
export const subscribersOf = ({ ports, keys }: Env<'table'>, page: StatusPageItem): Promise<SubscriberItem[]> =>
  allOf<SubscriberItem>(ports.table, {
    partition: keys.ofStatusPage(page.tenant_id, page.id),
    ...under(SUBSCRIBERS),
  });

/** Finds a subscriber. @throws AppError NOT_FOUND */
export async function requireSubscriber(
  { ports, keys, tenant }: Context,
  { id, subscriber_id }: { id: string; subscriber_id: string },
): Promise<SubscriberItem> {
  const isPossible = isId('pag', id) && isId('sub', subscriber_id);
  const item = isPossible
    ? await ports.table.get<SubscriberItem>(keys.statusSubscriber(tenant, id, subscriber_id))
    : undefined;
  if (!item) throw notFound(`Subscriber ${subscriber_id} of status page ${id}`);
  return item;
}

/**
 * Adds a subscriber. Changes the version of the page, so that a concurrent deletion of the page is retried and finds
 * the subscriber, and concurrent additions keep the limit.
 * @throws AppError LIMIT_EXCEEDED beyond 100, NOT_FOUND for a page that was deleted in the meantime, VALIDATION_ERROR
 *   for an address that the egress rules deny or a component of another page
 */
export async function addSubscriber(
  context: Context,
  page_id: string,
  { channel_type, config, component_ids }: NewSubscriber,
): Promise<SubscriberItem> {
  const { ports, keys, tenant } = context;
  const id = ports.ids.id('sub');
  const item: SubscriberItem = {
    ...keys.statusSubscriber(tenant, page_id, id),
    ...{ v: ports.ids.token(), id, page_id, component_ids, created_at: iso(ports.clock.now()) },
    ...newSettings(context, parse(ChannelBody, { channel_type, config })),
  };
  const auditWrites = auditWriter(context, 'create', audited);
  return oneAtATime(ports.table, `${page_id} subscribers`, () =>
    retryOnConflict(ports, async () => {
      const page = await requirePage(context, page_id);
      const known = new Set(componentsOf(page).map((component) => component.id));
      const unknown = component_ids.findIndex((one) => !known.has(one));
      if (unknown >= 0)
        throw invalid(
          `component_ids.${unknown}`,
          'is not a component of this page; GET /v1/status-pages/{id} lists them',
        );
      if ((await subscribersOf(context, page)).length >= MAX_SUBSCRIBERS) {
        throw new AppError(
          'LIMIT_EXCEEDED',
          `A status page has at most ${MAX_SUBSCRIBERS} subscribers. Delete one first.`,
        );
      }
      const outcome = await commit(ports, [
        { put: item, if: 'absent' },
        { put: { ...page, v: ports.ids.token() }, if: { version: page.v } },
        ...auditWrites(undefined, item),
      ]);
      return outcome.ok ? item : RETRY;
    }),
  );
}

/** Deletes a subscriber. Its pending deliveries fail. */
export async function deleteSubscriber(context: Context, item: SubscriberItem): Promise<void> {
  const { ports, keys, tenant } = context;
  const auditWrites = auditWriter(context, 'delete', audited);
  const key = keys.statusSubscriber(tenant, item.page_id, item.id);
  await retryOnConflict(ports, async () =>
    (await commit(ports, [{ delete: key, if: { version: item.v } }, ...auditWrites(item, undefined)])).ok ||
    !(await ports.table.get(key))
      ? true
      : RETRY,
  );
}

/** Deletes the subscribers of a page, before the page itself. Repeatable. */
export async function deleteSubscribers(env: Env<'table'>, page: StatusPageItem): Promise<void> {
  for (const some of chunks(await subscribersOf(env, page), AT_ONCE))
    await env.ports.table.transact(some.map(({ pk, sk }) => ({ delete: { pk, sk } })));
}

/** Creates deliveries of notices to the subscribers that receive them. Repeatable: derived ids prevent duplicates. */
export async function notifySubscribers(
  env: Env,
  page: StatusPageItem,
  notices: readonly NoticeView[],
  url: string,
): Promise<void> {
  const { tenant_id, title } = page;
  const subscribers = await subscribersOf(env, page);
  for (const notice of notices) {
    const receivers = subscribers.filter(
      ({ component_ids: of, created_at }) =>
        created_at <= notice.at && (of.length === 0 || notice.component_ids.some((id) => of.includes(id))),
    );
    const { component_ids: _ids, ...news } = notice;
    for (const { id: channel_id, channel_type } of receivers) {
      await deliverMessage(env, {
        ...{ tenant_id, id: derivedId('dlv', Date.parse(notice.at), notice.id, channel_id), kind: 'status_update' },
        ...{ created_at: notice.at, channel_id, channel_type, status_page_id: page.id },
        status_update: { ...news, page: title, url },
      });
    }
  }
}
