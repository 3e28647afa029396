import { type AccountItem, isDisabled, settingsFor } from '#lib/access/account.ts';
import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { AccountChannel } from '#lib/alerting/policy/account-alerting.ts';
import { channelIn, channelKey } from '#lib/alerting/policy/channel-location.ts';
import { destinationOf, type PolicyItem } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { Alert } from '#lib/channels/alert.ts';
import type { Send } from '#lib/channels/channel-type.ts';
import { combinedAlert } from '#lib/channels/combined.ts';
import { channelTypeOf } from '#lib/channels/registry.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import { type DeliveryMessage, MAX_WAIT_MS } from '#lib/messages.ts';
import type { RetryBudget } from '#lib/platform/batch.ts';
import { type FairSemaphore, NO_PERMIT } from '#lib/platform/sharing/fair-semaphore.ts';
import { oneAtATime } from '#lib/platform/table/retry.ts';
import { linksAddress } from '#lib/settings.ts';
import { alertLinks } from './alert-links.ts';
import { reserveMessage } from './alert-rate.ts';
import { type DeliveryItem, groupedBy, isFinished } from './delivery-item.ts';
import { followUp } from './follow-up.ts';
import { describeGroup, firstOfGroup, groupOf, type OtherDelivery, recordOthers, type Together } from './group.ts';
import { accountTestOf, alertOf, impactOf, messageAlertOf, testAlertOf } from './make-alert.ts';
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
type DeliverEnv = AttemptEnv & { permits: FairSemaphore };

/**
 * Makes and records one attempt, at least once: after a crash it sends again, with the same id. Retries are delayed
 * messages. After an internal error on the last receive, the delivery ends as failed.
 */
export function deliver(env: DeliverEnv, message: DeliveryMessage, retries: RetryBudget): Promise<void> {
  // After a crash, a redelivered message and the retry that it sent can be due together. Handled one at a time, the
  // second finds the outcome of the first and does not send.
  return oneAtATime(env.ports.table, message.delivery_id, () => deliverOnce(env, message, retries));
}

async function deliverOnce(env: DeliverEnv, message: DeliveryMessage, retries: RetryBudget): Promise<void> {
  const { ports, keys } = env;
  const delivery = await ports.table.get<DeliveryItem>(keys.delivery(message.tenant_id, message.delivery_id));
  if (!delivery) return ports.log.warn('delivery not found', message);
  if (isFinished(delivery)) return followUp(env, delivery);
  if (retries === 'over') {
    await endAsFailed(env, delivery);
    throw new Error(`delivery ${delivery.id} was given up; see the errors logged for it`);
  }
  try {
    await attemptNext(env, message, delivery);
  } catch (error) {
    if (retries === 'last') await endAsFailed(env, delivery);
    throw error;
  }
}

/** Ends a delivery as failed, so that it appears in the log. An outcome recorded in the meantime stays. */
async function endAsFailed(env: DeliverEnv, delivery: DeliveryItem): Promise<void> {
  const before = delivery.error && `; last error: ${delivery.error}`;
  const error = `given up after repeated internal errors${before}`;
  await conclude(env, await recordOutcome(env, delivery, { status: 'failed', error, final: true }));
}

/** Extra wait (ms) of a second queue message for a delivery; longer than the attempt that the first one makes. */
export const FURTHER_MS = 30_000;

/** Makes the due attempt. Sends a delayed message if it is not due yet or another attempt follows. */
async function attemptNext(env: DeliverEnv, { turn, due }: DeliveryMessage, delivery: DeliveryItem): Promise<void> {
  const { ports } = env;
  const dueAt = Math.max(delivery.next_attempt_at ?? 0, turn ?? 0);
  // The message whose `due` is `dueAt` makes the attempt. Other messages wait longer, so that they do not run together
  // with it: one with another `due` always, one without `due` only if it arrives before `dueAt`.
  const later = due === dueAt ? dueAt : dueAt + FURTHER_MS;
  if (ports.clock.now() < (due === undefined ? dueAt : later)) return enqueueLater(env, delivery, later, turn);

  const together = await groupOf(env, delivery);
  if ('recheck_at' in together) return enqueueLater(env, delivery, together.recheck_at, turn);
  const message = await prepareMessage(env, together);
  const outcome = 'status' in message ? message : await sendAttempt(env, delivery, turn, message.ready);
  if (outcome.status === 'waiting') {
    await recordWaiting(env, delivery, outcome);
    return enqueueLater(env, delivery, outcome.at, outcome.turn);
  }
  const { others = [] } = 'status' in message ? {} : message;
  const recorded =
    outcome.status === 'sent' && delivery.combines && others.length > 0
      ? { ...outcome, combined_in: delivery.id }
      : outcome;
  await recordOthers(env, delivery, recorded, others, (other) => conclude(env, other));
  const after = await recordOutcome(env, delivery, recorded);
  ports.metrics.tally?.('deliveries', after.status);
  ports.log.info('delivery attempted', {
    tenant_id: after.tenant_id,
    delivery_id: after.id,
    check_id: after.check_id,
    transition_id: after.transition_id,
    channel_type: after.channel_type,
    status: after.status,
    attempts: after.attempts,
    error: after.error,
  });
  if (after.status !== 'retrying') {
    await conclude(env, after);
    // The delivery that sends the next message is due now; otherwise it would wait for its recheck.
    const next = await firstOfGroup(env, delivery);
    if (next === undefined) return;
    const { tenant_id } = delivery;
    return ports.queues.send('delivery', [{ body: { tenant_id, delivery_id: next }, group: tenant_id }]);
  }
  await enqueueLater(env, after, after.next_attempt_at ?? 0, outcome.status === 'slowed' ? outcome.turn : undefined);
}

