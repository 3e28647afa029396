import type { Client } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import type { WebhookReceiver } from '#test/support/webhook-receiver.ts';

/** Creates the entity `Web shop` with a push check that is down, and whose channel at `path` was notified. */
export async function alertedCheck(client: Client, receiver: WebhookReceiver, path: string) {
  await client.post('/v1/blueprints', { slug: 'shop', name: 'Shop' });
  const entity = got(await client.post('/v1/blueprints/shop/entities', { slug: 'web', name: 'Web shop' }), 201);
  const check = await newCheck(client, {
    entity_id: entity.id,
    name: 'checkout',
    failure_threshold: 1,
    interval_seconds: 3600,
  });
  got(await client.post(`/v1/checks/${check.id}/policy`, { cooldown_seconds: 0 }), 200);
  const config = { url: receiver.url + path };
  const channel = got(
    await client.post(`/v1/checks/${check.id}/policy/channels`, { channel_type: 'slack', config }),
    201,
  );
  await push(client, check.id, true);
  await push(client, check.id, false);
  await eventually(() => receiver.received.some((one) => one.path === path));
  return {
    id: check.id as string,
    entity_id: entity.id as string,
    channel_id: channel.id as string,
    ping_url: check.ping_url as string,
  };
}

/** Posts a result of a push check. */
export async function push(client: Client, id: string, success: boolean): Promise<void> {
  const result = { success, latency_ms: 5, ...(!success && { error_message: 'card declined' }) };
  got(await client.post(`/v1/checks/${id}/results`, result), 201);
}
