import { settleCell } from '#lib/checks/settings/cells.ts';
import { reclaimSlugs } from '#lib/checks/settings/check-slugs.ts';
import type { Env } from '#lib/env.ts';
import { cellOf, type EntryKind, PING_URLS, REVISIONS, under } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import { deleteAll, keysUnder } from '#lib/platform/table/reclaim.ts';

/** Entries of the schedule that a check may have; those of actions stay with their actions. */
const ENTRY_KINDS: EntryKind[] = ['missed_heartbeat', 'reminder', 'late', 'escalation', 'impact', 'hold'];
const LAST_DELIVERIES = 'LAST#';

/** The channels that a check's policy item names. */
type StoredPolicy = Item & { channels: readonly { id: string }[] };

/**
 * Removes what a deleted check left behind: its place in its cell, slug, ping URLs, schedule, policy, channels and
 * revisions. Results, transitions and deliveries expire by themselves. Nothing is done while the check is there: the
 * message goes out before the deletion, which then did not take place. Repeatable.
 */
export async function reclaimCheck(
  env: Env<'table' | 'clock' | 'ids'>,
  { tenant_id, check_id }: { tenant_id: string; check_id: string },
): Promise<void> {
  const { ports, keys } = env;
  if (await ports.table.get(keys.check(tenant_id, check_id))) return;
  const policy = await ports.table.get<StoredPolicy>(keys.policy(tenant_id, check_id));
  const partition = keys.ofCheck(tenant_id, check_id);
  await deleteAll(ports, [
    ...ENTRY_KINDS.map((kind) => keys.entry(kind, tenant_id, check_id)),
    ...(policy?.channels ?? []).map(({ id }) => keys.channelPointer(tenant_id, id)),
    ...(await keysUnder(ports, partition, under(LAST_DELIVERIES))),
    ...(await keysUnder(ports, partition, under(REVISIONS))),
  ]);
  const pingUrls = await keysUnder(ports, partition, under(PING_URLS));
  // Each with what leads to it, so that a crash leaves what names the rest.
  await deleteAll(
    ports,
    pingUrls.flatMap((own) => [keys.pingUrl(own.sk.slice(PING_URLS.length)), own]),
  );
  await reclaimSlugs(env, { tenant_id, check_id });
  await settleCell(env, { tenant_id, cell: cellOf(check_id) });
  // Last, since it alone names the channels: a crash before this leaves it for the next try.
  await deleteAll(ports, [keys.policy(tenant_id, check_id)]);
}
