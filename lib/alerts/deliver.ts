import { type AccountItem, boundTo, isDisabled } from '#lib/access/account.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Channel, PolicyItem } from '#lib/checks/policy-item.ts';
import type { TransitionItem } from '#lib/health/transition-item.ts';
import type { Keys } from '#lib/keys.ts';
import type { MessageOf } from '#lib/messages.ts';
import { oneAtATime } from '#lib/platform/lock.ts';
import type { Egress } from '#lib/platform/net.ts';
import type { Item } from '#lib/platform/ports.ts';
import { type Alert, alertOf, testAlertOf } from './alert.ts';
import type { ChannelType } from './channel-type.ts';
import { type DeliveryItem, isOver } from './delivery-item.ts';
import { followUp } from './follow-up.ts';
import { type Address, slowDown, takeTurn } from './pace.ts';
import { type AttemptOutcome, recordOutcome } from './record-outcome.ts';
import { channelTypeOf } from './registry.ts';
import { type SendWorld, sendAlert } from './send.ts';

export type DeliverWorld = SendWorld & { keys: Keys };

/**
 * One attempt of a delivery, recorded. At least once: a crash between sending and recording sends again, under the same
 * delivery id. A retry is a delayed message; nothing waits here.
 * @param last the message is not given again: instead of a try that may be cut off, the delivery ends as failed
 */
export function deliver(world: DeliverWorld, message: MessageOf<'delivery'>, last: boolean): Promise<void> {
  // A message that is given again after a crash may fall due together with the retry that it had sent: the second of
  // them waits for what the first one records, and makes no attempt of its own.
  return oneAtATime(world.ports.table, message.delivery_id, () => deliverOnce(world, message, last));
}

async function deliverOnce(world: DeliverWorld, message: MessageOf<'delivery'>, last: boolean): Promise<void> {
  const { ports, keys } = world;
  const delivery = await ports.table.get<DeliveryItem>(keys.delivery(message.tenant_id, message.delivery_id));
  if (!delivery) return ports.log.warn('a delivery is gone', message);
  if (isOver(delivery)) return followUp(world, delivery);
  if (last) {
    const error = `given up: the service failed each time that it tried${delivery.error && `; before that: ${delivery.error}`}`;
    await conclude(world, await recordOutcome(world, delivery, { status: 'failed', error, final: true }));
    throw new Error(`delivery ${delivery.id} was given up; see the errors logged for it`);
  }
  const { turn } = message;
  const wait = Math.max(delivery.next_attempt_at ?? 0, turn ?? 0);
  if (ports.clock.now() < wait) return tryLater(world, delivery, wait, turn);

  const outcome = await attempt(world, delivery, turn);
  if (outcome.status === 'waiting') return tryLater(world, delivery, outcome.turn, outcome.turn);
  const after = await recordOutcome(world, delivery, outcome);
  ports.log.info('an alert was attempted', {
    tenant_id: after.tenant_id,
    delivery_id: after.id,
    check_id: after.check_id,
    transition_id: after.transition_id,
    channel_type: after.channel_type,
    status: after.status,
    attempts: after.attempts,
    error: after.error,
  });
  if (after.status !== 'retrying') return conclude(world, after);
  await tryLater(world, after, after.next_attempt_at ?? 0, outcome.status === 'slowed' ? outcome.turn : undefined);
}

/** What follows when a delivery has just ended; one that failed is counted, as the log may leave its line out. */
function conclude(world: DeliverWorld, delivery: DeliveryItem): Promise<void> {
  if (delivery.status === 'failed') world.ports.metrics.count('FailedDeliveries');
  return followUp(world, delivery);
}

/** A message waits 15 minutes at most; a later turn is waited for in stages. */
const LONGEST_WAIT_MS = 14 * 60_000;

function tryLater(
  world: DeliverWorld,
  { tenant_id, id }: DeliveryItem,
  at: number,
  turn: number | undefined,
): Promise<void> {
  const { queues, clock } = world.ports;
  const body: MessageOf<'delivery'> = { tenant_id, delivery_id: id, ...(turn !== undefined && { turn }) };
  return queues.send('delivery', [{ body, not_before: Math.min(at, clock.now() + LONGEST_WAIT_MS) }]);
}

