import { recountCell } from '#lib/checks/settings/cells.ts';
import { reclaimSlugs } from '#lib/checks/settings/check-slugs.ts';
import type { Env } from '#lib/env.ts';
import { cellOf, type EntryKind, PING_URLS, REVISIONS, under } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import { deleteAll, keysUnder } from '#lib/platform/table/reclaim.ts';

const ENTRY_KINDS: EntryKind[] = ['missed_heartbeat', 'reminder', 'late', 'escalation', 'impact', 'hold'];
const LAST_DELIVERIES = 'LAST#';

type StoredPolicy = Item & { channels: readonly { id: string }[] };

/**
 * Removes the items of a deleted check that do not expire; results, transitions and pings do. Does nothing if the check
 * exists, because the message is sent before the deletion, which may fail. Repeatable.
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
    keys.silence(tenant_id, check_id),
    ...ENTRY_KINDS.map((kind) => keys.entry(kind, tenant_id, check_id)),
    ...(policy?.channels ?? []).map(({ id }) => keys.channelPointer(tenant_id, id)),
    ...(await keysUnder(ports, partition, under(LAST_DELIVERIES))),
    ...(await keysUnder(ports, partition, under(REVISIONS))),
  ]);
  const pingUrls = await keysUnder(ports, partition, under(PING_URLS));
  // Deleted in pairs, so that a crash leaves the keys that lead to the rest.
  await deleteAll(
    ports,
    pingUrls.flatMap((key) => [keys.pingUrl(key.sk.slice(PING_URLS.length)), key]),
  );
  await reclaimSlugs(env, { tenant_id, check_id });
  await recountCell(env, { tenant_id, cell: cellOf(check_id) });
  // Last, because only the policy names the channels: after an earlier crash, the retry needs it.
  await deleteAll(ports, [keys.policy(tenant_id, check_id)]);
}
