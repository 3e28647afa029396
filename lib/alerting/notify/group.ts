import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { Alert } from '#lib/channels/alert.ts';
import type { Env } from '#lib/env.ts';
import { under } from '#lib/keys.ts';
import { chunks } from '#lib/platform/plain-data.ts';
import { type DeliveryItem, type GroupMember, isFinished } from './delivery-item.ts';
import { type AttemptOutcome, isLastOutcome, recordOutcome } from './record-outcome.ts';

/** Maximum number of alerts in one message, and of names in it. */
const MAX_GROUPED = 200;
const NAMED = 10;

/** Recheck interval (ms) of a delivery that another one of its group sends. */
const RECHECK_MS = 10_000;

/**
 * Returns the deliveries of one message, this one first; or a recheck (epoch ms) while another one sends it: the first
 * unfinished delivery, so that the next one takes over after a crash.
 */
export async function groupOf(env: Env, delivery: DeliveryItem): Promise<DeliveryItem[] | { again: number }> {
  const { ports, keys } = env;
  const { tenant_id, group_id, leads_to, id } = delivery;
  if (!group_id || !leads_to) return [delivery];
  const query = { partition: keys.groups(tenant_id), ...under(`${group_id}#${leads_to}#`) };
  const { items } = await ports.table.query<GroupMember>({ ...query, limit: 1 });
  if (items[0] && items[0].delivery_id < id) return { again: ports.clock.now() + RECHECK_MS };
  const { items: all } = await ports.table.query<GroupMember>({ ...query, limit: MAX_GROUPED });
  const others = all.map(({ delivery_id }) => delivery_id).filter((one) => one !== id);
  const found = await ports.table.getMany<DeliveryItem>(others.map((one) => keys.delivery(tenant_id, one)));
  return [delivery, ...found.filter((one) => one !== undefined && !isFinished(one)).map((one) => one!)];
}

/** Returns the text data of a group: the number of failures, the first names, and the root cause. */
export async function describeGroup(
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

const AT_ONCE = 20;

/** Records the outcome of the other deliveries in a message; call it before that of the sender, which is retried. */
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