/** Follows up a finished delivery. Failed ones are also counted, because LOG_LEVEL can drop the log line. */
function conclude(env: DeliverEnv, delivery: DeliveryItem): Promise<void> {
  if (delivery.status === 'failed') env.ports.metrics.count('FailedDeliveries');
  return followUp(env, delivery);
}

function enqueueLater(
  env: DeliverEnv,
  { tenant_id, id }: DeliveryItem,
  at: number,
  turn: number | undefined,
): Promise<void> {
  const { queues, clock } = env.ports;
  const body = { tenant_id, delivery_id: id, turn, due: Math.max(at, turn ?? 0) };
  return queues.send('delivery', [{ body, not_before: Math.min(at, clock.now() + MAX_WAIT_MS), group: tenant_id }]);
}

/** Time in ms after the creation of a delivery during which neither waiting nor a 429 counts as an attempt. */
const PATIENCE_MS = 3_600_000;

/** Returns the end of that time (epoch ms), from the first write, because the alert can be hours old by then. */
const waitsUntil = ({ made_at, created_at }: DeliveryItem): number => (made_at ?? Date.parse(created_at)) + PATIENCE_MS;

/** Sends an alert, or returns how long to wait. @param turn reserved send time, if any */
async function sendAttempt(
  env: DeliverEnv,
  delivery: DeliveryItem,
  turn: number | undefined,
  ready: Ready,
): Promise<AttemptOutcome | Waiting> {
  const limited = await waitForRate(env, delivery, ready);
  if (limited) return limited;
  const outcome = await sendPaced(env, delivery, turn, ready);
  if (outcome.status !== 'waiting') return outcome;
  // Later alerts of the channel join a message that a limit delays.
  const joined = outcome.is_limited && {
    ...(delivery.kind !== 'test' && groupedBy(delivery) === undefined && joinOf(ready)),
    next_attempt_at: outcome.at,
  };
  const reservation = !delivery.is_reserved && ({ is_reserved: true } as const);
  return joined || reservation ? { ...outcome, changes: { ...joined, ...reservation } } : outcome;
}

/** Returns the changes with which a delivery joins the others that wait for its channel. */
const joinOf = ({ destination }: Ready) => ({ combines: true, leads_to: destination }) as const;

/** Sends an alert if its receiver can take it now. */
async function sendPaced(
  env: DeliverEnv,
  delivery: DeliveryItem,
  turn: number | undefined,
  ready: Ready,
): Promise<AttemptOutcome | Waiting> {
  const address = addressOf(delivery, ready);
  if (!address) return sendOnce(env, ready, undefined);
  const { wait, after_timeouts } = await reserveSendTime(env, address, turn);
  const now = env.ports.clock.now();
  if (!wait) return sendWithPermit(env, ready, now < address.until ? { ...address, after_timeouts } : undefined);
  const at = Math.min(wait.at, address.until);
  if (now < address.until) return { ...wait, status: 'waiting', at, turn: at };
  return wait.is_open
    ? failedFinally('given up: the receiver did not respond for an hour')
    : sendWithPermit(env, ready, undefined);
}

/** `at`: next handling (epoch ms). `changes`: of the waiting delivery. `is_limited`: a limit of mails delays it. */
type Waiting = Wait & {
  status: 'waiting';
  turn: number | undefined;
  changes?: Partial<DeliveryItem>;
  is_limited?: true;
};

/**
 * Returns the wait of a delivery for the rate limits of account and host; undefined if it can be sent now. It joins the
 * others that wait for its channel. The first one reserves the send time of one message, so that channels take turns.
 */
