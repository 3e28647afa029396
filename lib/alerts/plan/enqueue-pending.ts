import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import type { Env } from '#lib/env.ts';

/** Enqueues those of these deliveries that were not attempted yet. Repeatable. */
export async function enqueuePending({ ports, keys }: Env, tenant_id: string, ids: string[]): Promise<void> {
  const deliveries = await ports.table.getMany<DeliveryItem>(ids.map((id) => keys.delivery(tenant_id, id)));
  const pending = deliveries.filter((delivery) => delivery?.status === 'pending');
  if (pending.length === 0) return;
  await ports.queues.send(
    'delivery',
    pending.map((delivery) => ({
      body: { tenant_id, delivery_id: delivery!.id },
      ...(delivery!.next_attempt_at !== undefined && { not_before: delivery!.next_attempt_at }),
      group: tenant_id,
    })),
  );
}
