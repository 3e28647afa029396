import type { TenantEnv } from '#lib/access/context.ts';
import { type AlertItem, alertItem } from '#lib/alerting/decide/alert-item.ts';
import { toldOf } from '#lib/alerting/decide/recipients.ts';
import { decide } from '#lib/alerting/decide/rules.ts';
import { decidedOn, type Situation } from '#lib/alerting/decide/situation.ts';
import { channelsThatApply } from '#lib/alerting/policy/effective-policy.ts';
import type { Policy } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { Acknowledgement, CheckItem } from '#lib/checks/check-item.ts';
import { announcementOf } from '#lib/health/state/announced.ts';
import { lastTransition } from '#lib/health/state/last-transition.ts';
import type { Deadline } from '#lib/schedule/entries.ts';

type Acknowledged = {
  check: CheckItem;
  entity: Pick<EntityItem, 'dependents' | 'incident'>;
  policy: Policy;
  /** The deadline of its alert, where that is held. */
  hold: Deadline | undefined;
  acknowledgement: Acknowledgement;
  now: number;
};

/** What lets those know who were told of a failure that somebody looks after it; undefined where nobody is to hear. */
export async function acknowledgedAlert(
  env: TenantEnv,
  { check, entity, policy, hold, acknowledgement, now }: Acknowledged,
): Promise<AlertItem | undefined> {
  const announces = announcementOf(check.state, policy);
  const channels = toldOf(hold, channelsThatApply(policy, announces, check.alerts), check.alerts);
  const situation: Situation = {
    ...decidedOn(check, check.alerts, policy, channels, now),
    ...{ kind: 'acknowledged', cause: null, from: check.state, to: check.state },
  };
  if (decide(situation).decision !== 'planned') return undefined;
  const { tenant_id, entity_id, id: check_id } = check;
  const transition = await lastTransition(env, tenant_id, check_id);
  if (!transition) return undefined;
  return alertItem(env.keys, {
    ...{ tenant_id, entity_id, check_id, announces, channels, transition, acknowledgement },
    ...{ kind: 'acknowledged', urgency: 'low', at: now, n: now, decided_on: situation },
    ...(entity.incident && { incident_id: entity.incident.id }),
    ...(entity.dependents > 0 && { with_others: true }),
    expires_at: transition.expires_at,
  });
}
