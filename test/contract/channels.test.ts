import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { everything, got, newCheck } from '#test/support/fleet.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

let client: Client;
let readOnly: Client;
let receiver: WebhookReceiver;
let id: string;
beforeAll(async () => {
  client = await newTenant();
  receiver = await startReceiver({ host: '127.77.0.1' });
  readOnly = await keyOf(client, { is_read_only: true });
  id = (await newCheck(client)).id;
});
afterAll(() => receiver.close());

const webhook = { channel_type: 'webhook', config: { url: 'https://hooks.example.com/fleet', secret: 'letmesign' } };

describe('channels', () => {
  it('are added to a policy, listed with it and across all checks, and removed', async () => {
    const channel = got(await client.post(`/v1/checks/${id}/policy/channels`, webhook), 201);
    expect(channel).toEqual({
      id: expect.stringMatching(/^chn_/),
      scope: 'check',
      check_id: id,
      ...webhook,
      addresses: null,
      group_seconds: 0,
      created_at: expect.any(String),
      last_delivery: null,
    });
    expect(got(await client.get(`/v1/checks/${id}/policy`), 200).channels).toEqual([channel]);
    expect(got(await client.get('/v1/notify/channels'), 200)).toEqual([channel]);

    got(await client.del(`/v1/checks/${id}/policy/channels/${channel.id}`), 204);
    expect(got(await client.get(`/v1/checks/${id}/policy`), 200).channels).toEqual([]);
    expect(got(await client.get('/v1/notify/channels'), 200)).toEqual([]);
    expect((await client.del(`/v1/checks/${id}/policy/channels/${channel.id}`)).status).toBe(404);
  });

  it('reject a webhook without TLS and an unknown config key', async () => {
    const plain = await client.post(`/v1/checks/${id}/policy/channels`, {
      channel_type: 'webhook',
      config: { url: 'http://hooks.example.com/', sekret: 'x' },
    });
    expect([plain.status, plain.body.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(plain.body.details.map((detail: { path: string }) => detail.path)).toEqual(['config.sekret', 'config.url']);
  });

  it('show their secrets to a key that can write, and not to a read-only key', async () => {
    const { id: check } = await newCheck(client);
    got(await client.post(`/v1/checks/${check}/policy/channels`, webhook), 201);
    const shown = got(await readOnly.get(`/v1/checks/${check}/policy`), 200).channels[0];
    expect(shown.config).toEqual({ url: '********', secret: '********' });
    const listed = got(await readOnly.get('/v1/notify/channels'), 200);
    expect(JSON.stringify(listed)).not.toMatch(/hooks\.example\.com|letmesign/);
    expect((await readOnly.post(`/v1/checks/${check}/policy/channels`, webhook)).body.code).toBe('READ_ONLY');
    expect((await readOnly.del(`/v1/checks/${check}/policy/channels/${shown.id}`)).body.code).toBe('READ_ONLY');
    expect((await readOnly.post(`/v1/checks/${check}/policy/channels/${shown.id}/test`)).body.code).toBe('READ_ONLY');
  });

  it('are limited to ten per check and listed in pages', async () => {
    const tenant = await newTenant();
    const { id: check } = await newCheck(tenant);
    for (let i = 0; i < 10; i++) got(await tenant.post(`/v1/checks/${check}/policy/channels`, webhook), 201);
    const eleventh = await tenant.post(`/v1/checks/${check}/policy/channels`, webhook);
    expect([eleventh.status, eleventh.body.code]).toEqual([409, 'LIMIT_EXCEEDED']);

    const all = got(await tenant.get('/v1/notify/channels'), 200);
    expect(all).toHaveLength(10);
    expect(await everything(tenant, '/v1/notify/channels?limit=3')).toEqual(all);
  });

  it('disappear immediately with their check', async () => {
    const tenant = await newTenant();
    const { id: check } = await newCheck(tenant);
    got(await tenant.post(`/v1/checks/${check}/policy/channels`, webhook), 201);
    got(await tenant.del(`/v1/checks/${check}`), 204);
    expect(got(await tenant.get('/v1/notify/channels'), 200)).toEqual([]);
  });
});

describe('a test alert', () => {
  it('is sent immediately and returns its delivery record', async () => {
    const body = { channel_type: 'slack', config: { url: `${receiver.url}/services/one` } };
    const channel = got(await client.post(`/v1/checks/${id}/policy/channels`, body), 201);
    const response = got(await client.post(`/v1/checks/${id}/policy/channels/${channel.id}/test`), 200);
    const { preview, ...delivery } = response;
    expect(preview).toEqual({ title: expect.stringMatching(/ is down$/), body: expect.stringContaining('Why: ') });
    expect(delivery).toMatchObject({ kind: 'test', transition_id: null, channel_id: channel.id, status: 'sent' });

    const request = receiver.received.find((one) => one.path === '/services/one');
    expect(request?.headers['x-service-delivery']).toBe(delivery.id);
    expect(request?.headers['x-service-kind']).toBe('test');
    expect(got(await client.get('/v1/notify/logs'), 200)[0]).toEqual(delivery);
    expect(got(await client.get(`/v1/checks/${id}/policy`), 200).channels[0].last_delivery).toEqual(delivery);
  });

  it('uses the templates of its channel and previews an alert', async () => {
    const config = {
      url: `${receiver.url}/services/own`,
      title_template: '[{{state}}] {{entity_name}}',
      body_template: '{{#if error}}Why: {{error}}{{/if}}{{#if cause}} by {{cause}}{{/if}}',
    };
    const path = `/v1/checks/${id}/policy/channels`;
    const channel = got(await client.post(path, { channel_type: 'slack', config }), 201);
    const { preview } = got(await client.post(`${path}/${channel.id}/test`), 200);
    expect(preview).toEqual({
      title: expect.stringMatching(/^\[down\] /),
      body: 'Why: expected status 200, got 503 (Service Unavailable)',
    });
    const text = JSON.parse(receiver.received.find((one) => one.path === '/services/own')!.body).text;
    expect(text).toMatch(/^:white_circle: \[\w+\] /);
    const open = { config: { body_template: '{{#if error}}' } };
    expect(await client.put(`${path}/${channel.id}`, open)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'config.body_template'),
    );
    got(await client.put(`${path}/${channel.id}`, { config: { body_template: null, title_template: null } }), 200);
    expect(got(await client.post(`${path}/${channel.id}/test`), 200).preview.title).toMatch(/ is down$/);
  });

  it('reports the error when the destination does not accept it', async () => {
    const body = { channel_type: 'ntfy', config: { url: 'http://127.77.0.9:9/ops', token: 'tk_secret' } };
    const channel = got(await client.post(`/v1/checks/${id}/policy/channels`, body), 201);
    const delivery = got(await client.post(`/v1/checks/${id}/policy/channels/${channel.id}/test`), 200);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 1, sent_at: null });
    expect(delivery.error).not.toBe('');
    expect(delivery.error).not.toContain('tk_secret');
  });
});
