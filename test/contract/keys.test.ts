import { beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '#lib/platform/http/access.ts';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { newCheck } from '#test/support/fleet.ts';

const KEYS = '/v1/auth/keys';
const DAY = 86_400_000;
const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();

let admin: Client & { id: string };
let check: { id: string; entity_id: string };
let other: { id: string; entity_id: string };
beforeAll(async () => {
  admin = await newTenant();
  check = await newCheck(admin);
  other = await newCheck(admin);
  await admin.post('/v1/skills', { slug: 'runbook', name: 'Runbook', tools: [] });
});

const make = (body: object, by: Client = admin) => by.post(KEYS, { label: 'Job', ...body });
const listed = async (id: string) => (await admin.get(KEYS)).body.find((one: { id: string }) => one.id === id);

describe('a key with scopes', () => {
  it('is created and listed with them in the given order', async () => {
    const made = await make({ scopes: ['respond', 'read'] });
    expect(made).toMatchObject({ status: 201, body: { scopes: ['respond', 'read'], is_read_only: false } });
    expect(await listed(made.body.id)).toMatchObject({ scopes: ['respond', 'read'], status: 'active' });
  });

  it('can have every scope; null stands for no restriction', async () => {
    expect(await make({ scopes: SCOPES })).toMatchObject({ status: 201, body: { scopes: [...SCOPES] } });
    const nulls = { scopes: null, expires_at: null, check_ids: null, entity_ids: null, skills: null };
    expect(await make(nulls)).toMatchObject({ status: 201, body: nulls });
  });

  it('cannot create, rotate, extend, list or delete keys, not even itself', async () => {
    const victim = await keyOf(admin);
    for (const scopes of [...SCOPES.map((one) => [one]), [...SCOPES]]) {
      const key = await keyOf(admin, { scopes });
      for (const id of [key.id, victim.id]) {
        const responses = [
          await make({}, key),
          await key.get(KEYS),
          await key.put(`${KEYS}/${id}`, { label: 'Mine', expires_at: ahead(DAY) }),
          await key.post(`${KEYS}/${id}/rotate`, {}),
          await key.del(`${KEYS}/${id}`),
        ];
        for (const response of responses) expect(response).toMatchObject(failure(403, 'FORBIDDEN'));
      }
      expect((await key.post(`${KEYS}/${key.id}/rotate`, {})).body.error).toMatch(/needs a key without scopes/);
    }
  });

  it('gets an error that names its scopes and the required one', async () => {
    const key = await keyOf(admin, { scopes: ['push'] });
    expect((await key.get('/v1/status')).body.error).toBe(
      'This key has the scope push; this needs read. Create a key that has it.',
    );
  });
});

describe('the creation of a key', () => {
  const many = (count: number, prefix = 'chk') =>
    Array.from({ length: count }, (_, n) => `${prefix}_0${String(n).padStart(3, '0')}`);
  const push = { scopes: ['push'] };

  it.each<[string, () => object, string]>([
    ['an unknown scope', () => ({ scopes: ['delete'] }), 'scopes.0'],
    ['a duplicate scope', () => ({ scopes: ['read', 'mcp', 'read'] }), 'scopes.2'],
    ['an empty list of scopes', () => ({ scopes: [] }), 'scopes'],
    ['a text as scopes', () => ({ scopes: 'read' }), 'scopes'],
    ['scopes and is_read_only', () => ({ scopes: ['read'], is_read_only: true }), 'scopes'],
    ['check_ids without scopes', () => ({ check_ids: [check.id] }), 'check_ids'],
    [
      'check_ids with a scope other than push',
      () => ({ scopes: ['push', 'read'], check_ids: [check.id] }),
      'check_ids',
    ],
    ['entity_ids without scopes', () => ({ entity_ids: [check.entity_id] }), 'entity_ids'],
    ['an empty list of checks', () => ({ ...push, check_ids: [] }), 'check_ids'],
    ['a duplicate check', () => ({ ...push, check_ids: [check.id, check.id] }), 'check_ids.1'],
    ['an invalid id', () => ({ ...push, check_ids: ['#'] }), 'check_ids.0'],
    ['an id of another kind', () => ({ ...push, check_ids: [check.entity_id] }), 'check_ids.0'],
    ['an unknown check', () => ({ ...push, check_ids: [check.id, 'chk_0'] }), 'check_ids.1'],
    ['an unknown entity', () => ({ ...push, entity_ids: ['ent_0'] }), 'entity_ids.0'],
    ['51 checks', () => ({ ...push, check_ids: many(51) }), 'check_ids'],
    ['51 checks and entities', () => ({ ...push, check_ids: many(26), entity_ids: many(25, 'ent') }), 'entity_ids'],
    ['skills without mcp', () => ({ scopes: ['read'], skills: ['runbook'] }), 'skills'],
    ['skills without scopes', () => ({ skills: ['runbook'] }), 'skills'],
    ['an unknown skill', () => ({ scopes: ['mcp'], skills: ['runbook', 'none'] }), 'skills.1'],
    ['an invalid slug', () => ({ scopes: ['mcp'], skills: ['a b'] }), 'skills.0'],
    ['21 skills', () => ({ scopes: ['mcp'], skills: many(21) }), 'skills'],
    ['an expiry in the past', () => ({ expires_at: ahead(-1000) }), 'expires_at'],
    ['an expiry in less than a minute', () => ({ expires_at: ahead(50_000) }), 'expires_at'],
    ['an expiry in more than ten years', () => ({ expires_at: ahead(3651 * DAY) }), 'expires_at'],
    ['an expiry that is not a time', () => ({ expires_at: 'next year' }), 'expires_at'],
    ['an expiry on a day that does not exist', () => ({ expires_at: '2027-02-30' }), 'expires_at'],
    ['an expiry as a number', () => ({ expires_at: 1_900_000_000 }), 'expires_at'],
    ['a rate', () => ({ rate_per_second: 5 }), 'rate_per_second'],
    ['an owner', () => ({ owner: 'account' }), 'owner'],
    ['a role', () => ({ role: 'admin' }), 'role'],
  ])('is rejected with %s', async (_name, body, path) => {
    const before = (await admin.get(KEYS)).body.length;
    expect(await make(body())).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    expect((await admin.get(KEYS)).body).toHaveLength(before);
  });

  it('is rejected with the ids of another account, with the same errors as for unknown ids', async () => {
    const stranger = await newTenant();
    const { body } = await make({ ...push, check_ids: ['chk_0', check.id], entity_ids: [check.entity_id] }, stranger);
    expect(body.details).toEqual([
      { path: 'check_ids.0', message: 'this account has no such check' },
      { path: 'check_ids.1', message: 'this account has no such check' },
      { path: 'entity_ids.0', message: 'this account has no such entity' },
    ]);
    expect(await make({ scopes: ['mcp'], skills: ['runbook'] }, stranger)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'skills.0'),
    );
  });
});

