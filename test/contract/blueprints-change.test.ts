import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant, TIME } from '#test/support/client.ts';
import { newBlueprint } from '#test/support/fleet.ts';

let admin: Client;
beforeAll(async () => {
  admin = await newTenant();
});

describe('PUT /v1/blueprints/{slug}', () => {
  it('changes only the given properties', async () => {
    const slug = await newBlueprint(admin, { description: 'old', fields: [{ name: 'a', field_type: 'string' }] });
    const before = (await admin.get(`/v1/blueprints/${slug}`)).body;
    const changed = await admin.put(`/v1/blueprints/${slug}`, { description: 'new', name: null });
    expect(changed).toMatchObject({ status: 200, body: { ...before, description: 'new', updated_at: TIME } });
  });
  it('accepts a whole record, including fields', async () => {
    const slug = await newBlueprint(admin, { fields: [{ name: 'a', field_type: 'string' }] });
    const before = (await admin.get(`/v1/blueprints/${slug}`)).body;
    const [field] = before.fields;
    const sent = { ...before, fields: [{ default_value: null, ...field }], name: 'New' };
    const changed = await admin.put(`/v1/blueprints/${slug}`, sent);
    expect(changed).toMatchObject({ status: 200, body: { name: 'New', fields: before.fields } });
  });
  it.each([
    ['none', []],
    ['a renamed one', [{ name: 'b', field_type: 'string', required: false, sort_order: 0 }]],
    ['one more', [{ name: 'a' }, { name: 'b' }]],
  ])('rejects other fields (%s) and names the endpoint that changes them', async (_name, fields) => {
    const slug = await newBlueprint(admin, { fields: [{ name: 'a', field_type: 'string' }] });
    const response = await admin.put(`/v1/blueprints/${slug}`, { name: 'New', fields });
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'fields'));
    expect(response.body.error).toContain(`POST /v1/blueprints/${slug}/fields`);
    expect((await admin.get(`/v1/blueprints/${slug}`)).body.name).not.toBe('New');
  });
  it.each([
    ['another slug', { slug: 'other' }, 'slug'],
    ['an empty name', { name: '' }, 'name'],
    ['a number as description', { description: 7 }, 'description'],
    ['a text as is_default', { is_default: 'no' }, 'is_default'],
  ])('rejects %s', async (_name, body, path) => {
    const slug = await newBlueprint(admin);
    expect(await admin.put(`/v1/blueprints/${slug}`, body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });
});

