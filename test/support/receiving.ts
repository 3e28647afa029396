import { afterAll, beforeAll } from 'vitest';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

/** A target and receiver of the tests of a `describe`, at an address of its own; there once a test runs. */
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
