import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant, TIME } from '#test/support/client.ts';
import { newBlueprint } from '#test/support/fleet.ts';

let admin: Client;
beforeAll(async () => {
  admin = await newTenant();
});

describe('POST /v1/blueprints', () => {
  it('returns the complete record', async () => {
    const tenant = await newTenant();
    const fields = [
      { name: 'owner', field_type: 'string', required: true },
      { name: 'port', field_type: 'number', default_value: '443' },
    ];
    const made = await tenant.post('/v1/blueprints', { slug: 'Service.v1', name: 'Service', fields });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      slug: 'Service.v1',
      name: 'Service',
      description: '',
      fields: [
        { name: 'owner', field_type: 'string', required: true, sort_order: 0 },
        { name: 'port', field_type: 'number', required: false, sort_order: 1, default_value: '443' },
      ],
      is_default: true,
      created_at: TIME,
      updated_at: TIME,
    });
    expect(await tenant.get('/v1/blueprints/Service.v1')).toMatchObject({ status: 200, body: made.body });
    expect((await tenant.get('/v1/blueprints')).body).toEqual([made.body]);
  });

  it('shows fields by sort_order', async () => {
    const slug = await newBlueprint(admin, {
      fields: [
        { name: 'b', field_type: 'string', sort_order: 2 },
        { name: 'a', field_type: 'string', sort_order: 1 },
      ],
    });
    expect((await admin.get(`/v1/blueprints/${slug}`)).body.fields.map((one: { name: string }) => one.name)).toEqual([
      'a',
      'b',
    ]);
  });

  const fields = (...list: unknown[]) => ({ slug: 'x', name: 'x', fields: list });
  it.each([
    ['no slug', { name: 'x' }, 'slug'],
    ['a null slug', { slug: null, name: 'x' }, 'slug'],
    ['an empty slug', { slug: '', name: 'x' }, 'slug'],
    ['a slug with a blank', { slug: 'a b', name: 'x' }, 'slug'],
    ['a slug with a slash', { slug: 'a/b', name: 'x' }, 'slug'],
    ['a slug that begins with a dot', { slug: '.a', name: 'x' }, 'slug'],
    ['a slug with letters outside ASCII', { slug: 'größe', name: 'x' }, 'slug'],
    ['a slug of 65 characters', { slug: 'a'.repeat(65), name: 'x' }, 'slug'],
    ['a slug with a line break at its end', { slug: 'a\n', name: 'x' }, 'slug'],
    ['a number as slug', { slug: 1, name: 'x' }, 'slug'],
    ['no name', { slug: 'x' }, 'name'],
    ['an empty name', { slug: 'x', name: '' }, 'name'],
    ['a name of 201 characters', { slug: 'x', name: 'n'.repeat(201) }, 'name'],
    ['a number as description', { slug: 'x', name: 'x', description: 1 }, 'description'],
    ['an object for fields', { slug: 'x', name: 'x', fields: {} }, 'fields'],
    ['a text as is_default', { slug: 'x', name: 'x', is_default: 'true' }, 'is_default'],
    ['a field that is a text', fields('owner'), 'fields.0'],
    ['a field without name', fields({ field_type: 'string' }), 'fields.0.name'],
    ['a field without type', fields({ name: 'a' }), 'fields.0.field_type'],
    ['a field of an unknown type', fields({ name: 'a', field_type: 'date' }), 'fields.0.field_type'],
    [
      'a wrong second field',
      fields({ name: 'a', field_type: 'url' }, { name: '', field_type: 'url' }),
      'fields.1.name',
    ],
    ['required as text', fields({ name: 'a', field_type: 'url', required: 'yes' }), 'fields.0.required'],
    ['a sort_order of 1.5', fields({ name: 'a', field_type: 'url', sort_order: 1.5 }), 'fields.0.sort_order'],
    [
      'a default that is not text',
      fields({ name: 'a', field_type: 'number', default_value: 42 }),
      'fields.0.default_value',
    ],
    [
      'a default of another type',
      fields({ name: 'a', field_type: 'number', default_value: 'x' }),
      'fields.0.default_value',
    ],
  ])('rejects %s', async (_name, body, path) => {
    expect(await admin.post('/v1/blueprints', body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });

  it('accepts a slug of 64 characters and a name of 200', async () => {
    const body = { slug: 'a'.repeat(64), name: '🙂'.repeat(200) };
    expect(await admin.post('/v1/blueprints', body)).toMatchObject({ status: 201, body });
    expect((await admin.get(`/v1/blueprints/${body.slug}`)).status).toBe(200);
  });

  it('rejects a taken slug; slugs are case-sensitive', async () => {
    const slug = await newBlueprint(admin);
    expect(await admin.post('/v1/blueprints', { slug, name: 'x' })).toMatchObject(failure(409, 'CONFLICT'));
    expect((await admin.post('/v1/blueprints', { slug: slug.toUpperCase(), name: 'x' })).status).toBe(201);
  });

  it('rejects a duplicate field name', async () => {
    const twice = [
      { name: 'a', field_type: 'string' },
      { name: 'a', field_type: 'number' },
    ];
    expect(await admin.post('/v1/blueprints', { slug: 'twice', name: 'x', fields: twice })).toMatchObject(
      failure(409, 'CONFLICT'),
    );
    expect((await admin.get('/v1/blueprints/twice')).status).toBe(404);
  });

  it('gives a slug to one of 50 concurrent requests', async () => {
    const requests = Array.from({ length: 50 }, (_, n) => admin.post('/v1/blueprints', { slug: 'race', name: `${n}` }));
    const responses = await Promise.all(requests);
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(responses.filter(({ body }) => body.code === 'CONFLICT')).toHaveLength(49);
    const winner = responses.find(({ status }) => status === 201)!.body;
    expect((await admin.get('/v1/blueprints/race')).body).toEqual(winner);
  });

  it('keeps the plan limit and one default when 60 are created concurrently', async () => {
    const tenant = await newTenant();
    const make = async (n: number) => {
      const body = { slug: `b${n}`, name: 'x', is_default: n % 2 === 0 };
      let response = await tenant.post('/v1/blueprints', body);
      // With a slow store, the service returns 503 after 10 s and changes nothing, so the request is sent again.
      while (response.status === 503) response = await tenant.post('/v1/blueprints', body);
      return response;
    };
    const responses = await Promise.all(Array.from({ length: 60 }, (_, n) => make(n)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(50);
    const refused = responses.filter(({ status }) => status !== 201);
    for (const response of refused) expect(response).toMatchObject(failure(409, 'LIMIT_EXCEEDED'));
    const { body } = await tenant.get('/v1/blueprints');
    expect(body).toHaveLength(50);
    expect(body.filter((one: { is_default: boolean }) => one.is_default)).toHaveLength(1);

    expect((await tenant.del(`/v1/blueprints/${body[0].slug}`)).status).toBe(204);
    expect((await tenant.post('/v1/blueprints', { slug: 'again', name: 'x' })).status).toBe(201);
    expect((await tenant.post('/v1/blueprints', { slug: 'more', name: 'x' })).body.code).toBe('LIMIT_EXCEEDED');
  });
});

describe('the default blueprint', () => {
  const defaults = async (tenant: Client): Promise<string[]> =>
    (await tenant.get('/v1/blueprints')).body.flatMap((one: { slug: string; is_default: boolean }) =>
      one.is_default ? [one.slug] : [],
    );

  it('is the first blueprint until another becomes the default', async () => {
    const tenant = await newTenant();
    for (const slug of ['a', 'b']) await tenant.post('/v1/blueprints', { slug, name: slug, is_default: false });
    expect(await defaults(tenant)).toEqual(['a']);
    expect((await tenant.post('/v1/blueprints', { slug: 'c', name: 'c', is_default: true })).body.is_default).toBe(
      true,
    );
    expect(await defaults(tenant)).toEqual(['c']);
    expect((await tenant.put('/v1/blueprints/b', { is_default: true })).body.is_default).toBe(true);
    expect(await defaults(tenant)).toEqual(['b']);
    expect((await tenant.get('/v1/blueprints/c')).body.is_default).toBe(false);
  });
  it('cannot be unset without a successor', async () => {
    const tenant = await newTenant();
    await tenant.post('/v1/blueprints', { slug: 'a', name: 'a' });
    expect(await tenant.put('/v1/blueprints/a', { is_default: false })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'is_default'),
    );
    await tenant.post('/v1/blueprints', { slug: 'b', name: 'b' });
    expect((await tenant.put('/v1/blueprints/b', { is_default: false })).status).toBe(200);
  });
  it('is replaced by another blueprint when it is deleted', async () => {
    const tenant = await newTenant();
    for (const slug of ['x', 'z', 'y']) await tenant.post('/v1/blueprints', { slug, name: slug });
    await tenant.del('/v1/blueprints/x');
    const [successor, ...more] = await defaults(tenant);
    expect(['y', 'z']).toContain(successor);
    expect(more).toEqual([]);
    for (const slug of ['y', 'z']) await tenant.del(`/v1/blueprints/${slug}`);
    expect((await tenant.get('/v1/blueprints')).body).toEqual([]);
    expect((await tenant.post('/v1/blueprints', { slug: 'n', name: 'n' })).body.is_default).toBe(true);
  });
  it('is unique when many become the default concurrently', async () => {
    const tenant = await newTenant();
    const slugs = Array.from({ length: 10 }, (_, n) => `b${n}`);
    for (const slug of slugs) await tenant.post('/v1/blueprints', { slug, name: slug });
    const responses = await Promise.all(
      slugs.map((slug) => tenant.put(`/v1/blueprints/${slug}`, { is_default: true })),
    );
    expect(responses.map(({ status }) => status)).toEqual(slugs.map(() => 200));
    expect(await defaults(tenant)).toHaveLength(1);
  });
});