describe('fields of a blueprint', () => {
  it('are added; the response is the blueprint', async () => {
    const slug = await newBlueprint(admin, { fields: [{ name: 'a', field_type: 'string' }] });
    const added = await admin.post(`/v1/blueprints/${slug}/fields`, { name: 'b', field_type: 'array', required: true });
    expect(added).toMatchObject({ status: 201, body: { slug, fields: [{ name: 'a' }, { name: 'b', sort_order: 1 }] } });
    expect((await admin.get(`/v1/blueprints/${slug}`)).body).toEqual(added.body);
  });
  it('have unique names', async () => {
    const slug = await newBlueprint(admin, { fields: [{ name: 'a', field_type: 'string' }] });
    expect(await admin.post(`/v1/blueprints/${slug}/fields`, { name: 'a', field_type: 'url' })).toMatchObject(
      failure(409, 'CONFLICT'),
    );
  });
  it('are all kept when they are added concurrently', async () => {
    const slug = await newBlueprint(admin);
    const names = Array.from({ length: 20 }, (_, n) => `f${n}`);
    await Promise.all(names.map((name) => admin.post(`/v1/blueprints/${slug}/fields`, { name, field_type: 'string' })));
    const { body } = await admin.get(`/v1/blueprints/${slug}`);
    expect(body.fields.map((one: { name: string }) => one.name).toSorted()).toEqual(names.toSorted());
  });
  it.each([
    ['no name', { field_type: 'string' }, 'name'],
    ['no type', { name: 'a' }, 'field_type'],
    ['an unknown type', { name: 'a', field_type: 'text' }, 'field_type'],
    ['a default of another type', { name: 'a', field_type: 'boolean', default_value: 'yes' }, 'default_value'],
    ['a name with a question mark', { name: 'ok?', field_type: 'string' }, 'name'],
    ['a name with a number sign', { name: 'ticket #', field_type: 'string' }, 'name'],
    ['a reserved name', { name: '__proto__', field_type: 'string' }, 'name'],
  ])('are rejected with %s', async (_name, body, path) => {
    const slug = await newBlueprint(admin);
    expect(await admin.post(`/v1/blueprints/${slug}/fields`, body)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', path),
    );
  });
  it.each(['plain', 'On call', 'größe/länge', '100 %'])('are removed by name: %s', async (name) => {
    const slug = await newBlueprint(admin, { fields: [{ name, field_type: 'string' }] });
    const path = `/v1/blueprints/${slug}/fields/${encodeURIComponent(name)}`;
    expect(await admin.del(path)).toMatchObject({ status: 204, body: undefined });
    expect((await admin.get(`/v1/blueprints/${slug}`)).body.fields).toEqual([]);
    expect(await admin.del(path)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('PUT /v1/blueprints/{slug}/fields/{name}', () => {
  const a = { name: 'a', field_type: 'string', default_value: 'x', required: true };
  const b = { name: 'b', field_type: 'string' };

  it('replaces the field and keeps its position', async () => {
    const slug = await newBlueprint(admin, { fields: [a, b] });
    const changed = await admin.put(`/v1/blueprints/${slug}/fields/a`, { name: 'a', field_type: 'number' });
    const fields = [{ name: 'a', field_type: 'number', required: false, sort_order: 0 }, { name: 'b' }];
    expect(changed).toMatchObject({ status: 200, body: { fields } });
    expect(changed.body.fields[0]).not.toHaveProperty('default_value');
    expect((await admin.get(`/v1/blueprints/${slug}`)).body).toEqual(changed.body);
  });
  it('keeps its position among fields of the same sort_order', async () => {
    const fields = ['a', 'b', 'c'].map((name) => ({ name, field_type: 'string', sort_order: 1 }));
    const slug = await newBlueprint(admin, { fields });
    const changed = await admin.put(`/v1/blueprints/${slug}/fields/a`, { name: 'a', field_type: 'url' });
    expect(changed.body.fields.map((field: { name: string }) => field.name)).toEqual(['a', 'b', 'c']);
  });
  it('moves the field to another sort_order', async () => {
    const slug = await newBlueprint(admin, { fields: [a, b] });
    const moved = await admin.put(`/v1/blueprints/${slug}/fields/b`, { ...b, sort_order: -1 });
    expect(moved.body.fields.map((field: { name: string }) => field.name)).toEqual(['b', 'a']);
  });
  it('keeps the values of entities that match the new type and hides the others', async () => {
    const slug = await newBlueprint(admin, { fields: [b, { name: 'c', field_type: 'number' }] });
    await admin.post(`/v1/blueprints/${slug}/entities`, { slug: 'e', name: 'e', fields: { b: 'kept', c: 7 } });
    await admin.put(`/v1/blueprints/${slug}/fields/b`, { ...b, required: true });
    await admin.put(`/v1/blueprints/${slug}/fields/c`, { name: 'c', field_type: 'boolean' });
    expect((await admin.get(`/v1/blueprints/${slug}/entities/e`)).body.fields).toEqual({ b: 'kept' });
  });
  it.each([
    ['another name', { ...b, name: 'a' }, 'name'],
    ['no type', { name: 'b' }, 'field_type'],
    ['a default of another type', { name: 'b', field_type: 'number', default_value: 'x' }, 'default_value'],
  ])('rejects %s and leaves the field unchanged', async (_name, body, path) => {
    const slug = await newBlueprint(admin, { fields: [a, b] });
    const before = (await admin.get(`/v1/blueprints/${slug}`)).body;
    expect(await admin.put(`/v1/blueprints/${slug}/fields/b`, body)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', path),
    );
    expect((await admin.get(`/v1/blueprints/${slug}`)).body).toEqual(before);
  });
  it('rejects a field that does not exist', async () => {
    const slug = await newBlueprint(admin);
    expect(await admin.put(`/v1/blueprints/${slug}/fields/b`, b)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('DELETE /v1/blueprints/{slug}', () => {
  it('deletes the blueprint', async () => {
    const slug = await newBlueprint(admin);
    expect(await admin.del(`/v1/blueprints/${slug}`)).toMatchObject({ status: 204, body: undefined });
    expect(await admin.get(`/v1/blueprints/${slug}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await admin.del(`/v1/blueprints/${slug}`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
  it('is rejected while the blueprint has entities', async () => {
    const slug = await newBlueprint(admin);
    await admin.post(`/v1/blueprints/${slug}/entities`, { slug: 'e', name: 'e' });
    expect(await admin.del(`/v1/blueprints/${slug}`)).toMatchObject(failure(409, 'CONFLICT'));
    await admin.del(`/v1/blueprints/${slug}/entities/e`);
    expect((await admin.del(`/v1/blueprints/${slug}`)).status).toBe(204);
  });
  it('excludes concurrent creation of entities', async () => {
    const slug = await newBlueprint(admin);
    const [deleted, ...made] = await Promise.all([
      admin.del(`/v1/blueprints/${slug}`),
      ...Array.from({ length: 5 }, (_, n) =>
        admin.post(`/v1/blueprints/${slug}/entities`, { slug: `e${n}`, name: 'e' }),
      ),
    ]);
    const statuses = made.map(({ status }) => status);
    if (deleted!.status === 204) expect(statuses).toEqual([404, 404, 404, 404, 404]);
    else expect([deleted!.status, ...statuses]).toEqual([409, 201, 201, 201, 201, 201]);
  });
});

describe('blueprints', () => {
  it('are listed by slug, in pages', async () => {
    const tenant = await newTenant();
    for (const slug of ['c', 'a', 'B', 'd']) await tenant.post('/v1/blueprints', { slug, name: slug });
    const seen: string[] = [];
    for (let path: string | undefined = '/v1/blueprints?limit=2'; path; ) {
      const page = await tenant.get(path);
      seen.push(...page.body.map((one: { slug: string }) => one.slug));
      path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(['B', 'a', 'c', 'd']);
    expect((await tenant.get('/v1/blueprints?limit=4')).headers.get('link')).toBeNull();
  });
  it('are an empty array in an empty account', async () => {
    expect(await (await newTenant()).get('/v1/blueprints')).toMatchObject({ status: 200, body: [] });
  });
  it('can be read but not changed with a read-only key', async () => {
    const slug = await newBlueprint(admin);
    const reader = await keyOf(admin, { is_read_only: true });
    expect((await reader.get(`/v1/blueprints/${slug}`)).status).toBe(200);
    expect((await reader.get('/v1/blueprints')).status).toBe(200);
    for (const [method, path] of [
      ['POST', '/v1/blueprints'],
      ['PUT', `/v1/blueprints/${slug}`],
      ['DELETE', `/v1/blueprints/${slug}`],
      ['POST', `/v1/blueprints/${slug}/fields`],
      ['PUT', `/v1/blueprints/${slug}/fields/a`],
      ['DELETE', `/v1/blueprints/${slug}/fields/a`],
    ] as const) {
      expect(await reader.send(method, path)).toMatchObject(failure(403, 'READ_ONLY'));
    }
  });
  it('return 404 for a blueprint of another account', async () => {
    const slug = await newBlueprint(admin, { fields: [{ name: 'a', field_type: 'string' }] });
    const other = await newTenant();
    for (const [method, path] of [
      ['GET', `/v1/blueprints/${slug}`],
      ['PUT', `/v1/blueprints/${slug}`],
      ['DELETE', `/v1/blueprints/${slug}`],
      ['POST', `/v1/blueprints/${slug}/fields`],
      ['PUT', `/v1/blueprints/${slug}/fields/a`],
      ['DELETE', `/v1/blueprints/${slug}/fields/a`],
      ['GET', `/v1/blueprints/${slug}/entities`],
      ['POST', `/v1/blueprints/${slug}/entities`],
    ] as const) {
      expect(await other.send(method, path, method === 'PUT' ? { body: {} } : {})).toMatchObject(
        failure(404, 'NOT_FOUND'),
      );
    }
    expect((await other.post('/v1/blueprints', { slug, name: 'Mine' })).status).toBe(201);
    expect((await admin.get(`/v1/blueprints/${slug}`)).body.name).not.toBe('Mine');
  });
});
