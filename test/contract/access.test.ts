import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, challengeOf, clientOf, failure, keyOf, newTenant } from '#test/support/client.ts';
import { target } from '#test/support/service.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let admin: Client & { id: string };
let url: string;
beforeAll(async () => {
  admin = await newTenant();
  url = (await target()).url;
});

describe('GET /v1/me', () => {
  it('shows the account, its limits and the permissions of the key', async () => {
    expect(await admin.get('/v1/me')).toMatchObject({
      status: 200,
      body: {
        id: admin.id,
        email: expect.any(String),
        name: expect.any(String),
        blueprint_limit: 50,
        entity_limit_per_bp: 1000,
        check_limit_per_entity: 25,
        retention_days: 30,
        rollup_days: 400,
        role: 'admin',
        is_read_only: false,
        key: { id: expect.stringMatching(/^key_/), label: 'First admin key', scopes: null, expires_at: null },
        session: null,
      },
    });
  });
  it('shows the restrictions and the expiry of the key', async () => {
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    const reader = await keyOf(admin, { scopes: ['read'], expires_at });
    expect((await reader.get('/v1/me')).body.key).toEqual({
      id: reader.id,
      label: 'Test key',
      scopes: ['read'],
      expires_at,
    });
  });
  it('is allowed for a read-only key and marks it as read-only', async () => {
    const reader = await keyOf(admin, { is_read_only: true });
    expect((await reader.get('/v1/me')).body).toMatchObject({ id: admin.id, is_read_only: true });
  });
});

describe('Bearer authentication', () => {
  it.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['only the scheme', 'Bearer'],
    ['the scheme and blanks', 'Bearer   '],
    ['another scheme', 'Basic dXNlcjpwdw=='],
    ['only the key', 'KEY'],
    ['two keys', 'Bearer KEY KEY'],
    ['a list of keys', 'Bearer KEY, Bearer KEY'],
    ['an unknown key', `Bearer fw_${'0'.repeat(43)}`],
    ['the key in lower case', 'bearer key'],
    ['a key cut short', 'Bearer CUT'],
    ['a key with extra characters', 'Bearer KEYx'],
    ['a very long key', `Bearer ${'x'.repeat(4000)}`],
  ])('rejects %s', async (_name, header) => {
    const authorization = header
      ?.replaceAll('KEY', admin.key)
      .replaceAll('key', admin.key.toLowerCase())
      .replaceAll('CUT', admin.key.slice(0, -1));
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const response = await clientOf(url, '').send('GET', '/v1/me', { headers });
    expect(response).toMatchObject(failure(401, 'UNAUTHORIZED'));
    expect(challengeOf(response)).toBe('Bearer');
  });

  it.each(['bearer', 'BEARER', 'bEaReR'])('accepts the scheme written %s', async (scheme) => {
    const headers = { authorization: `${scheme} ${admin.key}` };
    expect((await clientOf(url, '').send('GET', '/v1/me', { headers })).status).toBe(200);
  });
});

