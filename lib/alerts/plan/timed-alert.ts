import type { DeliveryItem } from '#lib/alerts/deliver/delivery-item.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { AnnouncedAlert, CheckItem } from '#lib/checks/check-item.ts';
import { type DeliveryKind, deliveryIdOf } from '#lib/checks/delivery-id.ts';
import { nextCheck, replaceCheck } from '#lib/checks/next-check.ts';
import { canAlert, type Policy, type PolicyItem } from '#lib/checks/policy-item.ts';
import type { Env } from '#lib/env.ts';
import { type AlertingHead, alertingOf } from '#lib/health/alerting/account-alerting.ts';
import { channelsThatApply, effectivePolicy } from '#lib/health/alerting/effective-policy.ts';
import { announce } from '#lib/health/state/announced.ts';
import { startCooldown, type Urgency } from '#lib/health/state/decide-alert.ts';
import { isFlapping, withoutFlapping } from '#lib/health/state/flapping.ts';
import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import { TRANSITIONS, under } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import { AGAIN, untilDone } from '#lib/platform/table/retry.ts';
import { type DeadlineEntry, deadlineWrites } from '#lib/schedule/deadlines.ts';
import type { Deadline } from '#lib/schedule/entries.ts';
import { putBack } from '#lib/schedule/jobs.ts';
import { emittedUntil, readWatermark } from '#lib/schedule/watermark.ts';
import { enqueuePending } from './enqueue-pending.ts';
import { creation, newDelivery } from './new-delivery.ts';
import { seriesOf } from './series.ts';

/** A deadline of alerting as it stands, read strongly. */
export type Situation = {
  check: CheckItem;
  policy: Policy;
  /** The check's last one. */
  transition: TransitionItem;
  entry: Deadline;
  /** Epoch ms. */
  now: number;
};

/** The deadlines of alerting: all but that of silence. */
export type AlertDeadline = Exclude<DueDeadline['kind'], 'silence'>;

/** An alert that no transition brought. */
type Announcement = {
  kind: Exclude<DeliveryKind, 'state_change' | 'test'>;
  announces: AnnouncedAlert['announces'];
  /** The cooldown that it starts. */
  cooldown: Urgency | null;
};

/** What is to be done: nothing more (`end`), look again later, or alert all channels and go on with `next`. */
export type Decision =
  | 'end'
  | { later: Deadline }
  | {
      announce: Announcement;
      next: Deadline | undefined;
    };

/** Deliveries held for less than this (ms) are still being enqueued by the call that made them; leave them to it. */
const HANDING_OVER_MS = 10_000;

/**
 * Acts on a deadline of alerting. Deliveries are created in one transaction with what the check remembers of them. The
 * schedule entry holds their ids until they are enqueued, so that a crash in between delays them and never loses them.
 * @returns the deadline that comes next, if any, to be sent
 */
export async function actOnDeadline(
  env: Env,
  deadline: DueDeadline,
  kind: AlertDeadline,
  decide: (situation: Situation) => Decision,
): Promise<DueDeadline[]> {
  const { ports, keys } = env;
  const watermark = await readWatermark(env, keys.shardOf(deadline.check_id));
  const now = ports.clock.now();
  if (emittedUntil(watermark, now) <= now) return [putBack(deadline, now)];
  const work: Work = { ...env, deadline, kind, created: new Set() };
  for (;;) {
    const left = await untilDone(ports, () => step(work, decide));
    if (!left) return [];
    if (!left.note?.send) return [{ ...deadline, at: left.deadline }];
  }
}

/** `created`: ids of the deliveries that this very call has made. */
type Work = Env & { deadline: DueDeadline; kind: AlertDeadline; created: Set<string> };