describe('a key restricted to checks', () => {
  const beat = (key: Client, id: string) => key.post(`/v1/checks/${id}/heartbeat`);

  it('pushes only to these', async () => {
    const key = await keyOf(admin, { scopes: ['push'], check_ids: [check.id] });
    expect((await beat(key, check.id)).status).toBe(201);
    const result = { success: true, latency_ms: 1 };
    expect((await key.post(`/v1/checks/${check.id}/results`, result)).status).toBe(201);
    expect(await beat(key, other.id)).toMatchObject(failure(403, 'FORBIDDEN'));
    expect(await key.post(`/v1/checks/${other.id}/results`, { garbled: 1 })).toMatchObject(failure(403, 'FORBIDDEN'));
    expect((await beat(key, other.id)).body.error).toContain(other.id);
    expect((await admin.get(`/v1/checks/${other.id}`)).body.state).toBe('unknown');
  });

  it('pushes to every check of its entities, including later ones', async () => {
    const key = await keyOf(admin, { scopes: ['push'], check_ids: [check.id], entity_ids: [other.entity_id] });
    const { body: later } = await admin.post('/v1/checks', {
      entity_id: other.entity_id,
      check_type: 'push',
      name: 'later',
      interval_seconds: 3600,
    });
    const third = await newCheck(admin);
    const statuses = [];
    for (const { id } of [check, other, later, third]) statuses.push((await beat(key, id)).status);
    expect(statuses).toEqual([201, 201, 201, 403]);
  });

  it('gets 404 for an unknown check and a check of another account', async () => {
    const key = await keyOf(admin, { scopes: ['push'], check_ids: [check.id] });
    expect(await beat(key, 'chk_0')).toMatchObject(failure(404, 'NOT_FOUND'));
    const foreign = await newCheck(await newTenant());
    expect(await beat(key, foreign.id)).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('gets 403 for a pull check outside its restriction, instead of 409', async () => {
    const pullCheck = await newCheck(admin, { check_type: 'http', target_url: 'http://127.77.0.1:9', enabled: false });
    const key = await keyOf(admin, { scopes: ['push'], check_ids: [check.id] });
    expect(await beat(key, pullCheck.id)).toMatchObject(failure(403, 'FORBIDDEN'));
    expect(await beat(await keyOf(admin, { scopes: ['push'] }), pullCheck.id)).toMatchObject(failure(409, 'CONFLICT'));
  });
});

describe('a key restricted to skills', () => {
  it('is accepted only by MCP, whatever its scopes', async () => {
    const key = await keyOf(admin, { scopes: ['mcp', 'read', 'write', 'respond', 'push'], skills: ['runbook'] });
    for (const response of [await key.get('/v1/checks'), await key.post(`/v1/checks/${check.id}/heartbeat`)]) {
      expect(response).toMatchObject(failure(403, 'FORBIDDEN'));
      expect(response.body.error).toContain('runbook');
    }
  });
});
