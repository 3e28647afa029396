import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PolicyItem } from '#lib/alerting/policy/policy.ts';
import { type AlertWorld, alertWorld, TENANT } from '#test/support/alert-world.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';
import { callAlerts } from './call-alerts.ts';

const POLICY = '/v1/checks/chk_pay/policy';
const CHANNELS = `${POLICY}/channels`;
const HOOK = 'https://hooks.example.com/services/T0/B0/key';

let world: AlertWorld;
beforeEach(async () => {
  world = await alertWorld();
});

const call = (method: string, path: string, body?: unknown, context = world.context) =>
  callAlerts(context, method, path, body);

const addSlack = async (url = HOOK): Promise<string> =>
  (await call('POST', CHANNELS, { channel_type: 'slack', config: { url } })).body.id;
const stored = () => world.table.get<PolicyItem>(world.keys.policy(TENANT, 'chk_pay'));

describe('the policy of a check', () => {
  it('exists from the start, as old as the check, without being stored', async () => {
    const { body } = await call('GET', POLICY);
    expect(body).toMatchObject({ check_id: 'chk_pay', channels: [], updated_at: '2026-11-21T05:16:40.123Z' });
    expect(await stored()).toBeUndefined();
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
    ['late', 0],
  ])('rejects %s: %j, and names the setting', async (name, value) => {
    const { status, body } = await call('POST', POLICY, { [name]: value });
    expect([status, body.code, body.details?.[0]?.path]).toEqual([400, 'VALIDATION_ERROR', name]);
  });

  it('accepts the bounds', async () => {
    for (const value of [0, 604_800]) {
      const { status } = await call('POST', POLICY, { cooldown_seconds: value, repeat_interval_seconds: value });
      expect(status).toBe(200);
    }
    expect((await call('POST', POLICY, { repeat_interval_seconds: 10 })).status).toBe(200);
  });

  it('loses no concurrent change', async () => {
    await Promise.all([
      ...Array.from({ length: 5 }, () => addSlack()),
      call('POST', POLICY, { silenced: true }),
      call('POST', POLICY, { late_alerts: false }),
    ]);
    const { body } = await call('GET', POLICY);
    expect(body).toMatchObject({ silenced: true, late_alerts: false });
    expect(body.channels).toHaveLength(5);
  });

  it('is not stored when its check is deleted concurrently', async () => {
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
  it.each([
    ['an unknown type', { channel_type: 'pigeon', config: {} }, 'channel_type'],
    ['no type', { config: {} }, 'channel_type'],
    ['no config', { channel_type: 'slack' }, 'config'],
    ['a config that is not an object', { channel_type: 'slack', config: 'https://x.test' }, 'config'],
    ['an unknown config key', { channel_type: 'slack', config: { url: HOOK, room: '#ops' } }, 'config.room'],
    ['a webhook without TLS', { channel_type: 'webhook', config: { url: 'http://example.com/' } }, 'config.url'],
    ['a metadata address', { channel_type: 'slack', config: { url: 'http://169.254.169.254/' } }, 'config.url'],
  ])('are rejected with %s', async (_what, body, path) => {
    const answer = await call('POST', CHANNELS, body);
    expect([answer.status, answer.body.code, answer.body.details[0].path]).toEqual([400, 'VALIDATION_ERROR', path]);
    expect(await stored()).toBeUndefined();
  });

  it('cannot use a private address when only public ones are allowed', async () => {
    world = await alertWorld({ CHECK_EGRESS: 'public' });
    const { body } = await call('POST', CHANNELS, { channel_type: 'slack', config: { url: 'http://10.0.0.7/hook' } });
    expect(body.error).toContain('10.0.0.7 is a private address');
    expect((await call('POST', CHANNELS, { channel_type: 'slack', config: { url: HOOK } })).status).toBe(201);
  });

  it('are not listed after the deletion of their check', async () => {
    await addSlack();
    await world.table.transact([{ delete: { pk: world.check.pk, sk: world.check.sk } }]);
    expect((await call('GET', '/v1/notify/channels')).body).toEqual([]);
  });

  it('are listed page by page across the buckets', async () => {
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
});

describe('a test alert', () => {
  let receiver: WebhookReceiver;
  let url: string;
  beforeEach(async () => {
    receiver = await startReceiver();
    url = `${receiver.url}/services/secretpath`;
  });
  afterEach(() => receiver.close());

  it('is sent immediately, even when silenced, and returns its delivery', async () => {
    await call('POST', POLICY, { silenced: true });
    const id = await addSlack(url);
    const { status, body: answer } = await call('POST', `${CHANNELS}/${id}/test`);
    expect(status).toBe(200);
    const { preview, ...body } = answer;
    expect(preview).toEqual({
      title: 'Shop: checkout is down',
      body: [
        'Check: up → down',
        'Entity: up → down',
        'Failing since: 2026-11-21 05:16:40 UTC',
        'Why: expected status 200, got 503 (Service Unavailable)',
      ].join('\n'),
    });
    expect(body).toEqual({
      id: expect.stringMatching(/^dlv_/),
      kind: 'test',
      transition_id: null,
      from_state: null,
      to_state: null,
      check_id: 'chk_pay',
      entity_id: 'ent_shop',
      channel_id: id,
      channel_type: 'slack',
      step: null,
      group_id: null,
      combined_in: null,
      status: 'sent',
      attempts: 1,
      sent_at: '2026-11-21T05:16:40.123Z',
      error: '',
      created_at: '2026-11-21T05:16:40.123Z',
      updated_at: '2026-11-21T05:16:40.123Z',
    });
    expect(receiver.received[0]!.headers).toMatchObject({ 'x-service-kind': 'test', 'x-service-delivery': body.id });
    expect(JSON.parse(receiver.received[0]!.body).text).toContain('Test alert for Shop: checkout');
    expect((await call('GET', '/v1/notify/logs')).body).toEqual([body]);
    expect((await call('GET', POLICY)).body.channels[0].last_delivery).toEqual(body);
  });

  it('is attempted once and returns the error', async () => {
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

  it('returns NOT_FOUND for an unknown channel', async () => {
    expect((await call('POST', `${CHANNELS}/chn_nobody/test`)).body.code).toBe('NOT_FOUND');
  });
});
