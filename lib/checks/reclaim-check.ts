import { type EntryKind, type Keys, REVISIONS } from '#lib/keys.ts';
import type { Key, Ports } from '#lib/platform/ports.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/retry.ts';
import type { PolicyItem } from './policy-item.ts';

/** Entries of the schedule that a check may have; those of actions stay with their actions. */
const ENTRY_KINDS: EntryKind[] = ['probe', 'silence', 'repeat', 'catch_up'];
const LAST_DELIVERIES = 'LAST#';
/** Deletes in one transaction, which has at most 100 writes. */
const CHUNK = 50;

/**
 * Removes what a deleted check left behind: its schedule, policy, channels and revisions. Results, transitions and
 * deliveries expire by themselves. Nothing is done while the check is there: the message goes out before the deletion,
 * which then did not take place. Repeatable.
 */
export async function reclaimCheck(
  ports: Pick<Ports, 'table' | 'clock' | 'ids'>,
  keys: Keys,
  { tenant_id, entity_id, check_id }: { tenant_id: string; entity_id: string; check_id: string },
): Promise<void> {
  if (await ports.table.get(keys.check(tenant_id, check_id))) return;
  const policy = await ports.table.get<PolicyItem>(keys.policy(tenant_id, check_id));
  const partition = keys.ofCheck(tenant_id, check_id);
  await deleteAll(ports, [
    ...ENTRY_KINDS.map((kind) => keys.entry(kind, tenant_id, entity_id, check_id)),
    ...(policy?.channels ?? []).map(({ id }) => keys.channelPointer(tenant_id, id)),
    ...(await keysUnder(ports, partition, LAST_DELIVERIES)),
    ...(await keysUnder(ports, partition, REVISIONS)),
  ]);
  // Last, since it alone names the channels: a crash before this leaves it for the next try.
  await deleteAll(ports, [keys.policy(tenant_id, check_id)]);
}

async function keysUnder({ table }: Pick<Ports, 'table'>, partition: string, prefix: string): Promise<Key[]> {
  const found: Key[] = [];
  let after: string | undefined;
  do {
    const page = await table.query({ partition, prefix, ...(after !== undefined && { after }) });
    found.push(...page.items.map(({ pk, sk }) => ({ pk, sk })));
    after = page.next;
  } while (after !== undefined);
  return found;
}

async function deleteAll(ports: Pick<Ports, 'table' | 'clock' | 'ids'>, gone: Key[]): Promise<void> {
  for (let from = 0; from < gone.length; from += CHUNK) {
    const writes = gone.slice(from, from + CHUNK).map((key) => ({ delete: key }));
    await untilDone(ports, async () => ((await commit(ports, writes)).ok ? true : AGAIN));
  }
}
