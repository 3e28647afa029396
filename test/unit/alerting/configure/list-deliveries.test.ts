import { beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import { newDelivery } from '#lib/alerting/notify/fan-out.ts';
import { type AlertWorld, alertWorld } from '#test/support/alert-world.ts';
import { callAlerts } from './call-alerts.ts';

let world: AlertWorld;
beforeEach(async () => {
  world = await alertWorld();
});

const call = (method: string, path: string, body?: unknown, context = world.context) =>
  callAlerts(context, method, path, body);

describe('the delivery log', () => {
  const put = async (n: number, changes: Partial<DeliveryItem> = {}): Promise<string> => {
    world.pass(1000);
    const transition = world.transition(['chn_1'], { transition_id: `trn_${n}`, expires_at: 9e9 });
    const alert = world.alertOf(transition, ['chn_1'], { at: world.now() });
    return (await world.put({ ...newDelivery(world, alert, alert.to[0]!), ...changes })).id;
  };
  const idsAt = async (path: string) => {
    const { body, headers } = await call('GET', path);
    return { ids: body.map((one: { id: string }) => one.id), next: /^<([^>]+)>/.exec(headers.link ?? '')?.[1] };
  };

  it('lists fifty deliveries per page, newest first, across its buckets', async () => {
    const made: string[] = [];
    for (let n = 0; n < 60; n++) made.unshift(await put(n));
    const first = await idsAt('/v1/notify/logs');
    expect(first.ids).toEqual(made.slice(0, 50));
    expect(await idsAt(first.next!)).toEqual({ ids: made.slice(50), next: undefined });

    const small: string[] = [];
    for (let path: string | undefined = '/v1/notify/logs?limit=7'; path !== undefined; ) {
      const page = await idsAt(path);
      expect(page.ids.length).toBeLessThanOrEqual(7);
      small.push(...page.ids);
      path = page.next;
    }
    expect(small).toEqual(made);
  });

  it('hides deliveries of a deleted entity', async () => {
    const kept = await put(1);
    for (let n = 2; n < 80; n++) await put(n, { entity_id: 'ent_gone' });
    expect(await idsAt('/v1/notify/logs')).toEqual({ ids: [kept], next: undefined });
  });

  it('ends at the retention of the history', async () => {
    await put(1);
    world.pass(91 * 86_400_000);
    const fresh = await put(2);
    expect((await idsAt('/v1/notify/logs')).ids).toEqual([fresh]);
  });

  it('hides addresses in errors from a read-only key', async () => {
    await put(1, { error: 'cannot reach https://hooks.example.com/services/x: refused' });
    const { body } = await call('GET', '/v1/notify/logs', undefined, world.readOnly);
    expect(body[0].error).not.toContain('hooks.example.com');
  });

  it.each(['limit=0', 'limit=ten', 'cursor=garbled'])('rejects %s', async (query) => {
    expect((await call('GET', `/v1/notify/logs?${query}`)).body.code).toBe('VALIDATION_ERROR');
  });

  it('rejects the cursor of another list', async () => {
    const slack = { channel_type: 'slack', config: { url: 'https://hooks.example.com/services/x' } };
    for (let n = 0; n < 3; n++) await call('POST', '/v1/checks/chk_pay/policy/channels', slack);
    const { headers } = await call('GET', '/v1/notify/channels?limit=1');
    const cursor = /cursor=([^&>]+)/.exec(headers.link!)![1];
    expect((await call('GET', `/v1/notify/logs?cursor=${cursor}`)).status).toBe(400);
  });
});
