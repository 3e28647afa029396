import { type AlertItem, isAlert } from '#lib/alerting/decide/alert-item.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { AlertingHead } from '#lib/alerting/policy/account-alerting.ts';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { saidAs, shownBy, toldOf } from './alert-rules.ts';
import { inForce } from './in-force.ts';
import { changesIn, checksIn, failedIn, type Inside, keyText } from './inside.ts';

/** So often (docs/use/alerts.md#late-alerts) it is tried once more to tell what could not be delivered. */
const TRIES = 3;

/**
 * Where an alert was planned, or held back by a cooldown or by flapping, the channels know how it stands, or are about
 * to be told, or not before it is known what it follows from; or it was tried in vain as often as it is to be.
 */
export function checkBeliefs({ seen, keys, end }: Inside): string[] {
  const items = [...seen.table.values()];
  const transitions = items.filter((item): item is DecidedTransition => item.sk.startsWith('TR#'));
  const failures = failedIn(seen);
  const byCheck = Map.groupBy(transitions, ({ check_id }) => check_id);
  return checksIn(seen).flatMap((check) => {
    const account = items.filter(({ pk }) => pk === keys.alerting(check.tenant_id));
    const policy = inForce(seen.table, account, keys, check, end);
    if (!policy.late_alerts || policy.silenced) return [];
    const last = byCheck.get(check.id)?.reduce((a, b) => (a.sk > b.sk ? a : b));
    const matters = last && [null, 'cooldown', 'flapping'].includes(last.alert.reason);
    const shown = shownBy(policy, check.state);
    if (!matters || toldOf(check) === shown || policy.told(saidAs(shown)).length === 0) return [];
    if (shown === 'up' && (!policy.notify_on_recovery || wasRecoveryOff(check, last))) return [];
    if (wasCatchUpOff(check, last)) return [];
    const waitsFor = (kind: 'late' | 'hold') =>
      seen.table.has(keyText(keys.entry(kind, check.tenant_id, check.id)));
    if (waitsFor('late') || waitsFor('hold')) return [];
    const tries = items.filter(
      (item): item is AlertItem =>
        isAlert(item) && item.check_id === check.id && item.kind === 'late' && item.transition_sk === last.sk,
    );
    const inVain = tries.filter(({ to }) => to.every(({ delivery_id }) => failures.has(delivery_id)));
    if (inVain.length >= TRIES) return [];
    return [`${check.id} is ${check.state}, its channels believe ${toldOf(check)}`];
  });

  /** For a time since its last change the account did not catch up: a change of its default begins no look. */
  function wasCatchUpOff({ tenant_id, id }: CheckItem, { timestamp }: DecidedTransition): boolean {
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

  /** For a time since its last change nobody was to hear of recoveries: what is not told then is not caught up on. */
  function wasRecoveryOff({ tenant_id, id }: CheckItem, { timestamp }: DecidedTransition): boolean {
    const places = [keys.policy(tenant_id, id), keys.alertingHead(tenant_id)].map(keyText);
    return changesIn(seen).some(({ key, after, commit }) => {
      if (!after || commit.at < Date.parse(timestamp) || !places.includes(keyText(key))) return false;
      const said = 'policy' in after ? after.policy : after;
      return (said as { notify_on_recovery?: boolean }).notify_on_recovery === false;
    });
  }
}
