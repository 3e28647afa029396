import { beforeAll, describe, expect, it } from 'vitest';
import { SCOPES } from '#lib/platform/http/access.ts';
import { type Client, failure, keyOf, memberOf, newTenant, TIME } from '#test/support/client.ts';
import { newCheck } from '#test/support/fleet.ts';
import { clientWith } from '#test/support/team.ts';

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
  it('is made and listed with them, in the order they were given', async () => {
    const made = await make({ scopes: ['respond', 'read'] });
    expect(made).toMatchObject({ status: 201, body: { scopes: ['respond', 'read'], is_read_only: false } });
    expect(await listed(made.body.id)).toMatchObject({ scopes: ['respond', 'read'], status: 'active' });
  });

  it('takes all of them, and null for no restriction', async () => {
    expect(await make({ scopes: SCOPES })).toMatchObject({ status: 201, body: { scopes: [...SCOPES] } });
    const nulls = { scopes: null, expires_at: null, check_ids: null, entity_ids: null, skills: null };
    expect(await make(nulls)).toMatchObject({ status: 201, body: nulls });
  });

  it('makes, rotates, prolongs, lists and deletes no key, not even itself', async () => {
    const victim = await keyOf(admin);
    for (const scopes of [...SCOPES.map((one) => [one]), [...SCOPES]]) {
      const key = await keyOf(admin, { scopes });
      for (const id of [key.id, victim.id]) {
        const answers = [
          await make({}, key),
          await key.get(KEYS),
          await key.put(`${KEYS}/${id}`, { label: 'Mine', expires_at: ahead(DAY) }),
          await key.post(`${KEYS}/${id}/rotate`, {}),
          await key.del(`${KEYS}/${id}`),
        ];
        for (const answer of answers) expect(answer).toMatchObject(failure(403, 'FORBIDDEN'));
      }
      expect((await key.post(`${KEYS}/${key.id}/rotate`, {})).body.error).toMatch(/needs a key without scopes/);
    }
  });

  it('is told what it has and what it would take', async () => {
    const key = await keyOf(admin, { scopes: ['push'] });
    expect((await key.get('/v1/status')).body.error).toBe(
      'This key has the scope push; this needs read. Make a key that has it.',
    );
  });
});

describe('a new key is refused with', () => {
  const many = (count: number, prefix = 'chk') =>
    Array.from({ length: count }, (_, n) => `${prefix}_0${String(n).padStart(3, '0')}`);
  const push = { scopes: ['push'] };

  it.each<[string, () => object, string]>([
    ['an unknown scope', () => ({ scopes: ['delete'] }), 'scopes.0'],
    ['a scope that there is not yet', () => ({ scopes: ['metrics'] }), 'scopes.0'],
    ['a scope that is there twice', () => ({ scopes: ['read', 'mcp', 'read'] }), 'scopes.2'],
    ['an empty list of scopes', () => ({ scopes: [] }), 'scopes'],
    ['a word for scopes', () => ({ scopes: 'read' }), 'scopes'],
    ['scopes and is_read_only', () => ({ scopes: ['read'], is_read_only: true }), 'scopes'],
    ['check_ids of a full key', () => ({ check_ids: [check.id] }), 'check_ids'],
    ['check_ids beside another scope', () => ({ scopes: ['push', 'read'], check_ids: [check.id] }), 'check_ids'],
    ['entity_ids of a full key', () => ({ entity_ids: [check.entity_id] }), 'entity_ids'],
    ['no check in check_ids', () => ({ ...push, check_ids: [] }), 'check_ids'],
    ['a check that is there twice', () => ({ ...push, check_ids: [check.id, check.id] }), 'check_ids.1'],
    ['what is no id', () => ({ ...push, check_ids: ['#'] }), 'check_ids.0'],
    ['the id of something else', () => ({ ...push, check_ids: [check.entity_id] }), 'check_ids.0'],
    ['a check that is not there', () => ({ ...push, check_ids: [check.id, 'chk_0'] }), 'check_ids.1'],
    ['an entity that is not there', () => ({ ...push, entity_ids: ['ent_0'] }), 'entity_ids.0'],
    ['51 checks', () => ({ ...push, check_ids: many(51) }), 'check_ids'],
    ['51 checks and entities', () => ({ ...push, check_ids: many(26), entity_ids: many(25, 'ent') }), 'entity_ids'],
    ['skills without mcp', () => ({ scopes: ['read'], skills: ['runbook'] }), 'skills'],
    ['skills of a full key', () => ({ skills: ['runbook'] }), 'skills'],
    ['a skill that is not there', () => ({ scopes: ['mcp'], skills: ['runbook', 'none'] }), 'skills.1'],
    ['what is no slug', () => ({ scopes: ['mcp'], skills: ['a b'] }), 'skills.0'],
    ['21 skills', () => ({ scopes: ['mcp'], skills: many(21) }), 'skills'],
    ['an expiry that is past', () => ({ expires_at: ahead(-1000) }), 'expires_at'],
    ['an expiry in less than a minute', () => ({ expires_at: ahead(50_000) }), 'expires_at'],
    ['an expiry in more than ten years', () => ({ expires_at: ahead(3651 * DAY) }), 'expires_at'],
    ['an expiry that is no time', () => ({ expires_at: 'next year' }), 'expires_at'],
    ['an expiry on a day that there is not', () => ({ expires_at: '2027-02-30' }), 'expires_at'],
    ['an expiry as a number', () => ({ expires_at: 1_900_000_000 }), 'expires_at'],
    ['a rate', () => ({ rate_per_second: 5 }), 'rate_per_second'],
    ['an owner', () => ({ owner: 'account' }), 'owner'],
    ['a role', () => ({ role: 'admin' }), 'role'],
  ])('%s', async (_name, body, path) => {
    const before = (await admin.get(KEYS)).body.length;
    expect(await make(body())).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    expect((await admin.get(KEYS)).body).toHaveLength(before);
  });

  it('checks, entities and skills of another account, as if there were none; each of several is named', async () => {
    const stranger = await newTenant();
    const { body } = await make({ ...push, check_ids: ['chk_0', check.id], entity_ids: [check.entity_id] }, stranger);
    expect(body.details).toEqual([
      { path: 'check_ids.0', message: 'names no check of this account' },
      { path: 'check_ids.1', message: 'names no check of this account' },
      { path: 'entity_ids.0', message: 'names no entity of this account' },
    ]);
    expect(await make({ scopes: ['mcp'], skills: ['runbook'] }, stranger)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'skills.0'),
    );
  });
});

