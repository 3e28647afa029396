import type { Client } from './client.ts';
import { eventually } from './eventually.ts';
import { got, newCheck } from './fleet.ts';
import type { WebhookReceiver } from './webhook-receiver.ts';

/** Reports a result of a push check. */
export const pushTo = async (by: Client, id: string, success: boolean) =>
  got(await by.post(`/v1/checks/${id}/results`, { success, latency_ms: 5, error_message: 'disk full' }), 201);

/** Creates a check that is down, with a Slack channel to the receiver, and returns the body of its alert. */
export async function failingCheck(
  by: Client,
  receiver: WebhookReceiver,
  name: string,
): Promise<{ id: string; body: string }> {
  const { id } = await newCheck(by, { failure_threshold: 1, interval_seconds: 3600, name });
  const path = `/${id}`;
  const channel = { channel_type: 'slack', config: { url: receiver.url + path } };
  got(await by.post(`/v1/checks/${id}/policy/channels`, channel), 201);
  await pushTo(by, id, true);
  await pushTo(by, id, false);
  return { id, body: await eventually(() => receiver.received.find((one) => one.path === path)?.body) };
}
