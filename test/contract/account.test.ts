import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createAccount, setLimits } from '#lib/access/change-account.ts';
import { type Client, clientOf, failure, keyOf, newTenant } from '#test/support/client.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';
import { type Service, startService, target } from '#test/support/service.ts';

const invited = async (admin: Client, url: string): Promise<Client> => {
  const { invite_token: token } = got(
    await admin.post('/v1/settings/users/invite', { email: 'bea@example.com', role: 'member' }),
    201,
  );
  return clientOf(url, got(await admin.post('/v1/invitations/accept', { token, name: 'Bea' }), 201).key);
};

describe('PUT /v1/account', () => {
  it('changes only the given properties', async () => {
    const admin = await newTenant();
    const changed = got(await admin.put('/v1/account', { name: 'Shop Inc' }), 200);
    expect(changed).toMatchObject({ id: admin.id, name: 'Shop Inc', email: 'test@example.com', egress: 'any' });
    expect(got(await admin.put('/v1/account', { email: 'ops@shop.example' }), 200)).toEqual({
      ...changed,
      email: 'ops@shop.example',
    });
    expect((await admin.get('/v1/me')).body).toMatchObject({ name: 'Shop Inc', email: 'ops@shop.example' });
  });

  it('accepts its record as returned and ignores the limits in it', async () => {
    const admin = await newTenant();
    const record = got(await admin.put('/v1/account', {}), 200);
    expect(got(await admin.put('/v1/account', { ...record, blueprint_limit: 9999, egress: 'public' }), 200)).toEqual(
      record,
    );
  });

  it.each([
    ['an invalid e-mail address', { email: 'x@' }, 'email'],
    ['an empty name', { name: '' }, 'name'],
    ['an unknown property', { mail: 'a@example.com' }, 'mail'],
  ])('rejects %s', async (_what, body, path) => {
    const admin = await newTenant();
    expect(await admin.put('/v1/account', body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });

  it('requires an admin with a key that can write', async () => {
    const admin = await newTenant();
    const member = await invited(admin, (await target()).url);
    expect(await member.put('/v1/account', { name: 'x' })).toMatchObject(failure(403, 'FORBIDDEN'));
    const reader = await keyOf(admin, { is_read_only: true });
    expect(await reader.put('/v1/account', { name: 'x' })).toMatchObject(failure(403, 'READ_ONLY'));
  });

  it('does not reveal that another account has the same address', async () => {
    const [one, two] = [await newTenant(), await newTenant()];
    for (const client of [one, two]) got(await client.put('/v1/account', { email: 'same@example.com' }), 200);
  });
});

describe('GET /v1/me', () => {
  it('shows the user of the key separately from the account', async () => {
    const admin = await newTenant();
    const member = await invited(admin, (await target()).url);
    const { body } = await member.get('/v1/me');
    expect(body).toMatchObject({ id: admin.id, email: 'test@example.com', role: 'member' });
    const user = { email: 'bea@example.com', name: 'Bea', monthly_report: false };
    expect(body.user).toEqual({ id: expect.stringMatching(/^usr_/), ...user });
  });

  it('shows usage next to each plan limit', async () => {
    const admin = await newTenant();
    const use = async () => got(await admin.get('/v1/me'), 200).use;
    const nothing = {
      blueprints: 0,
      entities: 0,
      largest_blueprint: null,
      checks: 0,
      checks_per_minute: 0,
      expressions_per_minute: 0,
      relations: 0,
    };
    expect(await use()).toEqual(nothing);

    const [one, two] = [await newEntity(admin), await newEntity(admin)];
    got(await admin.post('/v1/blueprints', { slug: 'team', name: 'Team' }), 201);
    got(await admin.post('/v1/blueprints/team/entities', { slug: 'ops', name: 'Ops' }), 201);
    const depends = { from_entity_id: one.id, to_entity_id: two.id, relation_type: 'depends_on' };
    got(await admin.post('/v1/relations', depends), 201);
    const probe = {
      entity_id: one.id,
      check_type: 'tcp',
      config: { host: '127.77.0.1', port: 9 },
      interval_seconds: 45,
    };
    const checks = [await newCheck(admin, probe), await newCheck(admin, probe), await newCheck(admin)];
    expect(await use()).toEqual({
      blueprints: 2,
      entities: 4,
      largest_blueprint: { slug: 'service', entities: 3 },
      checks: 3,
      // Two checks with 60 / 45 probes per minute each, rounded up. A push check is not probed.
      checks_per_minute: 3,
      expressions_per_minute: 0,
      relations: 1,
    });

    got(await admin.put(`/v1/checks/${checks[0].id}`, { enabled: false }), 200);
    got(await admin.del(`/v1/checks/${checks[2].id}`), 204);
    got(await admin.del('/v1/blueprints/team/entities/ops'), 204);
    got(await admin.del('/v1/blueprints/team'), 204);
    expect(await use()).toMatchObject({ blueprints: 1, entities: 3, checks: 2, checks_per_minute: 2 });
  });
});

describe('a second account', () => {
  let service: Service;
  let second: Client;
  beforeAll(async () => {
    service = await startService({ env: { EGRESS_ALLOW: '' } });
    const made = await createAccount(service, { email: 'two@example.com', name: 'Two' });
    second = clientOf(service.url, made.key.key);
  });
  afterAll(() => service.stop());

  const http = { check_type: 'http', enabled: false, target_url: 'http://127.0.0.1:9/' };

  it('reaches only public addresses, while the first reaches all that the service can', async () => {
    const first = clientOf(service.url, service.adminKey);
    expect((await first.get('/v1/me')).body.egress).toBe('any');
    expect((await second.get('/v1/me')).body.egress).toBe('public');
    const [one, two] = [await newEntity(first), await newEntity(second)];
    got(await first.post('/v1/checks', { entity_id: one.id, ...http }), 201);
    expect(await second.post('/v1/checks', { entity_id: two.id, ...http })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'target_url'),
    );
  });

  it('enforces egress when a check is changed or a channel is added', async () => {
    const entity = await newEntity(second);
    const elsewhere = { ...http, target_url: 'http://no-such-host.example.com/' };
    const { id } = got(await second.post('/v1/checks', { entity_id: entity.id, ...elsewhere }), 201);
    expect(await second.put(`/v1/checks/${id}`, { target_url: http.target_url })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'target_url'),
    );
    const channel = { channel_type: 'slack', config: { url: 'http://127.0.0.1:9/hook' } };
    expect(await second.post(`/v1/checks/${id}/policy/channels`, channel)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'config.url'),
    );
  });

  it('enforces egress on each probe and delivery after the operator restricts it', async () => {
    const { ports, keys } = service;
    const made = await createAccount(service, { email: 'three@example.com', name: 'Three', egress: 'any' });
    const third = clientOf(service.url, made.key.key);
    const server = createServer((_, response) => response.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const entity = await newEntity(third);
    const body = { entity_id: entity.id, check_type: 'http', target_url: url, interval_seconds: 1 };
    const { id } = got(await third.post('/v1/checks', body), 201);
    const channels = `/v1/checks/${id}/policy/channels`;
    const channel = got(await third.post(channels, { channel_type: 'slack', config: { url } }), 201);
    const last = async () => (await third.get(`/v1/checks/${id}`)).body.last_result;
    await vi.waitFor(async () => expect(await last()).toMatchObject({ success: true }), { timeout: 10_000 });
    expect((await third.post(`${channels}/${channel.id}/test`)).body.status).toBe('sent');

    await setLimits({ ports, keys, tenant: made.account.id, origin: 'operator' }, { egress: 'public' });
    await vi.waitFor(async () => expect(await last()).toMatchObject({ error_kind: 'egress' }), { timeout: 10_000 });
    expect((await third.post(`${channels}/${channel.id}/test`)).body).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('127.0.0.1 is a loopback address'),
    });
    server.close();
  });
});
