import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant, TIME } from '#test/support/client.ts';

const ALL = '/v1/blueprints/service/entities';
const FIELDS = [
  { name: 'owner', field_type: 'string', required: true },
  { name: 'port', field_type: 'number', required: true, default_value: '443' },
  { name: 'public', field_type: 'boolean', default_value: 'false' },
  { name: 'page', field_type: 'url' },
  { name: 'tags', field_type: 'array', default_value: '["a"]' },
];

let admin: Client;
beforeAll(async () => {
  admin = await newTenant();
  await admin.post('/v1/blueprints', { slug: 'service', name: 'Service', fields: FIELDS });
  await admin.post('/v1/blueprints', { slug: 'plain', name: 'Plain' });
});

let count = 0;
/** Creates an entity in the shared account. @returns its path */
async function entity(fields: object = { owner: 'a' }): Promise<string> {
  count += 1;
  const made = await admin.post(ALL, { slug: `e-${count}`, name: `Entity ${count}`, fields });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return `${ALL}/${made.body.slug}`;
}

describe('POST entities', () => {
  it('returns the record, with defaults as typed values', async () => {
    const made = await admin.post(ALL, { slug: 'Api', name: 'API', fields: { owner: 'ops', tags: ['x', 1, true] } });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^ent_/),
      blueprint_slug: 'service',
      slug: 'Api',
      name: 'API',
      fields: { owner: 'ops', port: 443, public: false, tags: ['x', 1, true] },
      labels: {},
      state: 'unknown',
      state_since: made.body.created_at,
      silenced: false,
      silenced_until: null,
      silence_reason: '',
      ...{ dependencies: 0, dependents: 0 },
      created_at: TIME,
      updated_at: made.body.created_at,
    });
    expect(await admin.get(`${ALL}/Api`)).toMatchObject({ status: 200, body: made.body });
    expect((await admin.get(ALL)).body).toContainEqual(made.body);
  });

  it.each([
    ['no slug', { name: 'x', fields: { owner: 'a' } }, 'slug'],
    ['an invalid slug', { slug: '-a', name: 'x', fields: { owner: 'a' } }, 'slug'],
    ['no name', { slug: 'x', fields: { owner: 'a' } }, 'name'],
    ['a name of 201 characters', { slug: 'x', name: 'n'.repeat(201), fields: { owner: 'a' } }, 'name'],
    ['an array for fields', { slug: 'x', name: 'x', fields: [] }, 'fields'],
    ['a text for fields', { slug: 'x', name: 'x', fields: 'a' }, 'fields'],
    ['a required field missing', { slug: 'x', name: 'x' }, 'fields.owner'],
    ['a required field that is null', { slug: 'x', name: 'x', fields: { owner: null } }, 'fields.owner'],
    ['an unknown property', { slug: 'x', name: 'x', fields: { owner: 'a' }, checks: {} }, 'checks'],
    ['an unknown field', { slug: 'x', name: 'x', fields: { owner: 'a', prot: 1 } }, 'fields.prot'],
    ['a text for a number', { slug: 'x', name: 'x', fields: { owner: 'a', port: '443' } }, 'fields.port'],
    ['a number beyond the range', { slug: 'x', name: 'x', fields: { owner: 'a', port: 1e126 } }, 'fields.port'],
    ['a number for a text', { slug: 'x', name: 'x', fields: { owner: 1 } }, 'fields.owner'],
    ['a text for a boolean', { slug: 'x', name: 'x', fields: { owner: 'a', public: 'true' } }, 'fields.public'],
    ['a relative URL', { slug: 'x', name: 'x', fields: { owner: 'a', page: '/x' } }, 'fields.page'],
    ['a URL that is not of the web', { slug: 'x', name: 'x', fields: { owner: 'a', page: 'ftp://x' } }, 'fields.page'],
    ['a text for an array', { slug: 'x', name: 'x', fields: { owner: 'a', tags: 'a' } }, 'fields.tags'],
    ['an object in an array', { slug: 'x', name: 'x', fields: { owner: 'a', tags: ['a', {}] } }, 'fields.tags.1'],
  ])('rejects %s', async (_name, body, path) => {
    expect(await admin.post(ALL, body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });

  it('names every wrong field at once', async () => {
    const response = await admin.post(ALL, { slug: 'x', name: 'x', fields: { port: 'a', page: 1, more: 1 } });
    expect(response.body.details.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      'fields.more',
      'fields.owner',
      'fields.page',
      'fields.port',
    ]);
  });

  it('rejects a slug that is taken in its blueprint, and accepts it in another', async () => {
    await admin.post(ALL, { slug: 'taken', name: 'x', fields: { owner: 'a' } });
    expect(await admin.post(ALL, { slug: 'taken', name: 'x', fields: { owner: 'a' } })).toMatchObject(
      failure(409, 'CONFLICT'),
    );
    expect((await admin.post('/v1/blueprints/plain/entities', { slug: 'taken', name: 'x' })).status).toBe(201);
  });

  it('gives a slug to one of 50 concurrent requests, and creates 50 entities with different slugs', async () => {
    const body = (slug: string) => ({ slug, name: 'x' });
    await admin.post('/v1/blueprints', { slug: 'race', name: 'Race' });
    const path = '/v1/blueprints/race/entities';
    const same = await Promise.all(Array.from({ length: 50 }, () => admin.post(path, body('same'))));
    expect(same.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(same.filter(({ body: { code } }) => code === 'CONFLICT')).toHaveLength(49);
    const others = await Promise.all(Array.from({ length: 50 }, (_, n) => admin.post(path, body(`e${n}`))));
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 201));
    expect((await admin.get(path)).body).toHaveLength(51);
  });
});

