import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryItem } from '#lib/alerts/deliver/delivery-item.ts';
import { newDelivery } from '#lib/alerts/plan/new-delivery.ts';
import { alertRows } from '#lib/alerts/policy/routes.ts';
import type { PolicyItem } from '#lib/checks/policy-item.ts';
import { makeRouter } from '#lib/platform/http/router.ts';
import { type AlertWorld, alertWorld, TENANT } from '#test/support/alert-world.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

const POLICY = '/v1/checks/chk_pay/policy';
const CHANNELS = `${POLICY}/channels`;
const HOOK = 'https://hooks.example.com/services/T0/B0/key';

let world: AlertWorld;
beforeEach(async () => {
  world = await alertWorld();
});

/** One request through the gates of these rows. */
async function call(method: string, path: string, body?: unknown, context = world.context) {
  const router = makeRouter(alertRows, {
    authenticate: async () => context,
    anonymous: () => context,
    spend: async () => ({}),
    weigh: async () => {},
    inReadTurn: (_context, read) => read(),
    log: world.log,
  });
  const [rawPath = '', rawQueryString = ''] = path.split('?');
  const answer = await router({
    rawPath,
    rawQueryString,
    headers: {},
    body: body === undefined ? undefined : JSON.stringify(body),
    isBase64Encoded: false,
    requestContext: { requestId: 'r1', http: { method, path: rawPath } },
  });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: answer.body === '' ? undefined : JSON.parse(answer.body),
  };
}

const addSlack = async (url = HOOK): Promise<string> =>
  (await call('POST', CHANNELS, { channel_type: 'slack', config: { url } })).body.id;
const stored = () => world.table.get<PolicyItem>(world.keys.policy(TENANT, 'chk_pay'));