async function waitForRate(env: DeliverEnv, delivery: DeliveryItem, ready: Ready): Promise<Waiting | undefined> {
  const limit = ready.account.alerts_per_minute_limit;
  if (delivery.is_reserved || delivery.kind === 'test') return undefined;
  const now = env.ports.clock.now();
  const why = `waits: for earlier messages, at most ${limit} per minute (alerts_per_minute_limit) and a tenth at once per host`;
  const waiting = { status: 'waiting', why, is_open: false, turn: undefined } as const;
  const isMember = groupedBy(delivery) !== undefined;
  const changes = joinOf(ready);
  // A later alert must not overtake the waiting ones.
  if (!isMember && (await firstOfGroup(env, { ...delivery, ...changes })) !== undefined)
    return { ...waiting, at: now, changes };
  const rated = { tenant_id: delivery.tenant_id, host: hostOf(ready.send), limit };
  const wait_ms = await reserveMessage(env, rated, isMember);
  if (wait_ms === 0) return undefined;
  if (!isMember) return { ...waiting, at: now, changes };
  return { ...waiting, at: now + wait_ms, changes: { next_attempt_at: now + wait_ms, is_reserved: true } };
}

/** Returns the host that a message is sent to; undefined for NATS and mail, whose servers are the operator's. */
const hostOf = (send: Send): string | undefined => (send.via === 'http' ? new URL(send.url).hostname : undefined);

const CROWDED_MS = 1_000;
const CROWDED = 'waits: too many concurrent deliveries to its receiver or in its account';

/** Sends with a permit, which limits concurrent deliveries per host and per tenant. */
async function sendWithPermit(
  env: DeliverEnv,
  ready: Ready,
  address: PatientAddress | undefined,
): Promise<AttemptOutcome | Waiting> {
  const { tenant_id } = ready.alert.event;
  const claim = { tenant: tenant_id, target: hostOf(ready.send) ?? receiverOf(ready) };
  const outcome = await env.permits.run(claim, () => sendOnce(env, ready, address));
  if (outcome !== NO_PERMIT) return outcome;
  const at = env.ports.clock.now() + CROWDED_MS;
  return { status: 'waiting', at, turn: at, why: CROWDED, is_open: false };
}

/** Sends now or not at all, for a test whose caller waits. Without a free send time, the error says when to retry. */
export async function attemptNow(env: AttemptEnv, delivery: DeliveryItem): Promise<AttemptOutcome> {
  const ready = await prepare(env, delivery);
  if ('status' in ready) return ready;
  const address = addressOf(delivery, ready);
  const inSeconds = (at: number) => `${Math.ceil((at - env.ports.clock.now()) / 1000)} s`;
  const notSent = ({ why, at }: Wait) => failedFinally(`not sent: ${why}; try again in ${inSeconds(at)}`);
  const { wait, after_timeouts = false } = address ? await reserveSendNow(env, address) : {};
  if (wait) return notSent(wait);
  const outcome = await sendOnce(env, ready, address && { ...address, after_timeouts });
  if (outcome.status === 'waiting') return notSent(outcome);
  if (outcome.status !== 'slowed') return outcome;
  return { status: 'failed', error: `${outcome.error}; try again in ${inSeconds(outcome.turn)}` };
}

async function sendOnce(
  env: AttemptEnv,
  ready: Ready,
  address: PatientAddress | undefined,
): Promise<AttemptOutcome | Waiting> {
  const sent_at = env.ports.clock.now();
  const refusal = await sendAlert(env, ready);
  if (refusal?.limited_ms !== undefined) {
    const at = env.ports.clock.now() + refusal.limited_ms;
    return { status: 'waiting', at, turn: undefined, why: refusal.error, is_open: false, is_limited: true };
  }
  if (address && refusal?.timed_out) await paceAfterTimeout(env, address, sent_at);
  else if (address?.after_timeouts) await paceAfterSuccess(env, address);
  if (!refusal || refusal.partly)
    return { status: 'sent', affected: ready.alert.affected?.count, ...(refusal && { error: refusal.error }) };
  if (refusal.final) return failedFinally(refusal.error);
  if (refusal.retry_after_ms === undefined || !address) return { status: 'failed', error: refusal.error };
  const turn = await paceAfterRateLimit(env, address, refusal.retry_after_ms, sent_at);
  return { status: 'slowed', error: refusal.error, turn: Math.min(turn, address.until) };
}

/** The address that pacing applies to. `until`: latest send time to wait for (epoch ms). */
type PatientAddress = PacedUrl & { until: number; after_timeouts?: boolean };