describe('PUT an entity', () => {
  it('merges fields by key and removes null ones', async () => {
    const path = await entity({ owner: 'a', port: 80, tags: ['x'] });
    expect((await admin.put(path, { fields: { owner: 'b', tags: null } })).body.fields).toEqual({
      owner: 'b',
      port: 80,
      public: false,
      tags: ['a'],
    });
    expect((await admin.put(path, { name: 'New', fields: null })).body).toMatchObject({
      name: 'New',
      fields: { owner: 'b', port: 80 },
    });
  });
  it('accepts a whole record', async () => {
    const path = await entity({ owner: 'a', page: 'https://example.com' });
    const before = (await admin.get(path)).body;
    const after = await admin.put(`${ALL}/${before.slug}`, before);
    expect(after).toMatchObject({ status: 200, body: { ...before, updated_at: TIME } });
  });
  it('ignores read-only properties', async () => {
    const path = await entity();
    const before = (await admin.get(path)).body;
    const after = await admin.put(path, { state: 'up', state_since: 'now', created_at: 'never' });
    expect(after.body).toMatchObject({ state: 'unknown', created_at: before.created_at });
  });
  it.each([
    ['another slug', { slug: 'other' }, 'slug'],
    ['another blueprint', { blueprint_slug: 'plain' }, 'blueprint_slug'],
    ['another id', { id: 'ent_0' }, 'id'],
    ['an empty name', { name: '' }, 'name'],
    ['an unknown property', { checks: {} }, 'checks'],
    ['an unknown field', { fields: { prot: null } }, 'fields.prot'],
    ['a wrong value', { fields: { port: true } }, 'fields.port'],
    ['a required value removed', { fields: { owner: null } }, 'fields.owner'],
  ])('rejects %s', async (_name, body, path) => {
    expect(await admin.put(await entity(), body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });
  it('keeps every one of 20 concurrent changes', async () => {
    await admin.post('/v1/blueprints', { slug: 'wide', name: 'Wide' });
    const names = Array.from({ length: 20 }, (_, n) => `f${n}`);
    for (const name of names) await admin.post('/v1/blueprints/wide/fields', { name, field_type: 'number' });
    const path = '/v1/blueprints/wide/entities/e';
    await admin.post('/v1/blueprints/wide/entities', { slug: 'e', name: 'e' });
    await Promise.all(names.map((name, n) => admin.put(path, { fields: { [name]: n } })));
    expect((await admin.get(path)).body.fields).toEqual(Object.fromEntries(names.map((name, n) => [name, n])));
  });
});

describe('an entity whose blueprint changes', () => {
  it('must have a new required field on its next write', async () => {
    await admin.post('/v1/blueprints', { slug: 'grow', name: 'Grow' });
    await admin.post('/v1/blueprints/grow/entities', { slug: 'e', name: 'e' });
    const path = '/v1/blueprints/grow/entities/e';
    await admin.post('/v1/blueprints/grow/fields', { name: 'tier', field_type: 'number', required: true });
    expect(await admin.get(path)).toMatchObject({ status: 200, body: { fields: {} } });
    expect(await admin.put(path, { name: 'f' })).toMatchObject(failure(400, 'VALIDATION_ERROR', 'fields.tier'));
    expect((await admin.put(path, { name: 'f', fields: { tier: 1 } })).body.fields).toEqual({ tier: 1 });
  });
  it('shows new defaults, not values of removed fields', async () => {
    await admin.post('/v1/blueprints', { slug: 'turn', name: 'T', fields: [{ name: 'a', field_type: 'string' }] });
    const path = '/v1/blueprints/turn/entities/e';
    await admin.post('/v1/blueprints/turn/entities', { slug: 'e', name: 'e', fields: { a: 'x' } });
    await admin.del('/v1/blueprints/turn/fields/a');
    expect((await admin.get(path)).body.fields).toEqual({});
    await admin.post('/v1/blueprints/turn/fields', { name: 'a', field_type: 'number', default_value: '7' });
    expect((await admin.get(path)).body.fields).toEqual({ a: 7 });
    expect((await admin.put(path, (await admin.get(path)).body)).status).toBe(200);
  });
});

describe('entities', () => {
  it('are listed by slug, in pages', async () => {
    await admin.post('/v1/blueprints', { slug: 'paged', name: 'Paged' });
    const path = '/v1/blueprints/paged/entities';
    expect((await admin.get(path)).body).toEqual([]);
    for (const slug of ['c', 'a', 'b', 'e', 'd']) await admin.post(path, { slug, name: slug });
    const seen: string[] = [];
    for (let next: string | undefined = `${path}?limit=2`; next; ) {
      const page = await admin.get(next);
      seen.push(...page.body.map((one: { slug: string }) => one.slug));
      next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect((await admin.get(`${path}?limit=5`)).headers.get('link')).toBeNull();
  });
  it.each([
    ['the list of an unknown blueprint', 'GET', '/v1/blueprints/none/entities'],
    ['a creation in an unknown blueprint', 'POST', '/v1/blueprints/none/entities'],
    ['an unknown slug', 'GET', '/v1/blueprints/service/entities/none'],
    ['an invalid slug', 'GET', '/v1/blueprints/service/entities/a%23b'],
    ['a change of an unknown slug', 'PUT', '/v1/blueprints/service/entities/none'],
    ['a deletion of an unknown slug', 'DELETE', '/v1/blueprints/service/entities/none'],
    ['an entity of another blueprint', 'GET', '/v1/blueprints/plain/entities/Api'],
  ])('return 404 for %s', async (_name, method, path) => {
    expect(await admin.send(method, path)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
  it('are found by a percent-encoded slug', async () => {
    const path = await entity();
    expect((await admin.get(path.replace('e-', '%65%2D'))).status).toBe(200);
  });
  it('can be read but not changed with a read-only key', async () => {
    const path = await entity();
    const reader = await keyOf(admin, { is_read_only: true });
    expect((await reader.get(path)).body).toEqual((await admin.get(path)).body);
    expect((await reader.get(ALL)).status).toBe(200);
    for (const [method, where] of [
      ['POST', ALL],
      ['PUT', path],
      ['DELETE', path],
    ] as const) {
      expect(await reader.send(method, where)).toMatchObject(failure(403, 'READ_ONLY'));
    }
  });
  it('return 404 to another account', async () => {
    const path = await entity();
    const other = await newTenant();
    await other.post('/v1/blueprints', { slug: 'service', name: 'Service' });
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect(await other.send(method, path, method === 'PUT' ? { body: {} } : {})).toMatchObject(
        failure(404, 'NOT_FOUND'),
      );
    }
    expect((await other.get(ALL)).body).toEqual([]);
    expect((await admin.get(path)).status).toBe(200);
  });
});
