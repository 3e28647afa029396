import { afterAll, beforeAll } from 'vitest';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

/**
 * Starts a server that receives probes and alerts, for the tests of a `describe`.
 * @returns a function that returns the server while a test runs
 */
export function receiving(host = '127.77.0.1'): () => WebhookReceiver {
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await startReceiver({ host });
  });
  afterAll(async () => {
    await receiver?.close();
  });
  return () => receiver;
}
