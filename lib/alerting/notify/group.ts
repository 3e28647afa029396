import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { Alert } from '#lib/channels/alert.ts';
import type { Env } from '#lib/env.ts';
import { under } from '#lib/keys.ts';
import { chunks } from '#lib/platform/plain-data.ts';
import { type DeliveryItem, type GroupMember, isFinished } from './delivery-item.ts';
import { type AttemptOutcome, isLastOutcome, recordOutcome } from './record-outcome.ts';

/** Most that one message tells of, and most that it names. */
const MAX_GROUPED = 200;
const NAMED = 10;

/** One that another sends looks after this time (ms) whether it was told of. */
const LOOK_AGAIN_MS = 10_000;

/**
 * The deliveries that one message tells of together with this one, itself first; or when to look again (epoch ms), as
 * another one sends it. The first of those that are not over sends: each process finds the same one, and what became
 * of a process that died is seen by the next.
 */
export async function groupOf(env: Env, delivery: DeliveryItem): Promise<DeliveryItem[] | { again: number }> {
  const { ports, keys } = env;
  const { tenant_id, group_id, leads_to, id } = delivery;
  if (!group_id || !leads_to) return [delivery];
  const query = { partition: keys.groups(tenant_id), ...under(`${group_id}#${leads_to}#`) };
  const { items } = await ports.table.query<GroupMember>({ ...query, limit: 1 });
  if (items[0] && items[0].delivery_id < id) return { again: ports.clock.now() + LOOK_AGAIN_MS };
  const { items: all } = await ports.table.query<GroupMember>({ ...query, limit: MAX_GROUPED });
  const others = all.map(({ delivery_id }) => delivery_id).filter((one) => one !== id);
  const found = await ports.table.getMany<DeliveryItem>(others.map((one) => keys.delivery(tenant_id, one)));
  return [delivery, ...found.filter((one) => one !== undefined && !isFinished(one)).map((one) => one!)];
}

/** What a message says of its group: how many fail, the names of the first, and what they followed from. */
export async function shownGroup(
  { ports, keys }: Env,
  item: AlertItem | undefined,
  together: readonly DeliveryItem[],
): Promise<Pick<Alert, 'group'>> {
  if (!item?.group) return { group: null };
  const { id, root_entity_name } = item.group;
  const named = together
    .slice(0, NAMED)
    .flatMap(({ tenant_id, check_id, transition_sk: sk }) =>
      sk === null ? [] : [{ pk: keys.ofCheck(tenant_id, check_id), sk }],
    );
  const transitions = await ports.table.getMany<DecidedTransition>(named);
  const names = [...new Set(transitions.flatMap((one) => (one ? [one.entity_name] : [])))];
  return { group: { id, root_entity_name, count: together.length, names } };
}

/** Deliveries of a group whose outcome is recorded side by side. */
const AT_ONCE = 20;

/**
 * What one message told of is over with it; to be recorded before the one that sent it: should this process die in
 * between, that sends once more, of those that are left. What is to be tried again, it tries again.
 * @param conclude what follows from each
 */
export async function recordOthers(
  env: Env,
  sender: DeliveryItem,
  outcome: AttemptOutcome,
  others: readonly DeliveryItem[],
  conclude: (delivery: DeliveryItem) => Promise<void>,
): Promise<void> {
  if (!isLastOutcome(outcome, sender.attempts)) return;
  const shared = outcome.status === 'failed' ? { ...outcome, final: true } : outcome;
  for (const some of chunks(others, AT_ONCE)) {
    await Promise.all(some.map(async (other) => conclude(await recordOutcome(env, other, shared))));
  }
}