describe('the policy of a check', () => {
  it('is there from the start, with the defaults, and not stored', async () => {
    expect(await call('GET', POLICY)).toMatchObject({
      status: 200,
      body: {
        check_id: 'chk_pay',
        cooldown_seconds: 300,
        notify_on_recovery: true,
        silenced: false,
        repeat_interval_seconds: 0,
        catch_up: true,
        channels: [],
        updated_at: '2026-11-21T05:16:40.123Z',
      },
    });
    expect(await stored()).toBeUndefined();
  });

  it('keeps what a change leaves out or sends as null', async () => {
    await call('POST', POLICY, { cooldown_seconds: 0, silenced: true });
    const { status, body } = await call('POST', POLICY, { cooldown_seconds: null, repeat_interval_seconds: 60 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ cooldown_seconds: 0, silenced: true, repeat_interval_seconds: 60, catch_up: true });
    expect((await call('GET', POLICY)).body).toEqual(body);
  });

  it('can be sent back whole as it was read', async () => {
    await addSlack();
    const { body } = await call('GET', POLICY);
    expect((await call('POST', POLICY, body)).body).toEqual(body);
  });

  it.each([
    ['cooldown_seconds', -1],
    ['cooldown_seconds', 604_801],
    ['cooldown_seconds', 1.5],
    ['cooldown_seconds', '300'],
    ['repeat_interval_seconds', 9],
    ['repeat_interval_seconds', 604_801],
    ['silenced', 'yes'],
    ['notify_on_recovery', 1],
    ['catch_up', 0],
  ])('refuses %s of %j by name', async (name, value) => {
    const { status, body } = await call('POST', POLICY, { [name]: value });
    expect([status, body.code, body.details?.[0]?.path]).toEqual([400, 'VALIDATION_ERROR', name]);
  });

  it('takes the bounds themselves', async () => {
    for (const value of [0, 604_800]) {
      const { status } = await call('POST', POLICY, { cooldown_seconds: value, repeat_interval_seconds: value });
      expect(status).toBe(200);
    }
    expect((await call('POST', POLICY, { repeat_interval_seconds: 10 })).status).toBe(200);
  });

  it('is not found for a check that does not exist', async () => {
    const paths: [string, string][] = [
      ['GET', '/v1/checks/chk_no/policy'],
      ['POST', '/v1/checks/chk_no/policy'],
      ['POST', '/v1/checks/chk_no/policy/channels'],
      ['DELETE', '/v1/checks/chk_no/policy/channels/chn_1'],
      ['POST', '/v1/checks/chk_no/policy/channels/chn_1/test'],
    ];
    for (const [method, path] of paths) {
      expect((await call(method, path, method === 'POST' ? {} : undefined)).body).toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it('loses neither of two changes made at once', async () => {
    await Promise.all([
      ...Array.from({ length: 5 }, () => addSlack()),
      call('POST', POLICY, { silenced: true }),
      call('POST', POLICY, { catch_up: false }),
    ]);
    const { body } = await call('GET', POLICY);
    expect(body).toMatchObject({ silenced: true, catch_up: false });
    expect(body.channels).toHaveLength(5);
  });

  it('is never left behind by a check that is deleted meanwhile', async () => {
    const { transact } = world.table;
    world.ports.table.transact = async (writes) => {
      world.ports.table.transact = transact;
      await transact([{ delete: { pk: world.check.pk, sk: world.check.sk } }]);
      return transact(writes);
    };
    expect((await call('POST', POLICY, { silenced: true })).body.code).toBe('NOT_FOUND');
    expect(await stored()).toBeUndefined();
  });
});

describe('channels', () => {
  it('are added, shown with the policy and in the list of all, and removed', async () => {
    const made = await call('POST', CHANNELS, { channel_type: 'webhook', config: { url: HOOK, secret: 's' } });
    expect(made.status).toBe(201);
    const channel = {
      id: expect.stringMatching(/^chn_/),
      check_id: 'chk_pay',
      channel_type: 'webhook',
      config: { url: HOOK, secret: 's' },
      created_at: '2026-11-21T05:16:40.123Z',
      last_delivery: null,
    };
    expect(made.body).toEqual(channel);
    expect((await call('GET', POLICY)).body.channels).toEqual([channel]);
    expect((await call('GET', '/v1/notify/channels')).body).toEqual([channel]);

    expect((await call('DELETE', `${CHANNELS}/${made.body.id}`)).status).toBe(204);
    expect((await call('GET', POLICY)).body.channels).toEqual([]);
    expect((await call('GET', '/v1/notify/channels')).body).toEqual([]);
    expect((await call('DELETE', `${CHANNELS}/${made.body.id}`)).body.code).toBe('NOT_FOUND');
  });

  it('are at most ten', async () => {
    for (let i = 0; i < 10; i++) await addSlack();
    const { status, body } = await call('POST', CHANNELS, { channel_type: 'slack', config: { url: HOOK } });
    expect([status, body.code]).toEqual([409, 'LIMIT_EXCEEDED']);
    expect((await call('GET', '/v1/notify/channels')).body).toHaveLength(10);
  });

  it.each([
    ['an unknown type', { channel_type: 'pigeon', config: {} }, 'channel_type'],
    ['no type', { config: {} }, 'channel_type'],
    ['no config', { channel_type: 'slack' }, 'config'],
    ['a config that is no object', { channel_type: 'slack', config: 'https://x.test' }, 'config'],
    ['an unknown config key', { channel_type: 'slack', config: { url: HOOK, room: '#ops' } }, 'config.room'],
    ['a webhook without TLS', { channel_type: 'webhook', config: { url: 'http://example.com/' } }, 'config.url'],
    ['a metadata address', { channel_type: 'slack', config: { url: 'http://169.254.169.254/' } }, 'config.url'],
  ])('are refused with %s', async (_what, body, path) => {
    const answer = await call('POST', CHANNELS, body);
    expect([answer.status, answer.body.code, answer.body.details[0].path]).toEqual([400, 'VALIDATION_ERROR', path]);
    expect(await stored()).toBeUndefined();
  });

  it('may not lead to a private address where only public ones are allowed', async () => {
    world = await alertWorld({ CHECK_EGRESS: 'public' });
    const { body } = await call('POST', CHANNELS, { channel_type: 'slack', config: { url: 'http://10.0.0.7/hook' } });
    expect(body.error).toContain('10.0.0.7 is a private address');
    expect((await call('POST', CHANNELS, { channel_type: 'slack', config: { url: HOOK } })).status).toBe(201);
  });

  it('of a deleted check are in no list', async () => {
    await addSlack();
    await world.table.transact([{ delete: { pk: world.check.pk, sk: world.check.sk } }]);
    expect((await call('GET', '/v1/notify/channels')).body).toEqual([]);
  });

  it('page through the list of all, across its buckets', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 9; i++) {
      world.pass(1);
      ids.push(await addSlack());
    }
    const seen: string[] = [];
    let path: string | undefined = '/v1/notify/channels?limit=4';
    while (path !== undefined) {
      const answer = await call('GET', path);
      seen.push(...answer.body.map((channel: { id: string }) => channel.id));
      path = /^<([^>]+)>/.exec(answer.headers.link ?? '')?.[1];
    }
    expect(seen).toEqual(ids);
  });

  it('show a read-only key neither address nor secrets', async () => {
    await call('POST', CHANNELS, { channel_type: 'webhook', config: { url: HOOK, secret: 'letmesign' } });
    world.pass(1);
    await call('POST', CHANNELS, { channel_type: 'ntfy', config: { url: HOOK, token: 'tk_1' } });
    for (const path of [POLICY, '/v1/notify/channels']) {
      const { body } = await call('GET', path, undefined, world.readOnly);
      expect((body.channels ?? body).map((channel: { config: object }) => channel.config)).toEqual([
        { url: '********', secret: '********' },
        { url: '********', token: '********' },
      ]);
    }
    expect((await call('POST', POLICY, {}, world.readOnly)).body.code).toBe('READ_ONLY');
  });
});

describe('a test alert', () => {
  let receiver: WebhookReceiver;
  let url: string;
  beforeEach(async () => {
    receiver = await startReceiver();
    url = `${receiver.url}/services/secretpath`;
  });
  afterEach(() => receiver.close());

  it('goes out at once, even when silenced, and answers its delivery', async () => {
    await call('POST', POLICY, { silenced: true });
    const id = await addSlack(url);
    const { status, body } = await call('POST', `${CHANNELS}/${id}/test`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^dlv_/),
      kind: 'test',
      transition_id: null,
      check_id: 'chk_pay',
      entity_id: 'ent_shop',
      channel_id: id,
      channel_type: 'slack',
      status: 'sent',
      attempts: 1,
      sent_at: '2026-11-21T05:16:40.123Z',
      error: '',
      created_at: '2026-11-21T05:16:40.123Z',
      updated_at: '2026-11-21T05:16:40.123Z',
    });
    expect(receiver.received[0]!.headers).toMatchObject({ 'x-service-kind': 'test', 'x-service-delivery': body.id });
    expect(JSON.parse(receiver.received[0]!.body).text).toContain('Shop: test alert for checkout');
    expect((await call('GET', '/v1/notify/logs')).body).toEqual([body]);
    expect((await call('GET', POLICY)).body.channels[0].last_delivery).toEqual(body);
  });

  it('is attempted once and says what was wrong', async () => {
    receiver.behave({ status: 404, body: 'no_service' });
    const id = await addSlack(url);
    const { status, body } = await call('POST', `${CHANNELS}/${id}/test`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: 'the receiver answered 404 Not Found: no_service',
    });
    expect(world.sent).toEqual([]);
  });

  it('to a channel that is not there is not found', async () => {
    expect((await call('POST', `${CHANNELS}/chn_nobody/test`)).body.code).toBe('NOT_FOUND');
  });
});