/** One decision, written. Answers the deadline that it leaves, undefined when nothing is to be done any more. */
async function step(
  work: Work,
  decide: (situation: Situation) => Decision,
): Promise<Deadline | undefined | typeof AGAIN> {
  const { ports, keys, deadline, kind, created } = work;
  const { tenant_id, entity_id, check_id } = deadline;
  const entryKey = keys.entry(kind, tenant_id, check_id);
  const [check, stored, entry, entity, head] = await ports.table.getMany<
    [CheckItem, PolicyItem, DeadlineEntry, EntityItem, AlertingHead]
  >([
    keys.check(tenant_id, check_id),
    keys.policy(tenant_id, check_id),
    entryKey,
    keys.entity(tenant_id, entity_id),
    keys.alertingHead(tenant_id),
  ]);
  if (!entry) return undefined;
  const now = ports.clock.now();

  const owner = { tenant_id, entity_id, id: check_id };
  const replace = (next: Deadline | undefined) => deadlineWrites(keys, kind, owner, ports.ids.token(), entry, next);
  const leave = async (next: Deadline | undefined) => ((await ports.table.transact(replace(next))).ok ? next : AGAIN);

  if (entry.note?.send) {
    const isOwn = entry.note.send.every((id) => created.has(id));
    if (!isOwn && now < entry.deadline + HANDING_OVER_MS) return undefined;
    // Made by this call, or by an earlier one that died before it noted that they were enqueued. Twice does no harm.
    await enqueuePending(work, tenant_id, entry.note.send);
    return leave(entry.note.next);
  }
  if (entry.deadline > now) return undefined;

  const transition = await lastTransition(work, deadline);
  if (!entity || !transition) return leave(undefined);
  const account = await alertingOf(work, tenant_id, head);
  const policy = effectivePolicy(stored, { check: check ?? { id: check_id }, entity, account, now });
  const decision = check ? decide({ check, policy, transition, entry, now }) : lastWord(policy, entry);
  if (decision === 'end') return leave(undefined);
  if ('later' in decision) return leave(decision.later);

  const { announce: announcement, next } = decision;
  const { id, deliveries } = alertTo(work, { deadline, policy, transition, entry, now }, announcement);
  if (deliveries.length === 0) return leave(next);
  const send = deliveries.map((delivery) => delivery.id);
  const holding: Deadline = { deadline: now, note: { send, ...(next && { next }) } };
  const done = await ports.table.transact([
    ...(check
      ? [replaceCheck(check, nextCheck(check, ports.ids.token(), remember(check, id, announcement, now)))]
      : []),
    { check: keys.policy(tenant_id, check_id), if: stored ? { version: stored.v } : 'absent' },
    ...replace(holding),
    ...deliveries.flatMap((delivery) => creation(keys, delivery)),
  ]);
  if (!done.ok) return AGAIN;
  for (const delivery of send) created.add(delivery);
  return holding;
}

/** For a check that is gone, the one alert left is the closing note that its deletion asked for. */
function lastWord(policy: Policy, { note }: Deadline): Decision {
  if (!note?.closing || !canAlert(policy)) return 'end';
  return { announce: { kind: 'closed', announces: 'up', cooldown: null }, next: undefined };
}

async function lastTransition({ ports, keys }: Env, deadline: DueDeadline): Promise<TransitionItem | undefined> {
  const { items } = await ports.table.query<TransitionItem>({
    partition: keys.ofCheck(deadline.tenant_id, deadline.check_id),
    ...under(TRANSITIONS),
    descending: true,
    limit: 1,
  });
  return items[0];
}

/** What a check remembers of an alert that no transition brought. */
export const remember = (
  { alerts }: Pick<CheckItem, 'alerts'>,
  id: string,
  { announces, cooldown }: Announcement,
  now: number,
) => ({
  alerts: {
    ...(isFlapping(alerts, now) ? alerts : withoutFlapping(alerts)),
    ...(cooldown && startCooldown(cooldown, now)),
    announced: announce(alerts, { id, announces }),
  },
});

type Due = { deadline: DueDeadline; policy: Policy; transition: TransitionItem; entry: Deadline; now: number };

/** The deliveries of an alert that no transition brought. */
function alertTo(env: Env, { deadline, policy, transition, entry, now }: Due, { kind, announces }: Announcement) {
  const { tenant_id, entity_id, check_id } = deadline;
  const { transition_id, sk: transition_sk, expires_at } = transition;
  const id = `${transition_id}/${kind}/${entry.deadline}`;
  const channels = channelsThatApply(policy, announces);
  const ids = channels.map((channel) => deliveryIdOf(transition_id, now, kind, entry.deadline, channel.id));
  const series = seriesOf(entry);
  const alert = { id, deliveries: ids, ...(series && { series }) };
  const deliveries = channels.map((channel, i): DeliveryItem => {
    const about = {
      tenant_id,
      id: ids[i]!,
      kind,
      transition_id,
      transition_sk,
      announces,
      check_id,
      entity_id,
      alert,
    };
    const delivery = newDelivery(env, about, channel, expires_at);
    return kind === 'closed' ? { ...delivery, channel } : delivery;
  });
  return { id, deliveries };
}
