import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { Alert } from '#lib/channels/alert.ts';
import { MAX_COMBINED } from '#lib/channels/combined.ts';
import { channelTypeOf } from '#lib/channels/registry.ts';
import type { Env } from '#lib/env.ts';
import { under } from '#lib/keys.ts';
import { chunks } from '#lib/platform/plain-data.ts';
import { type DeliveryItem, type GroupMember, groupedBy, isFinished } from './delivery-item.ts';
import { type AttemptOutcome, isLastOutcome, recordOutcome } from './record-outcome.ts';

/**
 * Two kinds of messages contain several alerts. A message about a recovered root cause (`group_id`) reports all alerts
 * that were held for that cause as one alert, with their number. A combined message (`combines`) contains all alerts
 * that wait for a channel, with `group_seconds` or beyond a limit of the account, each with its own text. Receivers
 * that open a case per check get the alerts one by one.
 */

/** Maximum number of alerts in a message about a root cause, and of names in it. */
const MAX_GROUPED = 200;
const NAMED = 10;
/** Maximum number of waiting alerts that a combined message counts. */
const MAX_COUNTED = 1_000;

/** Shortest and longest wait (ms) until a recheck of a delivery that another delivery is to send in its message. */
const RECHECK_MS = 10_000;
const MAX_RECHECK_MS = 600_000;

/** The deliveries of one message, its sender first. `following`: number of deliveries left for further messages. */
export type Together = { deliveries: [DeliveryItem, ...DeliveryItem[]]; following: number };

/** Returns the id of the first unfinished delivery of a group, which sends the next message. */
export async function firstOfGroup({ ports, keys }: Env, delivery: DeliveryItem): Promise<string | undefined> {
  const shared = groupedBy(delivery);
  if (shared === undefined) return undefined;
  const query = { partition: keys.groups(delivery.tenant_id), ...under(`${shared}#`), limit: 1 };
  return (await ports.table.query<GroupMember>(query)).items[0]?.delivery_id;
}

/**
 * Returns the deliveries of one message, this one first. If another delivery sends the message, returns the time of a
 * recheck (epoch ms) instead. The first unfinished delivery sends it, so that the next one takes over after a crash.
 */
export async function groupOf(env: Env, delivery: DeliveryItem): Promise<Together | { recheck_at: number }> {
  const { ports, keys } = env;
  const { tenant_id, id, combines, channel_type, made_at } = delivery;
  const shared = groupedBy(delivery);
  if (shared === undefined) return { deliveries: [delivery], following: 0 };
  const first = await firstOfGroup(env, delivery);
  if (first !== undefined && first < id) {
    const now = ports.clock.now();
    // The sender enqueues the next one; the recheck is for a crash before that. The waits grow: thousands can wait.
    return { recheck_at: now + Math.min(Math.max(RECHECK_MS, now - (made_at ?? now)), MAX_RECHECK_MS) };
  }
  if (combines && channelTypeOf(channel_type)?.has_cases) return { deliveries: [delivery], following: 0 };
  const [most, read] = combines ? [MAX_COMBINED, MAX_COUNTED] : [MAX_GROUPED, MAX_GROUPED];
  const query = { partition: keys.groups(tenant_id), ...under(`${shared}#`) };
  const { items: all } = await ports.table.query<GroupMember>({ ...query, limit: read });
  const others = all.map(({ delivery_id }) => delivery_id).filter((one) => one !== id);
  const named = others.slice(0, most - 1).map((one) => keys.delivery(tenant_id, one));
  const found = await ports.table.getMany<DeliveryItem>(named);
  const unfinished = found.filter((one) => one !== undefined && !isFinished(one)).map((one) => one!);
  return { deliveries: [delivery, ...unfinished], following: Math.max(0, others.length + 1 - most) };
}

/** Returns the text data of a group: the number of failures, the names of the first entities, and the root cause. */
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

/** Another delivery of a message. `affected`: number of affected entities, if its own alert names it. */
export type OtherDelivery = { delivery: DeliveryItem; affected?: number | undefined };

/**
 * Records the final outcome of a message for its other deliveries. To be called before the outcome of the sender is
 * recorded, because after a crash the sender sends and records again.
 */
export async function recordOthers(
  env: Env,
  sender: DeliveryItem,
  outcome: AttemptOutcome,
  others: readonly OtherDelivery[],
  conclude: (delivery: DeliveryItem) => Promise<void>,
): Promise<void> {
  if (!isLastOutcome(outcome, sender.attempts)) return;
  const shared = outcome.status === 'failed' ? { ...outcome, final: true } : outcome;
  // One after the other for a check, because its deliveries write the same item, the latest delivery of the channel.
  const recordAll = async (ofCheck: OtherDelivery[]): Promise<void> => {
    for (const { delivery, ...own } of ofCheck)
      await conclude(await recordOutcome(env, delivery, { ...shared, ...own }));
  };
  for (const some of chunks([...Map.groupBy(others, (one) => one.delivery.check_id).values()], AT_ONCE)) {
    await Promise.all(some.map(recordAll));
  }
}
