import { type AlertingHead, alertingOf } from '#lib/alerting/policy/account-alerting.ts';
import { effectivePolicy } from '#lib/alerting/policy/effective-policy.ts';
import type { Policy, PolicyItem } from '#lib/alerting/policy/policy.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';

/** The policy of a check as it counts now, what of it is stored, and its entity; undefined when that is gone. */
export async function policyNow(
  { ports, keys }: Env,
  check: CheckItem,
): Promise<{ policy: Policy; stored: PolicyItem | undefined; entity: EntityItem } | undefined> {
  const { tenant_id, entity_id } = check;
  const [stored, entity, head] = await ports.table.getMany<[PolicyItem, EntityItem, AlertingHead]>([
    keys.policy(tenant_id, check.id),
    keys.entity(tenant_id, entity_id),
    keys.alertingHead(tenant_id),
  ]);
  if (!entity) return undefined;
  const account = await alertingOf({ ports, keys }, tenant_id, head);
  return { policy: effectivePolicy(stored, { check, entity, account, now: ports.clock.now() }), stored, entity };
}
