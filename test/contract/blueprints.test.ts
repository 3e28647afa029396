import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

let admin: Client;
beforeAll(async () => {
  admin = await newTenant();
});

let count = 0;
/** A new blueprint of the shared account. */
async function blueprint(more: object = {}): Promise<string> {
  count += 1;
  const made = await admin.post('/v1/blueprints', { slug: `bp-${count}`, name: `Blueprint ${count}`, ...more });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return made.body.slug;
}

describe('POST /v1/blueprints', () => {
  it('answers the record with everything filled in', async () => {
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
    const slug = await blueprint({
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
    ['a slug in other letters', { slug: 'größe', name: 'x' }, 'slug'],
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
    ['half a sort_order', fields({ name: 'a', field_type: 'url', sort_order: 1.5 }), 'fields.0.sort_order'],
    [
      'a default that is no text',
      fields({ name: 'a', field_type: 'number', default_value: 42 }),
      'fields.0.default_value',
    ],
    [
      'a default of another type',
      fields({ name: 'a', field_type: 'number', default_value: 'x' }),
      'fields.0.default_value',
    ],
  ])('refuses %s', async (_name, body, path) => {
    expect(await admin.post('/v1/blueprints', body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });

  it('takes a slug of 64 characters and a name of 200', async () => {
    const body = { slug: 'a'.repeat(64), name: '🙂'.repeat(200) };
    expect(await admin.post('/v1/blueprints', body)).toMatchObject({ status: 201, body });
    expect((await admin.get(`/v1/blueprints/${body.slug}`)).status).toBe(200);
  });

  it('refuses a taken slug, whose case matters', async () => {
    const slug = await blueprint();
    expect(await admin.post('/v1/blueprints', { slug, name: 'x' })).toMatchObject(failure(409, 'CONFLICT'));
    expect((await admin.post('/v1/blueprints', { slug: slug.toUpperCase(), name: 'x' })).status).toBe(201);
  });

  it('refuses a field name given twice', async () => {
    const twice = [
      { name: 'a', field_type: 'string' },
      { name: 'a', field_type: 'number' },
    ];
    expect(await admin.post('/v1/blueprints', { slug: 'twice', name: 'x', fields: twice })).toMatchObject(
      failure(409, 'CONFLICT'),
    );
    expect((await admin.get('/v1/blueprints/twice')).status).toBe(404);
  });

  it('gives one slug to one of 50 who ask at once', async () => {
    const asked = Array.from({ length: 50 }, (_, n) => admin.post('/v1/blueprints', { slug: 'race', name: `${n}` }));
    const answers = await Promise.all(asked);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === 'CONFLICT')).toHaveLength(49);
    const winner = answers.find(({ status }) => status === 201)!.body;
    expect((await admin.get('/v1/blueprints/race')).body).toEqual(winner);
  });

  it('keeps the plan limit, and one default, when 60 are made at once', async () => {
    const tenant = await newTenant();
    const make = async (n: number) => {
      const body = { slug: `b${n}`, name: 'x', is_default: n % 2 === 0 };
      let answer = await tenant.post('/v1/blueprints', body);
      // A slow store says so after 10 s; what it did not change is sent again.
      while (answer.status === 503) answer = await tenant.post('/v1/blueprints', body);
      return answer;
    };
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => make(n)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const answer of refused) expect(answer).toMatchObject(failure(409, 'LIMIT_EXCEEDED'));
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

  it('is the first, until another takes the mark', async () => {
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
  it('cannot be without successor', async () => {
    const tenant = await newTenant();
    await tenant.post('/v1/blueprints', { slug: 'a', name: 'a' });
    expect(await tenant.put('/v1/blueprints/a', { is_default: false })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'is_default'),
    );
    await tenant.post('/v1/blueprints', { slug: 'b', name: 'b' });
    expect((await tenant.put('/v1/blueprints/b', { is_default: false })).status).toBe(200);
  });
  it('is one of the others once it is deleted', async () => {
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
  it('is one, however many ask for the mark at once', async () => {
    const tenant = await newTenant();
    const slugs = Array.from({ length: 10 }, (_, n) => `b${n}`);
    for (const slug of slugs) await tenant.post('/v1/blueprints', { slug, name: slug });
    const answers = await Promise.all(slugs.map((slug) => tenant.put(`/v1/blueprints/${slug}`, { is_default: true })));
    expect(answers.map(({ status }) => status)).toEqual(slugs.map(() => 200));
    expect(await defaults(tenant)).toHaveLength(1);
  });
});

describe('PUT /v1/blueprints/{slug}', () => {
  it('changes what is supplied and nothing else', async () => {
    const slug = await blueprint({ description: 'old', fields: [{ name: 'a', field_type: 'string' }] });
    const before = (await admin.get(`/v1/blueprints/${slug}`)).body;
    const changed = await admin.put(`/v1/blueprints/${slug}`, { description: 'new', name: null });
    expect(changed).toMatchObject({ status: 200, body: { ...before, description: 'new', updated_at: TIME } });
  });
  it('takes back a whole record, fields and all', async () => {
    const slug = await blueprint({ fields: [{ name: 'a', field_type: 'string' }] });
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
  ])('refuses other fields (%s) and says where they are changed', async (_name, fields) => {
    const slug = await blueprint({ fields: [{ name: 'a', field_type: 'string' }] });
    const answer = await admin.put(`/v1/blueprints/${slug}`, { name: 'New', fields });
    expect(answer).toMatchObject(failure(400, 'VALIDATION_ERROR', 'fields'));
    expect(answer.body.error).toContain(`POST /v1/blueprints/${slug}/fields`);
    expect((await admin.get(`/v1/blueprints/${slug}`)).body.name).not.toBe('New');
  });
  it.each([
    ['another slug', { slug: 'other' }, 'slug'],
    ['an empty name', { name: '' }, 'name'],
    ['a number as description', { description: 7 }, 'description'],
    ['a text as is_default', { is_default: 'no' }, 'is_default'],
  ])('refuses %s', async (_name, body, path) => {
    const slug = await blueprint();
    expect(await admin.put(`/v1/blueprints/${slug}`, body)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });
});

describe('fields of a blueprint', () => {
  it('are added; the blueprint is the answer', async () => {
    const slug = await blueprint({ fields: [{ name: 'a', field_type: 'string' }] });
    const added = await admin.post(`/v1/blueprints/${slug}/fields`, { name: 'b', field_type: 'array', required: true });
    expect(added).toMatchObject({ status: 201, body: { slug, fields: [{ name: 'a' }, { name: 'b', sort_order: 1 }] } });
    expect((await admin.get(`/v1/blueprints/${slug}`)).body).toEqual(added.body);
  });
  it('have names of their own', async () => {
    const slug = await blueprint({ fields: [{ name: 'a', field_type: 'string' }] });
    expect(await admin.post(`/v1/blueprints/${slug}/fields`, { name: 'a', field_type: 'url' })).toMatchObject(
      failure(409, 'CONFLICT'),
    );
  });
  it('are all kept when they are added at once', async () => {
    const slug = await blueprint();
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
    ['a name that no path can hold', { name: 'ok?', field_type: 'string' }, 'name'],
    ['a name that would end a path', { name: 'ticket #', field_type: 'string' }, 'name'],
    ['a name that no object can have', { name: '__proto__', field_type: 'string' }, 'name'],
  ])('are refused with %s', async (_name, body, path) => {
    const slug = await blueprint();
    expect(await admin.post(`/v1/blueprints/${slug}/fields`, body)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', path),
    );
  });
  it.each(['plain', 'On call', 'größe/länge', '100 %'])('are removed by name: %s', async (name) => {
    const slug = await blueprint({ fields: [{ name, field_type: 'string' }] });
    const path = `/v1/blueprints/${slug}/fields/${encodeURIComponent(name)}`;
    expect(await admin.del(path)).toMatchObject({ status: 204, body: undefined });
    expect((await admin.get(`/v1/blueprints/${slug}`)).body.fields).toEqual([]);
    expect(await admin.del(path)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('DELETE /v1/blueprints/{slug}', () => {
  it('takes it away', async () => {
    const slug = await blueprint();
    expect(await admin.del(`/v1/blueprints/${slug}`)).toMatchObject({ status: 204, body: undefined });
    expect(await admin.get(`/v1/blueprints/${slug}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await admin.del(`/v1/blueprints/${slug}`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
  it('is refused while it has entities', async () => {
    const slug = await blueprint();
    await admin.post(`/v1/blueprints/${slug}/entities`, { slug: 'e', name: 'e' });
    expect(await admin.del(`/v1/blueprints/${slug}`)).toMatchObject(failure(409, 'CONFLICT'));
    await admin.del(`/v1/blueprints/${slug}/entities/e`);
    expect((await admin.del(`/v1/blueprints/${slug}`)).status).toBe(204);
  });
  it('and new entities exclude each other', async () => {
    const slug = await blueprint();
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
  it('are listed by slug, page by page', async () => {
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
  it('of an empty account are an empty array', async () => {
    expect(await (await newTenant()).get('/v1/blueprints')).toMatchObject({ status: 200, body: [] });
  });
  it('may be read but not changed by a read-only key', async () => {
    const slug = await blueprint();
    const reader = await keyOf(admin, { is_read_only: true });
    expect((await reader.get(`/v1/blueprints/${slug}`)).status).toBe(200);
    expect((await reader.get('/v1/blueprints')).status).toBe(200);
    for (const [method, path] of [
      ['POST', '/v1/blueprints'],
      ['PUT', `/v1/blueprints/${slug}`],
      ['DELETE', `/v1/blueprints/${slug}`],
      ['POST', `/v1/blueprints/${slug}/fields`],
      ['DELETE', `/v1/blueprints/${slug}/fields/a`],
    ] as const) {
      expect(await reader.send(method, path)).toMatchObject(failure(403, 'READ_ONLY'));
    }
  });
  it('of another account look like none', async () => {
    const slug = await blueprint({ fields: [{ name: 'a', field_type: 'string' }] });
    const other = await newTenant();
    for (const [method, path] of [
      ['GET', `/v1/blueprints/${slug}`],
      ['PUT', `/v1/blueprints/${slug}`],
      ['DELETE', `/v1/blueprints/${slug}`],
      ['POST', `/v1/blueprints/${slug}/fields`],
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
