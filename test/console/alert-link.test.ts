import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowserContext } from '#test/support/browser.ts';
import { type Client, newTenantOf } from '#test/support/client.ts';
import { failingCheck } from '#test/support/failing-check.ts';
import { got } from '#test/support/fleet.ts';
import { type Service, startService } from '#test/support/service.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import { inBrowser } from './browser-and-service.ts';
import { binary } from './chromium.ts';

describe.skipIf(!binary)('page of an acknowledgement link in a browser', () => {
  const world = inBrowser();
  let service: Service;
  let client: Client;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    service = await startService();
    client = await newTenantOf(service);
    receiver = await startReceiver({ host: '127.77.0.1' });
  });
  afterAll(async () => {
    await service?.stop();
    await receiver?.close();
  });

  it('asks for a name, and fills it in at the next link', async () => {
    const { page, complaints } = await openBrowserContext(world.browser);
    const field = page.getByLabel('Your name (optional)');
    const openNext = async (): Promise<string> => {
      const { id, body } = await failingCheck(client, receiver, 'backup');
      await page.goto(/<([^<|]*)\|Acknowledge>/.exec(body)![1]!);
      return id;
    };
    const id = await openNext();
    expect(await field.inputValue()).toBe('');
    await field.fill('Mia');
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByRole('heading', { name: /is acknowledged/ }).waitFor();
    const { acknowledgement } = got(await client.get(`/v1/checks/${id}`), 200);
    expect(acknowledgement.by).toBe('Mia, by a link in Slack');
    await openNext();
    expect(await field.inputValue()).toBe('Mia');
    expect(complaints).toEqual([]);
  });
});
