import { beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '#lib/access/change-account.ts';
import { type Client, clientOf, failure, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got } from '#test/support/fleet.ts';
import { receiving } from '#test/support/receiving.ts';
import { type Service, startService } from '#test/support/service.ts';

const receiver = receiving();
const channel = (name = 'On call') => ({ name, channel_type: 'slack', config: { url: `${receiver().url}/${name}` } });

const sizes = async (client: Client) => ({
  entities: (await client.get('/v1/blueprints/service/entities')).body.length,
  checks: (await client.get('/v1/checks')).body.length,
  channels: (await client.get('/v1/notify/channels')).body.length,
});

describe('POST /v1/monitors', () => {
  it('creates entity, check and channel, and the outage is reported to the channel', async () => {
    const client = await newTenant();
    const body = { target: 'http://127.77.0.9:1/', name: 'Web shop', interval_seconds: 2, channel: channel('shop') };
    const { entity, check, channels, notes } = got(await client.post('/v1/monitors', body), 201);
    expect(entity).toMatchObject({ blueprint_slug: 'service', slug: '127-77-0-9', name: 'Web shop' });
    expect(check).toMatchObject({ entity_id: entity.id, check_type: 'http', target_url: body.target });
    expect(channels).toMatchObject([{ name: 'shop', scope: 'account', applies_to: null }]);
    expect(notes).toEqual([]);
    await eventually(() => receiver().received.some(({ path, body }) => path === '/shop' && /Web shop/.test(body)));
  });

  it('returns a note for a check without a channel, but not for one with its own channel', async () => {
    const client = await newTenant();
    const body = { target: 'shop.example.com', interval_seconds: 3600 };
    const { check, notes } = got(await client.post('/v1/monitors', body), 201);
    expect(notes.join(' ')).toContain('No channel receives the alerts.');
    const { name: _name, ...own } = channel();
    got(await client.post(`/v1/checks/${check.id}/policy/channels`, own), 201);
    const again = got(await client.post('/v1/monitors', body), 200);
    expect(again.notes.join(' ')).not.toContain('No channel receives');
  });

  it('creates nothing when it is repeated, also concurrently', async () => {
    const client = await newTenant();
    const body = { target: 'shop.example.com/cart', keyword: 'Cart', interval_seconds: 3600, channel: channel() };
    const replies = await Promise.all([1, 2, 3].map(() => client.post('/v1/monitors', body)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 200, 201]);
    expect(new Set(replies.map((reply) => reply.body.check.id)).size).toBe(1);
    const again = got(await client.post('/v1/monitors', body), 200);
    expect(again.notes).toContain('The target is monitored already. No check was created.');
    expect(await sizes(client)).toEqual({ entities: 1, checks: 1, channels: 1 });
  });

  it('rejects other settings for a monitored target and names the check', async () => {
    const client = await newTenant();
    const { check } = got(await client.post('/v1/monitors', { target: 'shop.example.com' }), 201);
    const other = await client.post('/v1/monitors', { target: 'shop.example.com', keyword: 'Welcome' });
    expect(other).toMatchObject(failure(409, 'CONFLICT'));
    expect(other.body.error).toContain(`Change it with PUT /v1/checks/${check.id}`);
  });

  it('adds checks of one host to one entity; another host with the same entity slug gets a new entity', async () => {
    const client = await newTenant();
    const add = async (body: object) => got(await client.post('/v1/monitors', body), 201);
    const first = await add({ target: 'a.b.example.com', name: 'Shop' });
    const certificate = await add({ preset: 'certificate', target: 'a.b.example.com' });
    expect(certificate.entity).toEqual(first.entity);
    const health = await add({ target: 'a.b.example.com/health' });
    expect(health).toMatchObject({ entity: { id: first.entity.id }, check: { name: 'Website /health' } });
    const other = await add({ target: 'a-b.example.com' });
    expect(other.entity).toMatchObject({ slug: 'a-b-example-com-2', name: 'a-b.example.com' });
  });

  it('uses the default blueprint, and asks for an entity if the blueprint has required fields', async () => {
    const client = await newTenant();
    const fields = [{ name: 'owner', field_type: 'string', required: true }];
    got(await client.post('/v1/blueprints', { slug: 'server', name: 'Server', fields }), 201);
    const body = { preset: 'tcp_port', target: 'db.example.com:22', name: 'Database' };
    const refused = await client.post('/v1/monitors', body);
    expect(refused).toMatchObject(failure(409, 'CONFLICT'));
    expect(JSON.stringify(refused.body)).toContain('slug db-example-com and label host: db.example.com first');
    const labels = { host: 'db.example.com' };
    const entity = { slug: 'db-example-com', name: 'Database', labels, fields: { owner: 'Ann' } };
    const { id } = got(await client.post('/v1/blueprints/server/entities', entity), 201);
    expect(got(await client.post('/v1/monitors', body), 201)).toMatchObject({ entity: { id } });
  });

  it('creates a check for a cron job, which has a ping address and a slug', async () => {
    const client = await newTenant();
    const body = { preset: 'cron_job', name: 'Nightly backup', schedule: '30 2 * * *', timezone: 'Europe/Berlin' };
    const { check } = got(await client.post('/v1/monitors', body), 201);
    expect(check).toMatchObject({ check_type: 'push', slug: 'nightly-backup', failure_threshold: 1 });
    expect((await fetch(check.ping_url)).status).toBe(200);
    got(await client.post('/v1/monitors', body), 200);
    const utc = got(await client.post('/v1/monitors', { preset: 'cron_job', name: 'Report', schedule: '@daily' }), 201);
    expect(utc.check.config).toEqual({ schedule: '@daily' });
  });

  it.each([
    [{ preset: 'web_site', target: 'example.com' }, 'preset', 'did you mean website?'],
    [{ target: 'http://169.254.169.254/latest' }, 'target', 'the operator can allow it with EGRESS_ALLOW'],
    [{ preset: 'domain', target: '192.0.2.1' }, 'target', 'must be a registered domain'],
    [{ preset: 'cron_job', name: 'Backup', schedule: '61 * * * *' }, 'schedule', ''],
    [{ target: 'example.com', interval_seconds: 90_000 }, 'interval_seconds', ''],
    [{ target: 'example.com', url: 'https://example.com' }, 'url', ''],
    [{ target: 'example.com', channel: { name: 'a', channel_type: 'slack', config: {} } }, 'channel.config.url', ''],
    [
      { target: 'example.com', channel: { ...channelTo('http://169.254.169.254/') } },
      'channel.config.url',
      'EGRESS_ALLOW',
    ],
  ])('rejects %j at %s, and creates nothing', async (body, path, message) => {
    const client = await newTenant();
    const refused = await client.post('/v1/monitors', body);
    expect(refused).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    expect(refused.body.details[0].message).toContain(message);
    expect(got(await client.get('/v1/blueprints'), 200)).toEqual([]);
    expect(got(await client.get('/v1/notify/channels'), 200)).toEqual([]);
  });
});

function channelTo(url: string) {
  return { name: 'a', channel_type: 'slack', config: { url } };
}

describe('a monitor beyond the limit of checks', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
    return async () => void (await service.stop());
  });

  it('creates no entity', async () => {
    const account = { email: 'ann@example.com', name: 'Ann', check_limit: 1 };
    const { key } = await createAccount(service, account, { sharedEmail: true });
    const client = clientOf(service.url, key.key);
    got(await client.post('/v1/monitors', { target: 'a.example.com' }), 201);
    expect(await client.post('/v1/monitors', { target: 'b.example.com' })).toMatchObject(
      failure(409, 'LIMIT_EXCEEDED'),
    );
    expect(await sizes(client)).toMatchObject({ entities: 1, checks: 1 });
    got(await client.post('/v1/monitors', { target: 'a.example.com' }), 200);
  });
});
