import { recheckHeldUnder } from '#lib/alerting/cause/held-under.ts';
import { type AlertItem, alertItem, destinationOfTarget } from '#lib/alerting/decide/alert-item.ts';
import { escalationWrite } from '#lib/alerting/decide/escalation.ts';
import { nextLateAlertRetry } from '#lib/alerting/decide/late-alert-retries.ts';
import { type Deadline, type DeadlineEntry, mergeDeadline } from '#lib/alerting/decide/notes.ts';
import {
  lastNotifiedAt,
  type NotifiedFailureItem,
  notifiedFailureWrites,
  withoutNotification,
} from '#lib/alerting/decide/notified-failure.ts';
import { lastNotifiedState, withoutFailedAlert } from '#lib/alerting/decide/notified-state.ts';
import { type AlertingHead, alertingOf } from '#lib/alerting/policy/account-alerting.ts';
import { effectiveSettings } from '#lib/alerting/policy/effective-policy.ts';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import { type CheckItem, nextCheck, replaceCheck } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import { ALERTS, under } from '#lib/keys.ts';
import { timeOf } from '#lib/platform/ids.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { deadlineWrites, dueDeadline } from '#lib/schedule/entries.ts';
import { sendDeadlines } from '#lib/schedule/jobs.ts';
import type { DeliveryItem, LastDeliveryItem } from './delivery-item.ts';

/**
 * Removes a failed delivery from the notified failures of its root cause and its entity, and rechecks the alerts held
 * under them. Repeatable.
 */
async function undoNotified(env: Env, { tenant_id, check_id, channel_id, alert }: DeliveryItem): Promise<void> {
  if (!alert) return;
  const { ports, keys } = env;
  const item = await ports.table.get<AlertItem>({ pk: keys.ofCheck(tenant_id, check_id), sk: alert.sk });
  const target = item?.to.find((one) => one.channel_id === channel_id);
  if (!item || !target || !item.shares_incident) return;
  const destination = destinationOfTarget(target);
  for (const root of [item.root?.entity_id, item.entity_id]) {
    if (root !== undefined && (await removeNotification(env, { tenant_id, root }, destination, timeOf(item.id))))
      await recheckHeldUnder(env, tenant_id, root);
  }
}

/** Removes the notification at `at` (epoch ms). @returns whether it was the newest of the destination */
const removeNotification = (
  { ports, keys }: Env,
  { tenant_id, root }: { tenant_id: string; root: string },
  destination: string,
  at: number,
): Promise<boolean> =>
  retryOnConflict(ports, async () => {
    const failure = await ports.table.get<NotifiedFailureItem>(keys.notifiedFailure(tenant_id, root));
    if (!failure) return false;
    const left = withoutNotification(failure, destination, at);
    const writes = notifiedFailureWrites(failure, left, ports.ids.token(), ports.clock.now());
    if (writes.length > 0 && !(await commit(ports, writes)).ok) return RETRY;
    return lastNotifiedAt(failure, destination) === at;
  });

/** Updates the notified states after a delivery has finished (docs/use/alerts.md#late-alerts). Idempotent. */
export async function followUp(env: Env, delivery: DeliveryItem): Promise<void> {
  if (delivery.to_state === null) return;
  if (delivery.status === 'failed') {
    await undoNotified(env, delivery);
    await afterFailure(env, delivery);
  }
  if (delivery.status === 'sent') await afterSent(env, delivery);
}

/** If all deliveries failed, removes the alert from the notified states, schedules a late alert, and escalates. */
async function afterFailure(env: Env, delivery: DeliveryItem): Promise<void> {
  const { tenant_id, alert, check_id } = delivery;
  if (!alert) return;
  const { ports, keys } = env;
  const all = await ports.table.getMany<DeliveryItem>(alert.deliveries.map((id) => keys.delivery(tenant_id, id)));
  if (!all.every((one) => one?.status === 'failed')) return;
  await updateAlerting(env, tenant_id, check_id, (check, now) => {
    const wanted = nextLateAlertRetry(alert.series ?? { failed_at: now, tries: 0 }, now);
    const announced = check.alerts.announced && withoutFailedAlert(check.alerts.announced, alert.id);
    const escalates = isLatestStep(check, delivery);
    if (announced && announced !== check.alerts.announced)
      return { alerts: { ...check.alerts, announced }, wanted, escalates };
    const isUnknown = lastNotifiedState(check.alerts) === 'unknown';
    return isUnknown || escalates ? { wanted: isUnknown ? wanted : undefined, escalates } : undefined;
  });
}

/** Kinds of alerts that can be the first about a failure. */
const FIRST_KINDS: readonly DeliveryItem['kind'][] = ['state_change', 'late', 'remediation_failed'];

/** Whether no escalation step was taken after this alert; then the next step is due immediately. */
function isLatestStep({ alerts }: CheckItem, { kind, to_state, step, created_at }: DeliveryItem): boolean {
  const running = alerts.episode?.escalation;
  if (!running || to_state !== 'down' || Date.parse(created_at) < running.from) return false;
  if (kind === 'escalation') return running.steps === step;
  return running.steps === 0 && FIRST_KINDS.includes(kind);
}

