import type { Env } from '#lib/env.ts';
import { STATUS_PAGES, under } from '#lib/keys.ts';
import { publishMessage } from '#lib/messages.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { componentsOf, type StatusPageItem } from './status-page.ts';

/** Reads the status pages of an account, oldest first. */
export const allPages = (
  { ports, keys }: Env<'table'>,
  tenant: string,
  { eventual = false } = {},
): Promise<StatusPageItem[]> =>
  allOf<StatusPageItem>(ports.table, { partition: keys.statusPages(tenant), ...under(STATUS_PAGES), eventual });

/** Requests publication of the pages that show the entity or the check. Without such pages, it costs one read. */
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
