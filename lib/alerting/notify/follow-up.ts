import { recheckHeldUnder } from '#lib/alerting/cause/held-under.ts';
import { type AlertItem, destinationOfTarget } from '#lib/alerting/decide/alert-item.ts';
import { nextCatchUpRetry } from '#lib/alerting/decide/catch-up-retries.ts';
import { escalationWrite } from '#lib/alerting/decide/escalation.ts';
import { type Deadline, type DeadlineEntry, mergeDeadline } from '#lib/alerting/decide/notes.ts';
import {
  lastNotifiedAt,
  type NotifiedFailureItem,
  notifiedFailureWrites,
  withoutNotification,
} from '#lib/alerting/decide/notified-failure.ts';
import { lastNotifiedState, withoutAlertInFlight } from '#lib/alerting/decide/notified-state.ts';
import { type AlertingHead, alertingOf } from '#lib/alerting/policy/account-alerting.ts';
import { effectiveSettings } from '#lib/alerting/policy/effective-policy.ts';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import { type CheckItem, nextCheck, replaceCheck } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import { timeOf } from '#lib/platform/ids.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { deadlineWrites, dueDeadline } from '#lib/schedule/entries.ts';
import { sendDeadlines } from '#lib/schedule/jobs.ts';
import type { DeliveryItem, LastDeliveryItem } from './delivery-item.ts';

/**
 * A delivery has failed for good: its destination was not told of the failure by it after all, so that what is withheld
 * from it for that reason is looked at again. Repeatable.
 */
async function undoNotified(env: Env, { tenant_id, check_id, channel_id, alert }: DeliveryItem): Promise<void> {
  if (!alert) return;
  const { ports, keys } = env;
  const item = await ports.table.get<AlertItem>({ pk: keys.ofCheck(tenant_id, check_id), sk: alert.sk });
  const target = item?.to.find((one) => one.channel_id === channel_id);
  if (!item || !target || !item.with_others) return;
  const destination = destinationOfTarget(target);
  for (const root of [item.root?.entity_id, item.entity_id]) {
    if (root !== undefined && (await forget(env, { tenant_id, root }, destination, timeOf(item.id))))
      await recheckHeldUnder(env, tenant_id, root);
  }
}

/** Whether the destination had last been told by that, at `at` (epoch ms): a later alert stands. */
const forget = (
  { ports, keys }: Env,
  { tenant_id, root }: { tenant_id: string; root: string },
  destination: string,
  at: number,
): Promise<boolean> =>
  retryOnConflict(ports, async () => {
    const incident = await ports.table.get<NotifiedFailureItem>(keys.notifiedFailure(tenant_id, root));
    if (!incident) return false;
    const left = withoutNotification(incident, destination, at);
    const writes = notifiedFailureWrites(incident, left, ports.ids.token(), ports.clock.now());
    if (writes.length > 0 && !(await commit(ports, writes)).ok) return RETRY;
    return lastNotifiedAt(incident, destination) === at;
  });

/**
 * What follows from a delivery that is over, so that no channel is left with a false belief
 * (docs/use/alerts.md#late-alerts). Idempotent: a second message for the delivery does it again. A test reports
 * nothing, so that nothing follows.
 */
export async function followUp(env: Env, delivery: DeliveryItem): Promise<void> {
  if (delivery.reports_state === null) return;
  if (delivery.status === 'failed') {
    await undoNotified(env, delivery);
    await afterFailure(env, delivery);
  }
  if (delivery.status === 'sent') await afterSent(env, delivery);
}

/**
 * Where all deliveries of the alert have failed, the state announced before it holds, and a catch-up is due. An alert
 * that is no longer in flight matters only where nothing newer was announced.
 */