describe('the delivery log', () => {
  const put = async (n: number, changes: Partial<DeliveryItem> = {}): Promise<string> => {
    world.pass(1000);
    const about = {
      tenant_id: TENANT,
      id: world.ports.ids.id('dlv'),
      kind: 'state_change' as const,
      transition_id: `trn_${n}`,
      transition_sk: `TR#${n}`,
      alert: { id: 'trn_1', deliveries: [] },
      announces: 'down' as const,
      check_id: 'chk_pay',
      entity_id: 'ent_shop',
    };
    const channel = { id: 'chn_1', channel_type: 'slack' };
    return (await world.put({ ...newDelivery(world, about, channel, 9e9), ...changes })).id;
  };
  const idsAt = async (path: string) => {
    const { body, headers } = await call('GET', path);
    return { ids: body.map((one: { id: string }) => one.id), next: /^<([^>]+)>/.exec(headers.link ?? '')?.[1] };
  };

  it('is newest first, fifty at a time, and pages to its end across its buckets', async () => {
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

  it('hides what belonged to an entity that is gone', async () => {
    const kept = await put(1);
    for (let n = 2; n < 80; n++) await put(n, { entity_id: 'ent_gone' });
    expect(await idsAt('/v1/notify/logs')).toEqual({ ids: [kept], next: undefined });
  });

  it('ends where history is no longer kept, whatever the store still holds', async () => {
    await put(1);
    world.pass(91 * 86_400_000);
    const fresh = await put(2);
    expect((await idsAt('/v1/notify/logs')).ids).toEqual([fresh]);
  });

  it('shows a read-only key no addresses in errors', async () => {
    await put(1, { error: 'cannot reach https://hooks.example.com/services/x: refused' });
    const { body } = await call('GET', '/v1/notify/logs', undefined, world.readOnly);
    expect(body[0].error).not.toContain('hooks.example.com');
  });

  it.each(['limit=0', 'limit=ten', 'cursor=garbled'])('refuses %s', async (query) => {
    expect((await call('GET', `/v1/notify/logs?${query}`)).body.code).toBe('VALIDATION_ERROR');
  });

  it('refuses the cursor of another list', async () => {
    for (let n = 0; n < 3; n++) await addSlack();
    const { headers } = await call('GET', '/v1/notify/channels?limit=1');
    const cursor = /cursor=([^&>]+)/.exec(headers.link!)![1];
    expect((await call('GET', `/v1/notify/logs?cursor=${cursor}`)).status).toBe(400);
  });
});
