import { type AccountItem, boundTo, isDisabled } from '#lib/access/account.ts';
import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { AccountChannel } from '#lib/alerting/policy/account-alerting.ts';
import { channelIn, channelPlace } from '#lib/alerting/policy/channel-field.ts';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { Alert } from '#lib/channels/alert.ts';
import { channelTypeOf } from '#lib/channels/registry.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import { MAX_WAIT_MS, type MessageOf } from '#lib/messages.ts';
import type { RetryBudget } from '#lib/platform/batch.ts';
import { type FairSemaphore, NO_PERMIT } from '#lib/platform/sharing/fair-semaphore.ts';
import { oneAtATime } from '#lib/platform/table/retry.ts';
import { alertLinks } from './alert-links.ts';
import { type DeliveryItem, isFinished } from './delivery-item.ts';
import { followUp } from './follow-up.ts';
import { groupOf, recordOthers, shownGroup } from './group.ts';
import { accountTestOf, alertOf, impactOf, testAlertOf } from './make-alert.ts';
import {
  type PacedUrl,
  paceAfterRateLimit,
  paceAfterSuccess,
  paceAfterTimeout,
  reserveSendNow,
  reserveSendTime,
  type Wait,
} from './pacing.ts';
import { type AttemptOutcome, recordOutcome, recordWaiting } from './record-outcome.ts';
import { type Ready, type SendEnv, sendAlert } from './send.ts';

type AttemptEnv = SendEnv & Env;
type DeliverEnv = AttemptEnv & { places: FairSemaphore };

/**
 * One attempt of a delivery, recorded. At least once: a crash between sending and recording sends again, under the same
 * delivery id. A retry is a delayed message; nothing waits here.
 * After a fault of the service the message comes again; with its last receive the delivery ends as failed.
 */
export function deliver(env: DeliverEnv, message: MessageOf<'delivery'>, chance: RetryBudget): Promise<void> {
  // After a crash, a redelivered message and the retry that it had sent may fall due together. One at a time, so that
  // the second finds what the first recorded and makes no attempt of its own.
  return oneAtATime(env.ports.table, message.delivery_id, () => deliverOnce(env, message, chance));
}

async function deliverOnce(env: DeliverEnv, message: MessageOf<'delivery'>, chance: RetryBudget): Promise<void> {
  const { ports, keys } = env;
  const delivery = await ports.table.get<DeliveryItem>(keys.delivery(message.tenant_id, message.delivery_id));
  if (!delivery) return ports.log.warn('a delivery is gone', message);
  if (isFinished(delivery)) return followUp(env, delivery);
  if (chance === 'over') {
    await endAsFailed(env, delivery);
    throw new Error(`delivery ${delivery.id} was given up; see the errors logged for it`);
  }
  try {
    await attemptNext(env, message, delivery);
  } catch (error) {
    if (chance === 'last') await endAsFailed(env, delivery);
    throw error;
  }
}

/** Ends it as failed, so that it shows in the log. An outcome that was recorded meanwhile stays. */
async function endAsFailed(env: DeliverEnv, delivery: DeliveryItem): Promise<void> {
  const before = delivery.error && `; before that: ${delivery.error}`;
  const error = `given up: the service failed each time that it tried${before}`;
  await conclude(env, await recordOutcome(env, delivery, { status: 'failed', error, final: true }));
}

/** The attempt that is due; otherwise, or when one more is to follow, a message for later. */
async function attemptNext(env: DeliverEnv, { turn }: MessageOf<'delivery'>, delivery: DeliveryItem): Promise<void> {
  const { ports } = env;
  const wait = Math.max(delivery.next_attempt_at ?? 0, turn ?? 0);
  if (ports.clock.now() < wait) return tryLater(env, delivery, wait, turn);

  const together = await groupOf(env, delivery);
  if ('again' in together) return tryLater(env, delivery, together.again, turn);
  const outcome = await sendAttempt(env, delivery, turn, together);
  if (outcome.status === 'waiting') {
    await recordWaiting(env, delivery, outcome);
    return tryLater(env, delivery, outcome.turn, outcome.turn);
  }
  await recordOthers(env, delivery, outcome, together.slice(1), (other) => conclude(env, other));
  const after = await recordOutcome(env, delivery, outcome);
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
  if (after.status !== 'retrying') return conclude(env, after);
  await tryLater(env, after, after.next_attempt_at ?? 0, outcome.status === 'slowed' ? outcome.turn : undefined);
}

