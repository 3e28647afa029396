import type { AccountItem } from '#lib/access/account.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { PolicyItem } from '#lib/checks/policy-item.ts';
import type { Env } from '#lib/env.ts';
import { type AlertingHead, alertingOf } from '#lib/health/alerting/account-alerting.ts';
import { channelsThatApply, effectivePolicy } from '#lib/health/alerting/effective-policy.ts';
import type { HoldItem } from '#lib/health/dependency/hold-item.ts';
import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import { HOLDS, under } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import { AGAIN, untilDone } from '#lib/platform/table/retry.ts';
import { type DeadlineEntry, deadlineWrites } from '#lib/schedule/deadlines.ts';
import { putBack } from '#lib/schedule/jobs.ts';
import { emittedUntil, readWatermark } from '#lib/schedule/watermark.ts';
import { considerHold } from './consider-hold.ts';
import { endHold } from './end-hold.ts';

/** A held alert that is looked at, and what is decided on, read strongly. */
export type HeldAlert = {
  check: CheckItem;
  entity: EntityItem;
  policy: ReturnType<typeof effectivePolicy>;
  /** What is set on the check itself; undefined where nothing is. */
  stored: PolicyItem | undefined;
  channels: ReturnType<typeof channelsThatApply>;
  hold: HoldItem;
  transition: TransitionItem;
  entry: DeadlineEntry;
};

/** Somebody else asks what it follows from: the answer will be there so soon (ms). */
const ASKED_MS = 1_000;

/**
 * Looks at the alerts of a check that are held: what is over ends, and for what lasts it is decided whom to tell. All
 * of it in transactions on what was read, so that doing it twice, late or at a wrong time does no harm.
 * @returns the deadline that comes next, if any, to be sent
 */
export async function lookAtHeld(env: Env, deadline: DueDeadline, account: AccountItem): Promise<DueDeadline[]> {
  const { ports, keys } = env;
  const watermark = await readWatermark(env, keys.shardOf(deadline.check_id));
  const now = ports.clock.now();
  if (emittedUntil(watermark, now) <= now) return [putBack(deadline, now)];
  const next = await untilDone(ports, () => attempt(env, deadline, account));
  const { woken: _woken, ...plain } = deadline;
  if (next === 'asked') return [{ ...plain, woken: true, at: ports.clock.now() + ASKED_MS }];
  return next === undefined ? [] : [{ ...plain, at: next }];
}

/** Answers when the alert is looked at next (epoch ms), undefined when nothing is held any more. */
async function attempt(env: Env, deadline: DueDeadline, account: AccountItem) {
  const { ports, keys } = env;
  const { tenant_id, entity_id, check_id } = deadline;
  const [entry, check, entity, stored, head] = await ports.table.getMany<
    [DeadlineEntry, CheckItem, EntityItem, PolicyItem, AlertingHead]
  >([
    keys.entry('hold', tenant_id, check_id),
    keys.check(tenant_id, check_id),
    keys.entity(tenant_id, entity_id),
    keys.policy(tenant_id, check_id),
    keys.alertingHead(tenant_id),
  ]);
  const now = ports.clock.now();
  if (!entry || (entry.deadline > now && !deadline.woken)) return undefined;
  const partition = keys.ofCheck(tenant_id, check_id);
  const { items: holds } = await ports.table.query<HoldItem>({ partition, ...under(HOLDS) });
  const isCurrent = (hold: HoldItem) =>
    check !== undefined && entity !== undefined && check.state === 'down' && check.alerts.held?.at === hold.held_at;
  const over = holds.find((hold) => !isCurrent(hold));
  if (over) {
    await endHold(env, over);
    return AGAIN;
  }
  const [hold] = holds;
  if (!hold || !check || !entity) {
    const owner = { tenant_id, entity_id, id: check_id };
    const done = await ports.table.transact(deadlineWrites(keys, 'hold', owner, ports.ids.token(), entry, undefined));
    return done.ok ? undefined : AGAIN;
  }
  const transition = await ports.table.get<TransitionItem>({ pk: partition, sk: hold.transition_sk });
  if (!transition) {
    await endHold(env, hold);
    return AGAIN;
  }
  const alerting = await alertingOf(env, tenant_id, head);
  const policy = effectivePolicy(stored, { check, entity, account: alerting, now });
  const channels = channelsThatApply(policy, 'down');
  return considerHold({ ...env, tenant: tenant_id }, account, {
    ...{ check, entity, policy, stored, channels, hold, transition, entry },
  });
}
