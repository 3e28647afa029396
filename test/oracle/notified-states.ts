import { type AlertItem, isAlert } from '#lib/alerting/decide/alert-item.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { AlertingHead } from '#lib/alerting/policy/account-alerting.ts';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { ENDING, lastNotifiedState, reportableState, reportedAs } from './alert-rules.ts';
import { effectiveSettings } from './in-force.ts';
import { changesIn, checksIn, failedIn, type Inside, keyText } from './inside.ts';

/** Maximum number of retries of a failed delivery by late alert (docs/use/alerts.md#late-alerts). */
const MAX_RETRIES = 3;

/**
 * Promise: if an alert was planned, or suppressed for a reason that ends by itself, recipients know the current state,
 * or will be notified, or wait for the root cause; or all late alert retries failed.
 */
export function checkNotifiedStates({ seen, keys, end }: Inside): string[] {
  const items = [...seen.table.values()];
  const transitions = items.filter((item): item is DecidedTransition => item.sk.startsWith('TR#'));
  const failures = failedIn(seen);
  const byCheck = Map.groupBy(transitions, ({ check_id }) => check_id);
  return checksIn(seen).flatMap((check) => {
    const account = items.filter(({ pk }) => pk === keys.alerting(check.tenant_id));
    const policy = effectiveSettings(seen.table, account, keys, check, end);
    if (!policy.late_alerts || policy.silenced) return [];
    const last = byCheck.get(check.id)?.reduce((a, b) => (a.sk > b.sk ? a : b));
    const matters = last && [null, ...ENDING].includes(last.alert.reason);
    const shown = reportableState(policy, check.state);
    if (!matters || lastNotifiedState(check) === shown || policy.recipientIds(reportedAs(shown)).length === 0)
      return [];
    if (shown === 'up' && (!policy.notify_on_recovery || wasRecoveryOff(check, last))) return [];
    if (wereLateAlertsOff(check, last)) return [];
    const waitsFor = (kind: 'late' | 'hold') => seen.table.has(keyText(keys.entry(kind, check.tenant_id, check.id)));
    if (waitsFor('late') || waitsFor('hold')) return [];
    const retries = items.filter(
      (item): item is AlertItem =>
        isAlert(item) && item.check_id === check.id && item.kind === 'late' && item.transition_sk === last.sk,
    );
    const failed = retries.filter(({ to }) => to.every(({ delivery_id }) => failures.has(delivery_id)));
    if (failed.length >= MAX_RETRIES) return [];
    return [`check ${check.id} is ${check.state}, but its last notified state is ${lastNotifiedState(check)}`];
  });

  /**
   * Whether late alerts of a check were off for some time since its last transition: a changed account default starts
   * no recheck.
   */
  function wereLateAlertsOff({ tenant_id, id }: CheckItem, { timestamp }: DecidedTransition): boolean {
    const own = seen.table.get(keyText(keys.policy(tenant_id, id))) as Partial<PolicyItem> | undefined;
    const head = keyText(keys.alertingHead(tenant_id));
    return (
      own?.late_alerts === undefined &&
      changesIn(seen).some(({ key, before, commit }) => {
        if (commit.at < Date.parse(timestamp) || keyText(key) !== head) return false;
        return (before as AlertingHead | undefined)?.policy.late_alerts === false;
      })
    );
  }

  /**
   * Whether recovery alerts of a check were off for some time since its last transition: then no late alert reports a
   * recovery.
   */
  function wasRecoveryOff({ tenant_id, id }: CheckItem, { timestamp }: DecidedTransition): boolean {
    const holders = [keys.policy(tenant_id, id), keys.alertingHead(tenant_id)].map(keyText);
    return changesIn(seen).some(({ key, after, commit }) => {
      if (!after || commit.at < Date.parse(timestamp) || !holders.includes(keyText(key))) return false;
      const settings = 'policy' in after ? after.policy : after;
      return (settings as { notify_on_recovery?: boolean }).notify_on_recovery === false;
    });
  }
}
