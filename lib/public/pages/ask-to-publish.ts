import type { Env } from '#lib/env.ts';
import { under } from '#lib/keys.ts';
import type { MessageTo } from '#lib/messages.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { componentsOf, type StatusPageItem } from './status-page.ts';

/** Time (ms) for which changes of a page wait, so that one rendering shows all of them. */
export const MERGE_MS = 2_000;

const PAGES = 'pag_';

/** Reads the status pages of an account, oldest first. */
export const allPages = (
  { ports, keys }: Env<'table'>,
  tenant: string,
  { eventual = false } = {},
): Promise<StatusPageItem[]> =>
  allOf<StatusPageItem>(ports.table, { partition: keys.statusPages(tenant), ...under(PAGES), eventual });

/** Returns the message that asks to publish a page of a change now (epoch ms); without `page_id` all of the account. */
export const publishMessage = (tenant_id: string, now: number, page_id?: string): MessageTo<'publish'> => ({
  body: { tenant_id, ...(page_id !== undefined && { page_id }), due: now + MERGE_MS },
  not_before: now + MERGE_MS,
  group: tenant_id,
});

/** Asks to publish the pages that show an entity or one of its checks. Reads only the pages, for accounts with none. */
export async function publishPagesOf(
  { ports, keys }: Env<'table' | 'queues' | 'clock'>,
  { tenant_id, entity_id, check_id }: { tenant_id: string; entity_id: string; check_id: string },
): Promise<void> {
  const pages = await allPages({ ports, keys }, tenant_id, { eventual: true });
  const showing = pages.filter(
    (page) =>
      page.visibility !== 'draft' &&
      componentsOf(page).some((one) => one.entity_id === entity_id || one.check_id === check_id),
  );
  if (showing.length === 0) return;
  const now = ports.clock.now();
  await ports.queues.send(
    'publish',
    showing.map(({ id }) => publishMessage(tenant_id, now, id)),
  );
}