/**
 * Sets the notified state to unknown and schedules a late alert if a newer delivery with another state was sent before.
 * A check in state unknown gets the alert of its next state instead. For a deleted check, repeats the closing alert.
 */
async function afterSent(env: Env, delivery: DeliveryItem): Promise<void> {
  const { id, tenant_id, check_id, channel_id, to_state, combined_in, sent_at } = delivery;
  const { ports, keys } = env;
  const [last, check] = await ports.table.getMany<[LastDeliveryItem, CheckItem]>([
    keys.lastDelivery(tenant_id, check_id, channel_id),
    keys.check(tenant_id, check_id),
  ]);
  if (!check) return repeatClosing(env, delivery);
  if (!last || last.delivery.id <= id || last.delivery.status !== 'sent') return;
  if (last.delivery.to_state === null || last.delivery.to_state === to_state) return;
  // Both were sent in order, and this call is a repetition.
  if (last.delivery.sent_at! > sent_at!) return;
  // One message reported both, in order.
  if (combined_in !== null && last.delivery.combined_in === combined_in) return;
  await updateAlerting(env, tenant_id, check_id, ({ alerts }, now) => ({
    alerts: { ...alerts, announced: { baseline: 'unknown', latest: [] } },
    wanted: { deadline: now, note: { out_of_order: true } },
  }));
}

/** Maximum number of alerts read to find the closing alert of a deleted check; repetitions for channels are newer. */
const LAST_ALERTS = 50;

/** Repeats the closing alert of a deleted check for a channel that received it before this delivery. Idempotent. */
async function repeatClosing({ ports, keys }: Env, delivery: DeliveryItem): Promise<void> {
  const { tenant_id, check_id, entity_id, channel_id, kind, sent_at, combined_in } = delivery;
  if (kind === 'closed' || sent_at === null) return;
  const newest = { ...under(ALERTS), descending: true, limit: LAST_ALERTS };
  const { items } = await ports.table.query<AlertItem>({ partition: keys.ofCheck(tenant_id, check_id), ...newest });
  for (const { kind, to, transition_id, transition_sk: sk, from_state, reports_state, expires_at } of items) {
    const target = kind === 'closed' ? to.find((one) => one.channel_id === channel_id) : undefined;
    if (!target || transition_id === null || sk === null || from_state === null) continue;
    const closing = await ports.table.get<DeliveryItem>(keys.delivery(tenant_id, target.delivery_id));
    if (closing?.sent_at == null || closing.sent_at > sent_at) return;
    if (combined_in !== null && closing.combined_in === combined_in) return;
    const put = alertItem(keys, {
      ...{ tenant_id, check_id, entity_id, kind, reports_state, expires_at },
      ...{ transition: { transition_id, sk, check_from_state: from_state }, at: Date.parse(sent_at), n: 1 },
      channels: [{ ...target, id: channel_id }],
    });
    await ports.table.transact([{ put, if: 'absent' }]);
    return;
  }
}

/** A change of the alerting of a check. `escalates`: the next escalation step is due now. */
type AlertingUpdate = { alerts?: CheckItem['alerts']; wanted?: Deadline | undefined; escalates?: boolean };

/** Updates the notified states and the late alert of a check as `decide` returns; undefined: no change. */
async function updateAlerting(
  env: Env,
  tenant_id: string,
  check_id: string,
  decide: (check: CheckItem, now: number) => AlertingUpdate | undefined,
): Promise<void> {
  const { ports, keys } = env;
  const deadlines = await retryOnConflict(ports, async () => {
    const check = await ports.table.get<CheckItem>(keys.check(tenant_id, check_id));
    const now = ports.clock.now();
    const update = check && decide(check, now);
    if (!check || !update) return [];
    const [stored, entry, head] = await ports.table.getMany<[PolicyItem, DeadlineEntry, AlertingHead]>([
      keys.policy(tenant_id, check_id),
      keys.entry('late', tenant_id, check_id),
      keys.alertingHead(tenant_id),
    ]);
    const { late_alerts } = effectiveSettings(stored, await alertingOf(env, tenant_id, head));
    const next = update.wanted && late_alerts ? mergeDeadline(entry, update.wanted) : undefined;
    const token = ports.ids.token();
    const checkWrite = (alerts: AlertingUpdate['alerts']): Write =>
      alerts
        ? replaceCheck(check, nextCheck(check, token, { alerts }))
        : { check: keys.check(tenant_id, check_id), if: { version: check.v } };
    const writes: Write[] = [
      ...(update.alerts || update.escalates ? [checkWrite(update.alerts)] : []),
      ...(update.escalates ? [escalationWrite(keys, check, token, now, { at_once: true })] : []),
      ...(next ? deadlineWrites(keys, 'late', check, token, entry, next) : []),
    ];
    if (writes.length === 0) return [];
    if (!(await ports.table.transact(writes)).ok) return RETRY;
    return [
      ...(next ? [dueDeadline('late', check, next.deadline)] : []),
      ...(update.escalates ? [dueDeadline('escalation', check, now)] : []),
    ];
  });
  await sendDeadlines(env, deadlines);
}
