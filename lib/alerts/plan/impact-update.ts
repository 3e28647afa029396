import { actOnDeadline, type Due, situationOf, type TimedDecision } from '#lib/alerting/deadlines/timed-alert.ts';
import { decide } from '#lib/alerting/decide/rules.ts';
import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import { failingWith } from '#lib/alerts/hold/impact.ts';
import type { Env } from '#lib/env.ts';
import { lastTransition } from '#lib/health/state/last-transition.ts';
import type { DueDeadline } from '#lib/messages.ts';

/** Tells those who heard of a failure once if more fails with it by now than they were told. */
export async function updateImpact(env: Env, deadline: DueDeadline): Promise<DueDeadline[]> {
  const hasGrown = await isMoreThanTold(env, deadline);
  return actOnDeadline(env, deadline, 'impact', (due) => (hasGrown ? decideUpdate(due) : {}));
}

function decideUpdate(due: Due): TimedDecision {
  if (!due.check || !due.policy.impact_update) return {};
  const situation = situationOf(due, 'impact');
  // The failure that was told may be over, and one that nobody was told of have begun.
  if (situation.told !== 'down' || decide(situation).decision !== 'planned') return {};
  return { alert: { situation, announces: 'down', cooldown: null, urgency: 'low' } };
}

/** Whether more entities fail with it than the alert said that was sent. */
async function isMoreThanTold(env: Env, { tenant_id, entity_id, check_id }: DueDeadline): Promise<boolean> {
  const { ports, keys } = env;
  const [transition, failing] = await Promise.all([
    lastTransition(env, tenant_id, check_id),
    failingWith({ ...env, tenant: tenant_id }, entity_id),
  ]);
  const ids = transition?.alert.deliveries ?? [];
  const deliveries = await ports.table.getMany<DeliveryItem>(ids.map((id) => keys.delivery(tenant_id, id)));
  return failing.length > Math.max(0, ...deliveries.map((one) => one?.affected ?? 0));
}