/** What follows when a delivery has just ended. A failed one is also counted, as LOG_LEVEL may drop its line. */
function conclude(env: DeliverEnv, delivery: DeliveryItem): Promise<void> {
  if (delivery.status === 'failed') env.ports.metrics.count('FailedDeliveries');
  return followUp(env, delivery);
}

function tryLater(
  env: DeliverEnv,
  { tenant_id, id }: DeliveryItem,
  at: number,
  turn: number | undefined,
): Promise<void> {
  const { queues, clock } = env.ports;
  const body = { tenant_id, delivery_id: id, turn };
  return queues.send('delivery', [{ body, not_before: Math.min(at, clock.now() + MAX_WAIT_MS), group: tenant_id }]);
}

/** For this long (ms) after a delivery was made, neither waiting for a turn nor a 429 counts as an attempt. */
const PATIENCE_MS = 3_600_000;

/** Until when (epoch ms) it takes turns; from the first write on, as the alert may be hours old after an outage. */
const patientUntil = ({ made_at, created_at }: DeliveryItem): number =>
  (made_at ?? Date.parse(created_at)) + PATIENCE_MS;

/**
 * Reads alert and channel as they are now, and sends the alert, unless it has to wait for its turn at the receiver.
 * @param turn the turn that it took before, if any
 * @param together all that the message tells of, this one first
 */
async function sendAttempt(
  env: DeliverEnv,
  delivery: DeliveryItem,
  turn: number | undefined,
  together: readonly DeliveryItem[],
): Promise<AttemptOutcome | Waiting> {
  const ready = await prepare(env, delivery, together);
  if ('status' in ready) return ready;
  const address = addressOf(delivery, ready);
  if (!address) return sendOnce(env, ready, undefined);
  const { wait, after_timeouts } = await reserveSendTime(env, address, turn);
  const now = env.ports.clock.now();
  if (!wait) return sendInPlace(env, ready, now < address.until ? { ...address, after_timeouts } : undefined);
  if (now < address.until) return { ...wait, status: 'waiting', turn: Math.min(wait.at, address.until) };
  return wait.is_open ? never('given up: the receiver did not answer for an hour') : sendInPlace(env, ready, undefined);
}

type Waiting = { status: 'waiting'; turn: number } & Pick<Wait, 'why' | 'is_open'>;

const CROWDED_MS = 1_000;
const CROWDED = 'waits: as many deliveries as there may be at once are under way to its receiver or in its account';

/** Sends it when there is a place: few deliveries at once go to one URL, and those of one tenant leave room. */
async function sendInPlace(
  env: DeliverEnv,
  ready: Ready,
  address: PatientAddress | undefined,
): Promise<AttemptOutcome | Waiting> {
  const { tenant_id } = ready.alert.event;
  const claim = { tenant: tenant_id, target: receiverOf(ready) };
  const outcome = await env.places.run(claim, () => sendOnce(env, ready, address));
  if (outcome !== NO_PERMIT) return outcome;
  return { status: 'waiting', turn: env.ports.clock.now() + CROWDED_MS, why: CROWDED, is_open: false };
}

/** The same now or not at all: for a test, whose caller waits. Without a turn now, the error says when the next is. */
export async function attemptNow(env: AttemptEnv, delivery: DeliveryItem): Promise<AttemptOutcome> {
  const ready = await prepare(env, delivery);
  if ('status' in ready) return ready;
  const address = addressOf(delivery, ready);
  if (!address) return sendOnce(env, ready, undefined);
  const inSeconds = (at: number) => `${Math.ceil((at - env.ports.clock.now()) / 1000)} s`;
  const { wait, after_timeouts } = await reserveSendNow(env, address);
  if (wait) {
    const error = `not sent: ${wait.why}; its next turn is in ${inSeconds(wait.at)}`;
    return { status: 'failed', error, final: true };
  }
  const outcome = await sendOnce(env, ready, { ...address, after_timeouts });
  if (outcome.status !== 'slowed') return outcome;
  return { status: 'failed', error: `${outcome.error}; its next turn is in ${inSeconds(outcome.turn)}` };
}