describe('a key for some checks', () => {
  const beat = (key: Client, id: string) => key.post(`/v1/checks/${id}/heartbeat`);

  it('pushes to these, and to none but these', async () => {
    const key = await keyOf(admin, { scopes: ['push'], check_ids: [check.id] });
    expect((await beat(key, check.id)).status).toBe(201);
    const result = { success: true, latency_ms: 1 };
    expect((await key.post(`/v1/checks/${check.id}/results`, result)).status).toBe(201);
    expect(await beat(key, other.id)).toMatchObject(failure(403, 'FORBIDDEN'));
    expect(await key.post(`/v1/checks/${other.id}/results`, { garbled: 1 })).toMatchObject(failure(403, 'FORBIDDEN'));
    expect((await beat(key, other.id)).body.error).toContain(other.id);
    expect((await admin.get(`/v1/checks/${other.id}`)).body.state).toBe('unknown');
  });

  it('pushes to every check of its entities, also one made later', async () => {
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

  it('finds no check that is not there, whoever asks', async () => {
    const key = await keyOf(admin, { scopes: ['push'], check_ids: [check.id] });
    expect(await beat(key, 'chk_0')).toMatchObject(failure(404, 'NOT_FOUND'));
    const theirs = await newCheck(await newTenant());
    expect(await beat(key, theirs.id)).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('is refused before a pull check is', async () => {
    const pulled = await newCheck(admin, { check_type: 'http', target_url: 'http://127.77.0.1:9', enabled: false });
    const key = await keyOf(admin, { scopes: ['push'], check_ids: [check.id] });
    expect(await beat(key, pulled.id)).toMatchObject(failure(403, 'FORBIDDEN'));
    expect(await beat(await keyOf(admin, { scopes: ['push'] }), pulled.id)).toMatchObject(failure(409, 'CONFLICT'));
  });
});

describe('PUT /v1/auth/keys/{id}', () => {
  it('changes the label, and has it expire earlier', async () => {
    const key = await keyOf(admin, { expires_at: ahead(10 * DAY) });
    const [label, expires_at] = ['Renamed', ahead(DAY)];
    const changed = await admin.put(`${KEYS}/${key.id}`, { label, expires_at });
    expect(changed).toMatchObject({ status: 200, body: { id: key.id, label, expires_at, status: 'active' } });
    expect(await listed(key.id)).toEqual(changed.body);
    expect((await key.get('/v1/me')).body.key).toMatchObject({ label, expires_at });
  });

  it('takes back what was read, and a time without a zone as UTC', async () => {
    const key = await keyOf(admin, { expires_at: ahead(10 * DAY) });
    const record = await listed(key.id);
    expect(await admin.put(`${KEYS}/${key.id}`, record)).toMatchObject({ status: 200, body: record });
    const local = ahead(DAY).replace('Z', '');
    expect((await admin.put(`${KEYS}/${key.id}`, { expires_at: local })).body.expires_at).toBe(`${local}Z`);
  });

  it.each<[string, object, string]>([
    ['a later expiry', { expires_at: ahead(11 * DAY) }, 'expires_at'],
    ['an expiry that is past', { expires_at: ahead(-DAY) }, 'expires_at'],
    ['an empty label', { label: '' }, 'label'],
    ['another scope', { scope: ['write'] }, 'scope'],
  ])('refuses %s', async (_name, patch, path) => {
    const key = await keyOf(admin, { expires_at: ahead(10 * DAY), scopes: ['read'] });
    const before = await listed(key.id);
    expect(await admin.put(`${KEYS}/${key.id}`, patch)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    expect(await listed(key.id)).toEqual(before);
  });

  it('is for one’s own keys, and for everybody’s as an admin', async () => {
    const [ben, eve] = [await memberOf(admin), await memberOf(admin)];
    const key = await keyOf(ben);
    expect((await ben.put(`${KEYS}/${key.id}`, { label: 'Mine' })).body.label).toBe('Mine');
    expect(await eve.put(`${KEYS}/${key.id}`, { label: 'Mine' })).toMatchObject(failure(404, 'NOT_FOUND'));
    expect((await admin.put(`${KEYS}/${key.id}`, { expires_at: ahead(DAY) })).status).toBe(200);
    expect(await (await newTenant()).put(`${KEYS}/${key.id}`, {})).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('POST /v1/auth/keys/{id}/rotate', () => {
  it('makes a key like the old one, which lives on for the overlap', async () => {
    const body = { label: 'Backup', scopes: ['push'], check_ids: [check.id], entity_ids: [other.entity_id] };
    const old = await keyOf(admin, body);
    const rotated = await admin.post(`${KEYS}/${old.id}/rotate`, { overlap_seconds: 3600 });
    expect(rotated).toMatchObject({
      status: 201,
      body: {
        ...body,
        key: expect.stringMatching(/^fw_[0-9A-Za-z]{43}$/),
        status: 'active',
        expires_at: null,
        rotated_from: old.id,
        rotated_to: null,
        last_used_at: null,
      },
    });
    expect(await listed(old.id)).toMatchObject({ rotated_to: rotated.body.id, expires_at: TIME, status: 'active' });
    const { expires_at } = await listed(old.id);
    expect(Math.abs(Date.parse(expires_at) - Date.now() - 3_600_000)).toBeLessThan(60_000);
    const beat = async (key: string) => (await (await clientWith(key)).post(`/v1/checks/${check.id}/heartbeat`)).status;
    expect([await beat(old.key), await beat(rotated.body.key)]).toEqual([201, 201]);
  });

  it('without an overlap refuses the old key at once, and says since when', async () => {
    const old = await keyOf(admin);
    const { body } = await admin.post(`${KEYS}/${old.id}/rotate`, { overlap_seconds: 0 });
    const answer = await old.get('/v1/me');
    expect(answer).toMatchObject(failure(401, 'UNAUTHORIZED'));
    const { expires_at, status } = await listed(old.id);
    expect(status).toBe('expired');
    expect(answer.body.error).toBe(
      `This API key expired on ${expires_at}. Make another, or rotate the next one in time.`,
    );
    expect((await (await clientWith(body.key)).get('/v1/me')).body.key.id).toBe(body.id);
  });

  it('has a day of overlap, unless told otherwise, and takes no body for that', async () => {
    const old = await keyOf(admin);
    expect((await admin.post(`${KEYS}/${old.id}/rotate`, {})).status).toBe(201);
    const left = Date.parse((await listed(old.id)).expires_at) - Date.now();
    expect(Math.abs(left - DAY)).toBeLessThan(60_000);
  });

  it('gives the new key as long a life as the old one was made for, or the one that is wanted', async () => {
    const made = await make({ expires_at: ahead(30 * DAY) });
    const next = (await admin.post(`${KEYS}/${made.body.id}/rotate`, {})).body;
    expect(Date.parse(next.expires_at) - Date.parse(next.created_at)).toBe(
      Date.parse(made.body.expires_at) - Date.parse(made.body.created_at),
    );
    const expires_at = ahead(90 * DAY);
    expect((await admin.post(`${KEYS}/${next.id}/rotate`, { expires_at })).body.expires_at).toBe(expires_at);
  });

  it('is possible once: the second time names the new key; also of 20 at once', async () => {
    const old = await keyOf(admin);
    const answers = await Promise.all(Array.from({ length: 20 }, () => admin.post(`${KEYS}/${old.id}/rotate`, {})));
    const won = answers.filter(({ status }) => status === 201);
    expect(won).toHaveLength(1);
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      expect(answer).toMatchObject(failure(409, 'CONFLICT'));
      expect(answer.body.error).toContain(won[0]!.body.id);
    }
    const all = (await admin.get(KEYS)).body.filter((one: { rotated_from: string }) => one.rotated_from === old.id);
    expect(all).toHaveLength(1);
  });

  it.each<[string, object, string]>([
    ['an overlap of -1', { overlap_seconds: -1 }, 'overlap_seconds'],
    ['an overlap of more than 7 days', { overlap_seconds: 604_801 }, 'overlap_seconds'],
    ['an overlap in words', { overlap_seconds: '1d' }, 'overlap_seconds'],
    ['half a second of overlap', { overlap_seconds: 0.5 }, 'overlap_seconds'],
    ['an expiry that is past', { expires_at: ahead(-DAY) }, 'expires_at'],
    ['an expiry in more than ten years', { expires_at: ahead(3651 * DAY) }, 'expires_at'],
    ['other scopes', { scopes: ['write'] }, 'scopes'],
  ])('refuses %s, and the old key stays', async (_name, body, path) => {
    const old = await keyOf(admin);
    expect(await admin.post(`${KEYS}/${old.id}/rotate`, body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    expect(await listed(old.id)).toMatchObject({ rotated_to: null, expires_at: null });
  });

  it('refuses a key that has expired', async () => {
    const old = await keyOf(admin);
    const { body: next } = await admin.post(`${KEYS}/${old.id}/rotate`, { overlap_seconds: 0 });
    expect(await admin.post(`${KEYS}/${old.id}/rotate`, {})).toMatchObject(failure(409, 'CONFLICT'));
    expect((await admin.post(`${KEYS}/${next.id}/rotate`, {})).status).toBe(201);
  });

  it("is for one's own keys alone: nobody gets a key in another's name, admins neither", async () => {
    const [ben, eve] = [await memberOf(admin), await memberOf(admin)];
    const key = await keyOf(ben);
    expect(await eve.post(`${KEYS}/${key.id}/rotate`, {})).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await admin.post(`${KEYS}/${key.id}/rotate`, {})).toMatchObject(failure(403, 'FORBIDDEN'));
    expect(await (await newTenant()).post(`${KEYS}/${key.id}/rotate`, {})).toMatchObject(failure(404, 'NOT_FOUND'));
    expect((await ben.post(`${KEYS}/${key.id}/rotate`, {})).status).toBe(201);
  });
});

describe('a key that expires', () => {
  it('makes and rotates none that lasts longer', async () => {
    const expires_at = ahead(DAY);
    const maker = await keyOf(admin, { expires_at });
    expect((await make({}, maker)).body.expires_at).toBe(expires_at);
    expect((await make({ expires_at: ahead(3_600_000) }, maker)).status).toBe(201);
    expect(await make({ expires_at: ahead(2 * DAY) }, maker)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'expires_at'),
    );
    const lasting = await keyOf(admin);
    for (const id of [lasting.id, maker.id]) {
      expect(await maker.post(`${KEYS}/${id}/rotate`, { expires_at: ahead(2 * DAY) })).toMatchObject(
        failure(400, 'VALIDATION_ERROR', 'expires_at'),
      );
      expect(await maker.post(`${KEYS}/${id}/rotate`, {})).toMatchObject({ status: 201, body: { expires_at } });
    }
  });

  it('does not prolong itself', async () => {
    const key = await keyOf(admin, { expires_at: ahead(DAY) });
    expect(await key.put(`${KEYS}/${key.id}`, { expires_at: ahead(2 * DAY) })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'expires_at'),
    );
  });
});

describe('a key for the tools of skills', () => {
  it('is good for nothing but MCP, whatever its scopes', async () => {
    const key = await keyOf(admin, { scopes: ['mcp', 'read', 'write', 'respond', 'push'], skills: ['runbook'] });
    for (const answer of [await key.get('/v1/checks'), await key.post(`/v1/checks/${check.id}/heartbeat`)]) {
      expect(answer).toMatchObject(failure(403, 'FORBIDDEN'));
      expect(answer.body.error).toContain('runbook');
    }
  });
});
