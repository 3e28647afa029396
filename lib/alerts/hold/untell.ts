import { wakeHeld } from '#lib/alerting/cause/held-under.ts';
import { toldAt } from '#lib/alerting/cause/wait.ts';
import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import { type IncidentItem, incidentWrites, withoutTelling } from '#lib/alerting/decide/notified-failure.ts';
import { destinationTold } from '#lib/alerting/decide/recipients.ts';
import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import type { Env } from '#lib/env.ts';
import { timeOf } from '#lib/platform/ids.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';

/**
 * A delivery has failed for good: its destination was not told of the failure by it after all, so that what is withheld
 * from it for that reason is looked at again. Repeatable.
 */
export async function untell(env: Env, { tenant_id, check_id, channel_id, alert }: DeliveryItem): Promise<void> {
  if (!alert) return;
  const { ports, keys } = env;
  const item = await ports.table.get<AlertItem>({ pk: keys.ofCheck(tenant_id, check_id), sk: alert.sk });
  const target = item?.to.find((one) => one.channel_id === channel_id);
  if (!item || !target || !item.with_others) return;
  const destination = destinationTold(target);
  for (const root of [item.root?.entity_id, item.entity_id]) {
    if (root !== undefined && (await forget(env, { tenant_id, root }, destination, timeOf(item.id))))
      await wakeHeld(env, tenant_id, root);
  }
}

/** Whether the destination had last been told by that, at `at` (epoch ms): a later alert stands. */
const forget = (
  { ports, keys }: Env,
  { tenant_id, root }: { tenant_id: string; root: string },
  destination: string,
  at: number,
): Promise<boolean> =>
  untilDone(ports, async () => {
    const incident = await ports.table.get<IncidentItem>(keys.incident(tenant_id, root));
    if (!incident) return false;
    const left = withoutTelling(incident, destination, at);
    const writes = incidentWrites(incident, left, ports.ids.token(), ports.clock.now());
    if (writes.length > 0 && !(await commit(ports, writes)).ok) return AGAIN;
    return toldAt(incident, destination) === at;
  });