async function afterFailure(env: Env, delivery: DeliveryItem): Promise<void> {
  const { tenant_id, alert, check_id } = delivery;
  if (!alert) return;
  const { ports, keys } = env;
  const all = await ports.table.getMany<DeliveryItem>(alert.deliveries.map((id) => keys.delivery(tenant_id, id)));
  if (!all.every((one) => one?.status === 'failed')) return;
  await lookAgain(env, tenant_id, check_id, (check, now) => {
    const wanted = nextCatchUpRetry(alert.series ?? { failed_at: now, tries: 0 }, now);
    const announced = check.alerts.announced && withoutAlertInFlight(check.alerts.announced, alert.id);
    const escalates = isLastCall(check, delivery);
    if (announced && announced !== check.alerts.announced)
      return { alerts: { ...check.alerts, announced }, wanted, escalates };
    const isUnknown = lastNotifiedState(check.alerts) === 'unknown';
    return isUnknown || escalates ? { wanted: isUnknown ? wanted : undefined, escalates } : undefined;
  });
}

/** With which a failure may be told first. */
const FIRST: readonly DeliveryItem['kind'][] = ['state_change', 'late', 'remediation_failed'];

/** Whether nobody was called after this alert: then the next step of an escalation is due at once. */
function isLastCall({ alerts }: CheckItem, { kind, reports_state, step, created_at }: DeliveryItem): boolean {
  const running = alerts.episode?.escalation;
  if (!running || reports_state !== 'down' || Date.parse(created_at) < running.from) return false;
  if (kind === 'escalation') return running.steps === step;
  return running.steps === 0 && FIRST.includes(kind);
}

/** A delivery that was sent after a newer one with another state leaves the channel with the old state: catch up. */
async function afterSent(env: Env, { id, tenant_id, check_id, channel_id, reports_state }: DeliveryItem): Promise<void> {
  const last = await env.ports.table.get<LastDeliveryItem>(env.keys.lastDelivery(tenant_id, check_id, channel_id));
  if (!last || last.delivery.id <= id || last.delivery.status !== 'sent') return;
  if (last.reports_state === null || last.reports_state === reports_state) return;
  await lookAgain(env, tenant_id, check_id, (_check, now) => ({ wanted: { deadline: now, note: { misled: true } } }));
}

/** `escalates`: the next step of its escalation is due now. */
type FollowUpInput = { alerts?: CheckItem['alerts']; wanted?: Deadline | undefined; escalates?: boolean };

/** Changes what a check remembers of its alerts and sets its catch-up, as `look` says; undefined: nothing to do. */
async function lookAgain(
  env: Env,
  tenant_id: string,
  check_id: string,
  look: (check: CheckItem, now: number) => FollowUpInput | undefined,
): Promise<void> {
  const { ports, keys } = env;
  const deadlines = await retryOnConflict(ports, async () => {
    const check = await ports.table.get<CheckItem>(keys.check(tenant_id, check_id));
    const now = ports.clock.now();
    const wish = check && look(check, now);
    if (!check || !wish) return [];
    const [stored, entry, head] = await ports.table.getMany<[PolicyItem, DeadlineEntry, AlertingHead]>([
      keys.policy(tenant_id, check_id),
      keys.entry('late', tenant_id, check_id),
      keys.alertingHead(tenant_id),
    ]);
    const { late_alerts } = effectiveSettings(stored, await alertingOf(env, tenant_id, head));
    const next = wish.wanted && late_alerts ? mergeDeadline(entry, wish.wanted) : undefined;
    const token = ports.ids.token();
    const hold = (alerts: FollowUpInput['alerts']): Write =>
      alerts
        ? replaceCheck(check, nextCheck(check, token, { alerts }))
        : { check: keys.check(tenant_id, check_id), if: { version: check.v } };
    const writes: Write[] = [
      ...(wish.alerts || wish.escalates ? [hold(wish.alerts)] : []),
      ...(wish.escalates ? [escalationWrite(keys, check, token, now, { at_once: true })] : []),
      ...(next ? deadlineWrites(keys, 'late', check, token, entry, next) : []),
    ];
    if (writes.length === 0) return [];
    if (!(await ports.table.transact(writes)).ok) return RETRY;
    return [
      ...(next ? [dueDeadline('late', check, next.deadline)] : []),
      ...(wish.escalates ? [dueDeadline('escalation', check, now)] : []),
    ];
  });
  await sendDeadlines(env, deadlines);
}