describe('API keys', () => {
  it('have a label; the raw key is shown once and works', async () => {
    const made = await admin.post('/v1/auth/keys', { label: 'Deploy' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^key_/),
      label: 'Deploy',
      is_read_only: false,
      scopes: null,
      check_ids: null,
      entity_ids: null,
      skills: null,
      prefix: made.body.key.slice(0, 8),
      key: expect.stringMatching(/^fw_[0-9A-Za-z]{43}$/),
      status: 'active',
      expires_at: null,
      created_at: expect.stringMatching(TIME),
      created_by: expect.stringMatching(/^usr_/),
      last_used_at: null,
      last_used_from: null,
      rotated_from: null,
      rotated_to: null,
    });
    expect((await clientOf(url, made.body.key).get('/v1/me')).body.id).toBe(admin.id);

    const { key, ...record } = made.body;
    const listed = await admin.get('/v1/auth/keys');
    const same = listed.body.find((one: { id: string }) => one.id === record.id);
    expect(same).toEqual({
      ...record,
      last_used_at: expect.stringMatching(TIME),
      last_used_from: expect.stringMatching(/^[\d.:a-f]+$/),
    });
    expect(JSON.stringify(listed.body)).not.toContain(key);
  });

  it('are rejected once they are deleted', async () => {
    const key = await keyOf(admin);
    expect((await key.get('/v1/me')).status).toBe(200);
    expect(await admin.del(`/v1/auth/keys/${key.id}`)).toMatchObject({ status: 204, body: undefined });
    expect(await key.get('/v1/me')).toMatchObject(failure(401, 'UNAUTHORIZED'));
    expect(await admin.del(`/v1/auth/keys/${key.id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    const ids = (await admin.get('/v1/auth/keys')).body.map((one: { id: string }) => one.id);
    expect(ids).not.toContain(key.id);
  });

  it('can delete themselves', async () => {
    const key = await keyOf(admin);
    expect((await key.del(`/v1/auth/keys/${key.id}`)).status).toBe(204);
    expect((await key.get('/v1/me')).status).toBe(401);
  });

  it('are listed in pages', async () => {
    const tenant = await newTenant();
    for (const n of [1, 2, 3]) await keyOf(tenant, { label: `Key ${n}` });
    const labels: string[] = [];
    let path: string | undefined = '/v1/auth/keys?limit=2';
    let pages = 0;
    while (path !== undefined) {
      const page = await tenant.get(path);
      labels.push(...page.body.map((one: { label: string }) => one.label));
      path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
      pages += 1;
    }
    expect(labels.toSorted().slice(-3)).toEqual(['Key 1', 'Key 2', 'Key 3']);
    expect(labels).toHaveLength(4);
    expect(pages).toBe(2);
  });

  it.each([
    ['no label', {}, 'label'],
    ['a null label', { label: null }, 'label'],
    ['an empty label', { label: '' }, 'label'],
    ['a blank label', { label: '  ' }, 'label'],
    ['a label of 201 characters', { label: 'x'.repeat(201) }, 'label'],
    ['a label of two lines', { label: 'a\nb' }, 'label'],
    ['a number as label', { label: 7 }, 'label'],
    ['a text as is_read_only', { label: 'a', is_read_only: 'yes' }, 'is_read_only'],
  ])('are rejected with %s', async (_name, body, path) => {
    expect(await admin.post('/v1/auth/keys', body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });

  it('accept a label of 200 characters, counting an emoji as one', async () => {
    expect((await admin.post('/v1/auth/keys', { label: '🙂'.repeat(200) })).status).toBe(201);
  });

  it.each(['GET', 'POST'])('are denied to a read-only key (%s)', async (method) => {
    const reader = await keyOf(admin, { is_read_only: true });
    expect(await reader.send(method, '/v1/auth/keys', method === 'POST' ? { body: { label: 'x' } } : {})).toMatchObject(
      failure(403, 'READ_ONLY'),
    );
    expect(await reader.del(`/v1/auth/keys/${reader.id}`)).toMatchObject(failure(403, 'READ_ONLY'));
  });

  it('return the same 404 for a key of another account as for an unknown id', async () => {
    const other = await newTenant();
    const key = await keyOf(other);
    const foreign = await admin.del(`/v1/auth/keys/${key.id}`);
    const none = await admin.del('/v1/auth/keys/key_00000000000000000000000000');
    expect(foreign).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(foreign.body.error.replace(key.id, 'ID')).toBe(
      none.body.error.replace('key_00000000000000000000000000', 'ID'),
    );
    expect((await key.get('/v1/me')).status).toBe(200);
  });

  it.each(['1', 'key_', 'key_%23', '%2e%2e', 'key_%C3%BC', `key_${'0'.repeat(300)}`])(
    'return 404 for an impossible id: %s',
    async (id) => {
      expect(await admin.del(`/v1/auth/keys/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    },
  );
});