async function sendOnce(env: AttemptEnv, ready: Ready, address: PatientAddress | undefined): Promise<AttemptOutcome> {
  const sent_at = env.ports.clock.now();
  const refusal = await sendAlert(env, ready);
  if (address && refusal?.timed_out) await paceAfterTimeout(env, address, sent_at);
  else if (address?.after_timeouts) await paceAfterSuccess(env, address);
  if (!refusal) return { status: 'sent', affected: ready.alert.affected?.count };
  if (refusal.retry_after_ms === undefined || !address) return { status: 'failed', error: refusal.error };
  const turn = await paceAfterRateLimit(env, address, refusal.retry_after_ms, sent_at);
  return { status: 'slowed', error: refusal.error, turn: Math.min(turn, address.until) };
}

/** Where a delivery takes turns. `until`: epoch ms, the latest turn that it waits for. */
type PatientAddress = PacedUrl & { until: number; after_timeouts?: boolean };

/** Who takes turns, and few at once: one receiver. Of a mail each address is one, as the server is everybody's. */
function receiverOf({ send }: Ready): string | undefined {
  if (send.via === 'http') return send.receiver ?? send.url;
  return send.via === 'smtp' ? `mailto:${send.mail.to.join(',')}` : undefined;
}

/** Undefined on NATS, which takes no turns. */
function addressOf(delivery: DeliveryItem, ready: Ready): PatientAddress | undefined {
  const url = receiverOf(ready);
  return url === undefined ? undefined : { tenant_id: delivery.tenant_id, url, until: patientUntil(delivery) };
}

async function prepare(
  { ports, keys }: AttemptEnv,
  delivery: DeliveryItem,
  together: readonly DeliveryItem[] = [delivery],
): Promise<Ready | AttemptOutcome> {
  const { tenant_id, check_id, entity_id, transition_sk, alert } = delivery;
  const [account, entity, check, place, transition, item] = await ports.table.getMany<
    [AccountItem, EntityItem, CheckItem, PolicyItem | AccountChannel, ...(DecidedTransition & AlertItem)[]]
  >([
    keys.account(tenant_id),
    keys.entity(tenant_id, entity_id),
    keys.check(tenant_id, check_id),
    channelPlace(keys, tenant_id, check_id, delivery.channel_id),
    ...[transition_sk, alert?.sk].flatMap((sk) => (sk ? [{ pk: keys.ofCheck(tenant_id, check_id), sk }] : [])),
  ]);
  if (!account || isDisabled(account)) return never('the account is disabled');
  const isAboutAccount = delivery.kind === 'test' && check_id === '';
  if (!entity && !isAboutAccount) return never('the entity was deleted', true);
  if (!check && !isAboutAccount && delivery.kind !== 'closed') return never('the check was deleted', true);
  const channel = delivery.channel ?? channelIn(place, delivery.channel_id);
  if (!channel) return never('the channel was removed', true);
  const type = channelTypeOf(channel.channel_type);
  if (!type) return never(`this release knows no channel type ${channel.channel_type}`);
  const egress = boundTo(ports.settings, account).CHECK_EGRESS;
  const ready = (alert: Alert): Ready => {
    const { config } = channel;
    return { type, config, alert, egress, send: type.render(alert, config) };
  };
  const now = ports.clock.now();
  if (isAboutAccount) return ready(accountTestOf(delivery, account, now));
  const about = { entity: entity!, check, public_url: ports.settings.PUBLIC_URL, now };
  if (delivery.kind === 'test') return ready(testAlertOf(delivery, { ...about, check: check! }));
  if (!transition) return never('the transition that it is about is no longer kept');
  const links = alertLinks(delivery, { account, ...about });
  const told = (item?.to ?? []).flatMap(({ channel_type }) => channelTypeOf(channel_type)?.title ?? []);
  const [others, group] = await Promise.all([
    impactOf({ ports, keys, tenant: tenant_id }, entity!, item),
    shownGroup({ ports, keys }, item, together),
  ]);
  return ready({ ...alertOf(delivery, transition, item, { ...about, ...links, told }), ...others, ...group });
}

const never = (error: string, orphan = false): AttemptOutcome => ({ status: 'failed', error, final: true, orphan });
