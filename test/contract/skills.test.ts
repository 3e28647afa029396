import { beforeAll, describe, expect, it } from 'vitest';
import { catalogOps } from '#test/support/catalog-ops.ts';
import { type Client, failure, keyOf, newTenant, TIME } from '#test/support/client.ts';
import { everything, got } from '#test/support/fleet.ts';

let admin: Client;
let reader: Client;
beforeAll(async () => {
  admin = await newTenant();
  reader = await keyOf(admin, { is_read_only: true });
});

let count = 0;
const tool = { name: 'restart', description: 'Restarts it', inputSchema: { type: 'object', properties: {} } };
const manifest = (more: object = {}) => ({ slug: `skill-${++count}`, name: 'A skill', tools: [tool], ...more });
const make = async (more: object = {}) => got(await admin.post('/v1/skills', manifest(more)), 201);

describe('a skill', () => {
  it('is registered from only slug, name and tools, and is enabled', async () => {
    const made = await make({ slug: 'ops' });
    expect(made).toEqual({
      slug: 'ops',
      name: 'A skill',
      description: '',
      version: '',
      tools: [tool],
      enabled: true,
      created_at: TIME,
      updated_at: made.created_at,
    });
    expect(got(await admin.get('/v1/skills/ops'), 200)).toEqual(made);
    expect(got(await reader.get('/v1/skills/ops'), 200)).toEqual(made);
  });

  it('can contain the built-in tools, as in docs/catalog-ops.json', async () => {
    const made = await make(catalogOps());
    expect(made).toMatchObject(catalogOps());
  });

  it('is listed by slug, in pages', async () => {
    const other = await newTenant();
    for (const slug of ['b', 'c', 'a']) got(await other.post('/v1/skills', manifest({ slug })), 201);
    expect((await everything(other, '/v1/skills?limit=2')).map(({ slug }) => slug)).toEqual(['a', 'b', 'c']);
    expect(got(await other.get('/v1/skills'), 200)).toHaveLength(3);
  });

  it('is hidden from another account, which can use its slug too', async () => {
    const other = await newTenant();
    const { slug } = await make();
    expect(await other.get(`/v1/skills/${slug}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await other.put(`/v1/skills/${slug}`, {})).toMatchObject(failure(404, 'NOT_FOUND'));
    expect((await other.post('/v1/skills', manifest({ slug }))).status).toBe(201);
  });

  it('changes only the given properties, its tools as a whole', async () => {
    const made = await make({ description: 'Old', version: '1.0.0' });
    const other = { ...tool, name: 'stop' };
    const changed = got(await admin.put(`/v1/skills/${made.slug}`, { tools: [other], version: '2.0.0' }), 200);
    expect(changed).toEqual({ ...made, tools: [other], version: '2.0.0', updated_at: TIME });
    const off = got(await admin.put(`/v1/skills/${made.slug}`, { enabled: false }), 200);
    expect(off).toEqual({ ...changed, enabled: false, updated_at: TIME });
    expect(got(await admin.put(`/v1/skills/${made.slug}`, { ...off, enabled: true }), 200).enabled).toBe(true);
    expect(await admin.put(`/v1/skills/${made.slug}`, { slug: 'another' })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'slug'),
    );
  });

  it('can be sent back unchanged when an action of its tools is deleted', async () => {
    const about = { name: 'Restart', trigger_type: 'manual', url: 'https://ci.example.com/restart' };
    const action = got(await admin.post('/v1/actions', about), 201);
    const { slug } = await make({ tools: [{ ...tool, action_id: action.id }] });
    got(await admin.del(`/v1/actions/${action.id}`), 204);
    const read = got(await admin.get(`/v1/skills/${slug}`), 200);
    expect(got(await admin.put(`/v1/skills/${slug}`, read), 200)).toMatchObject({ tools: read.tools });
    const other = { ...read, tools: [...read.tools, { ...tool, name: 'other', action_id: 'act_gone' }] };
    expect(await admin.put(`/v1/skills/${slug}`, other)).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('is gone after its deletion', async () => {
    const { slug } = await make();
    expect((await admin.del(`/v1/skills/${slug}`)).status).toBe(204);
    expect(await admin.get(`/v1/skills/${slug}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await admin.del(`/v1/skills/${slug}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect((await admin.post('/v1/skills', manifest({ slug }))).status).toBe(201);
  });

  it('needs a free slug', async () => {
    const { slug } = await make();
    expect(await admin.post('/v1/skills', manifest({ slug }))).toMatchObject(failure(409, 'CONFLICT'));
  });

  it('is rejected beyond a hundred, even for concurrent requests', async () => {
    const other = await newTenant();
    const responses = await Promise.all(
      Array.from({ length: 103 }, (_, i) => other.post('/v1/skills', manifest({ slug: `s${i}` }))),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(100);
    expect(responses.find(({ status }) => status !== 201)).toMatchObject(failure(409, 'LIMIT_EXCEEDED'));
    await other.del('/v1/skills/s0');
    await other.del('/v1/skills/s1');
    expect((await other.post('/v1/skills', manifest())).status).toBe(201);
  });

  it('cannot be registered or changed with a read-only key', async () => {
    const { slug } = await make();
    expect(await reader.post('/v1/skills', manifest())).toMatchObject(failure(403, 'READ_ONLY'));
    expect(await reader.put(`/v1/skills/${slug}`, {})).toMatchObject(failure(403, 'READ_ONLY'));
    expect(await reader.del(`/v1/skills/${slug}`)).toMatchObject(failure(403, 'READ_ONLY'));
  });
});

describe('a manifest', () => {
  const withTool = (more: object) => ({ tools: [{ ...tool, ...more }] });
  const withSchema = (more: object) => withTool({ inputSchema: { type: 'object', ...more } });

  it.each<[string, object, string]>([
    ['without a slug', { slug: undefined }, 'slug'],
    ['with a slug that is invalid', { slug: '-x' }, 'slug'],
    ['without a name', { name: undefined }, 'name'],
    ['without tools', { tools: undefined }, 'tools'],
    ['with tools that are not a list', { tools: {} }, 'tools'],
    [
      'with more than a hundred tools',
      { tools: Array.from({ length: 101 }, (_, i) => ({ ...tool, name: `t${i}` })) },
      'tools',
    ],
    [
      'with tools of more than 64 KB',
      { tools: Array.from({ length: 20 }, (_, i) => ({ ...tool, name: `t${i}`, description: 'x'.repeat(4000) })) },
      'tools',
    ],
    ['with a description that is not text', { description: 7 }, 'description'],
    ['with enabled that is not a boolean', { enabled: 'yes' }, 'enabled'],
    ['with a tool without a name', withTool({ name: undefined }), 'tools.0.name'],
    ['with a blank in a tool’s name', withTool({ name: 'a b' }), 'tools.0.name'],
    ['with a tool’s name of 129 letters', withTool({ name: 'x'.repeat(129) }), 'tools.0.name'],
    ['with two tools of one name', { tools: [tool, tool] }, 'tools.1.name'],
    ['with a tool without a schema', withTool({ inputSchema: undefined }), 'tools.0.inputSchema'],
    ['with a schema of another type', withTool({ inputSchema: { type: 'array' } }), 'tools.0.inputSchema.type'],
    ['with a schema without a type', withTool({ inputSchema: {} }), 'tools.0.inputSchema.type'],
    ['with a reference', withSchema({ properties: { a: { $ref: '#' } } }), 'tools.0.inputSchema.properties.a.$ref'],
    [
      'with a pattern',
      withSchema({ properties: { a: { items: { pattern: '^(a+)+$' } } } }),
      'tools.0.inputSchema.properties.a.items.pattern',
    ],
    ['with property patterns', withSchema({ patternProperties: { a: {} } }), 'tools.0.inputSchema.patternProperties'],
    [
      'with arguments in headers',
      withSchema({ properties: { a: { type: 'string', 'x-mcp-header': 'A' } } }),
      'tools.0.inputSchema.properties.a.x-mcp-header',
    ],
    [
      'with a built-in tool bound to an action',
      withTool({ name: 'get_entity', action_id: 'act_1' }),
      'tools.0.action_id',
    ],
  ])('is rejected %s', async (_name, more, path) => {
    const response = await admin.post('/v1/skills', JSON.parse(JSON.stringify(manifest(more))));
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });

  it('is rejected with a schema that is nested too deep, even in a value', async () => {
    const nested = `${'{"not":'.repeat(20_000)}{}${'}'.repeat(20_000)}`;
    for (const keyword of ['not', 'default']) {
      const inputSchema = `{"type":"object","${keyword}":${nested}}`;
      const body = `{"slug":"deep","name":"Deep","tools":[{"name":"deep","inputSchema":${inputSchema}}]}`;
      expect(await admin.post('/v1/skills', body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    }
  });

  it('is rejected with an unknown action', async () => {
    expect(await admin.post('/v1/skills', manifest(withTool({ action_id: 'act_none' })))).toMatchObject(
      failure(404, 'NOT_FOUND'),
    );
    const { slug } = await make();
    expect(await admin.put(`/v1/skills/${slug}`, withTool({ action_id: 'act_none' }))).toMatchObject(
      failure(404, 'NOT_FOUND'),
    );
  });

  it('can have an argument whose name is a rejected keyword', async () => {
    const properties = { pattern: { type: 'string' }, $ref: { enum: [{ $ref: 'x' }] } };
    const made = await make(withSchema({ properties, required: ['pattern'] }));
    expect(made.tools[0].inputSchema.properties).toEqual(properties);
  });
});