/** For so long (ms) from its making on, waiting for a turn and a 429 are no attempt of a delivery. */
const PATIENCE_MS = 3_600_000;

/** Epoch ms: until then it takes turns. Its making, not the alert's: that may lie hours back when the service was away. */
const patientUntil = ({ made_at, created_at }: DeliveryItem): number =>
  (made_at ?? Date.parse(created_at)) + PATIENCE_MS;

/**
 * Reads what is to be told to whom as of now, and sends it, unless it has to wait for its turn at the receiver.
 * @param turn the turn that it took before, if any
 */
export async function attempt(
  world: DeliverWorld,
  delivery: DeliveryItem,
  turn?: number,
): Promise<AttemptOutcome | { status: 'waiting'; turn: number }> {
  const ready = await prepare(world, delivery);
  if ('status' in ready) return ready;
  const address = addressOf(world, delivery, ready.channel);
  const wait = address && (await takeTurn(world, address, turn));
  if (!address || wait === undefined) return sendOnce(world, ready, address);
  return { status: 'waiting', turn: Math.min(wait, address.until) };
}

/** The same out of turn: for a test, which somebody waits for. */
export async function attemptNow(world: DeliverWorld, delivery: DeliveryItem): Promise<AttemptOutcome> {
  const ready = await prepare(world, delivery);
  return 'status' in ready ? ready : sendOnce(world, ready, undefined);
}

async function sendOnce(
  world: DeliverWorld,
  { type, channel, alert, egress }: Ready,
  address: PatientAddress | undefined,
): Promise<AttemptOutcome> {
  const sent_at = world.ports.clock.now();
  const refusal = await sendAlert(world, type, channel.config, alert, egress);
  if (!refusal) return { status: 'sent' };
  if (refusal.retry_after_ms === undefined || !address) return { status: 'failed', error: refusal.error };
  const turn = await slowDown(world, address, refusal.retry_after_ms, sent_at);
  return { status: 'slowed', error: refusal.error, turn: Math.min(turn, address.until) };
}

/** `until`: epoch ms, the latest turn that it waits for. */
type PatientAddress = Address & { until: number };

/** Where a delivery takes turns; undefined on NATS, and for one that has waited enough. */
function addressOf({ ports }: DeliverWorld, delivery: DeliveryItem, { config }: Channel): PatientAddress | undefined {
  const until = patientUntil(delivery);
  if (config.url === undefined || ports.clock.now() >= until) return undefined;
  return { tenant_id: delivery.tenant_id, url: config.url, until };
}

type Ready = { type: ChannelType; channel: Channel; alert: Alert; egress: Egress };

async function prepare({ ports, keys }: DeliverWorld, delivery: DeliveryItem): Promise<Ready | AttemptOutcome> {
  const { tenant_id, check_id, entity_id, transition_sk } = delivery;
  const [account, entity, check, policy, transition] = await ports.table.getMany<Item>([
    keys.account(tenant_id),
    keys.entity(tenant_id, entity_id),
    keys.check(tenant_id, check_id),
    keys.policy(tenant_id, check_id),
    ...(transition_sk === null ? [] : [{ pk: keys.ofCheck(tenant_id, check_id), sk: transition_sk }]),
  ]);
  if (!account || isDisabled(account as AccountItem)) return never('the account is disabled');
  if (!entity) return never('the entity was deleted', true);
  if (!check && delivery.kind !== 'closed') return never('the check was deleted', true);
  const channel =
    delivery.channel ?? (policy as PolicyItem | undefined)?.channels.find((one) => one.id === delivery.channel_id);
  if (!channel) return never('the channel was removed', true);
  const type = channelTypeOf(channel.channel_type);
  if (!type) return never(`this release knows no channel type ${channel.channel_type}`);
  const egress = boundTo(ports.settings, account as AccountItem).CHECK_EGRESS;
  if (delivery.kind === 'test') {
    return { type, channel, alert: testAlertOf(delivery, check as CheckItem, entity as EntityItem), egress };
  }
  if (!transition) return never('the transition that it tells of is no longer kept');
  return { type, channel, alert: alertOf(delivery, transition as TransitionItem), egress };
}

const never = (error: string, orphan = false): AttemptOutcome => ({ status: 'failed', error, final: true, orphan });