/** Returns the receiver that pacing applies to: for mail the recipients, because all mails share the mail server. */
function receiverOf({ send }: Ready): string | undefined {
  if (send.via === 'http') return send.receiver ?? send.url;
  return send.via === 'smtp' ? `mailto:${send.mail.to.join(',')}` : undefined;
}

/** Returns the paced address; undefined for NATS, which has no pacing. */
function addressOf(delivery: DeliveryItem, ready: Ready): PatientAddress | undefined {
  const url = receiverOf(ready);
  return url === undefined ? undefined : { tenant_id: delivery.tenant_id, url, until: waitsUntil(delivery) };
}

/** Renders a message with the current channel settings. An alert that cannot be sent is omitted and fails later. */
async function prepareMessage(
  env: AttemptEnv,
  { deliveries, following }: Together,
): Promise<{ ready: Ready; others: OtherDelivery[] } | AttemptOutcome> {
  const [sender, ...others] = deliveries;
  const ready = await prepare(env, sender, sender.combines ? [sender] : deliveries);
  if ('status' in ready) return ready;
  if (!sender.combines) return { ready, others: others.map((delivery) => ({ delivery })) };
  const found = await Promise.all(others.map(async (one) => ({ delivery: one, ready: await prepare(env, one) })));
  const sendable = found.flatMap(({ delivery, ready }) =>
    'status' in ready ? [] : [{ delivery, alert: ready.alert }],
  );
  if (sendable.length === 0) return { ready, others: [] };
  const alert = combinedAlert([ready.alert, ...sendable.map((one) => one.alert)], following);
  return {
    ready: { ...ready, alert, send: ready.type.render(alert, ready.config) },
    others: sendable.map(({ delivery, alert: { affected } }) => ({ delivery, affected: affected?.count })),
  };
}

async function prepare(
  { ports, keys }: AttemptEnv,
  delivery: DeliveryItem,
  together: readonly DeliveryItem[] = [delivery],
): Promise<Ready | AttemptOutcome> {
  const { tenant_id, check_id, entity_id, transition_sk, alert } = delivery;
  const [account, entity, check, channelItem, transition, item] = await ports.table.getMany<
    [AccountItem, EntityItem, CheckItem, PolicyItem | AccountChannel, ...(DecidedTransition & AlertItem)[]]
  >([
    keys.account(tenant_id),
    keys.entity(tenant_id, entity_id),
    keys.check(tenant_id, check_id),
    delivery.status_page_id === undefined
      ? channelKey(keys, tenant_id, check_id, delivery.channel_id)
      : keys.statusSubscriber(tenant_id, delivery.status_page_id, delivery.channel_id),
    ...[transition_sk, alert?.sk].flatMap((sk) => (sk ? [{ pk: keys.ofCheck(tenant_id, check_id), sk }] : [])),
  ]);
  if (!account || isDisabled(account)) return failedFinally('the account is disabled');
  const concernsCheck = check_id !== '';
  if (!entity && concernsCheck) return failedFinally('the entity was deleted', true);
  if (!check && concernsCheck && delivery.kind !== 'closed') return failedFinally('the check was deleted', true);
  const channel = delivery.channel ?? channelIn(channelItem, delivery.channel_id);
  if (!channel) return failedFinally(`the ${delivery.status_update ? 'subscriber' : 'channel'} was removed`, true);
  const type = channelTypeOf(channel.channel_type);
  if (!type) return failedFinally(`channel type ${channel.channel_type} is not supported by this release`);
  const egress = settingsFor(ports.settings, account).CHECK_EGRESS;
  const ready = (alert: Alert): Ready => {
    const { config } = channel;
    const send = type.render(alert, config);
    return { type, config, alert, egress, account, send, destination: destinationOf(channel) };
  };
  const now = ports.clock.now();
  if (delivery.status_update || delivery.report) return ready(messageAlertOf(delivery, account, now));
  if (!concernsCheck) return ready(accountTestOf(delivery, account, now));
  const about = { entity: entity!, check, public_url: linksAddress(ports.settings), now };
  if (delivery.kind === 'test') return ready(testAlertOf(delivery, { ...about, check: check! }));
  if (!transition) return failedFinally('the transition of the alert is past its retention');
  const links = alertLinks(delivery, { account, ...about });
  const notified = (item?.to ?? []).flatMap(({ channel_type }) => channelTypeOf(channel_type)?.title ?? []);
  const [others, group] = await Promise.all([
    impactOf({ ports, keys, tenant: tenant_id }, entity!, item),
    describeGroup({ ports, keys }, item, together),
  ]);
  return ready({ ...alertOf(delivery, transition, item, { ...about, ...links, notified }), ...others, ...group });
}

const failedFinally = (error: string, orphan = false): AttemptOutcome => ({
  status: 'failed',
  error,
  final: true,
  orphan,
});
