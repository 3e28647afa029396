import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, memberOf, newTenant } from '#test/support/client.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';

let client: Client;
let entity: { id: string; slug: string };
beforeAll(async () => {
  client = await newTenant();
  entity = await newEntity(client);
});

const at = (slug: string) => `/v1/checks/by-slug/${slug}`;
const http = () => ({
  entity: `service/${entity.slug}`,
  check_type: 'http',
  target_url: 'http://127.77.0.1:9/',
  enabled: false,
});
const push = () => ({ entity: `service/${entity.slug}`, check_type: 'push' });
const apply = (slug: string, body: object) => client.put(at(slug), body);

describe('PUT /v1/checks/by-slug/{slug}', () => {
  it('creates the check with 201; it can be read and deleted by its slug', async () => {
    const made = got(await apply('made', { ...push(), name: 'made', labels: { team: 'ops' } }), 201);
    expect(made).toMatchObject({
      slug: 'made',
      entity_id: entity.id,
      entity: `service/${entity.slug}`,
      labels: { team: 'ops' },
      state: 'unknown',
    });
    const read = got(await client.get(at('made')), 200);
    expect(read).toEqual(got(await client.get(`/v1/checks/${made.id}`), 200));
    expect(read).toMatchObject({ ...made, last_result: null });
    got(await client.del(at('made')), 204);
    for (const path of [at('made'), `/v1/checks/${made.id}`])
      expect(await client.get(path)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await client.del(at('made'))).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(got(await apply('made', push()), 201).id).not.toBe(made.id);
  });

  it('returns 200 and writes nothing when nothing changes', async () => {
    const body = { ...http(), config: { headers: { a: 'b' } }, labels: { team: 'ops' }, name: 'same' };
    const made = got(await apply('same', body), 201);
    const log = async () => got(await client.get(`/v1/audit?target=${made.id}`), 200).length;
    const before = await log();
    for (const again of [body, { ...body, slug: 'same', entity_id: entity.id }]) {
      expect(got(await apply('same', again), 200)).toEqual(made);
    }
    expect(got(await apply('same', got(await client.get(at('same')), 200)), 200)).toEqual(made);
    expect(await log()).toBe(before);
  });

  it('resets omitted properties to their defaults and replaces config and labels', async () => {
    const first = {
      ...http(),
      name: 'all of it',
      method: 'POST',
      interval_seconds: 30,
      failure_threshold: 1,
      labels: { team: 'ops', tier: '1' },
      config: { headers: { a: 'b' }, body: 'x' },
    };
    const { id, created_at } = got(await apply('whole', first), 201);
    const changed = got(await apply('whole', { ...http(), labels: { tier: '2' }, config: { body: 'y' } }), 200);
    expect(changed).toMatchObject({
      id,
      created_at,
      slug: 'whole',
      name: null,
      method: 'GET',
      interval_seconds: 60,
      failure_threshold: 3,
      labels: { tier: '2' },
      config: { body: 'y' },
    });
    expect(changed.labels).toEqual({ tier: '2' });
    expect(changed.config).toEqual({ body: 'y' });
    const bare = got(await apply('whole', http()), 200);
    expect([bare.labels, bare.config]).toEqual([{}, {}]);
    expect(got(await client.get(`/v1/checks/${id}`), 200)).toMatchObject(bare);
  });

  it('keeps state, policy and history', async () => {
    const { id } = got(await apply('kept', { ...push(), failure_threshold: 1 }), 201);
    got(await client.post(`/v1/checks/${id}/policy`, { cooldown_seconds: 7 }), 200);
    got(await client.post(`/v1/checks/${id}/results`, { success: false, latency_ms: 5 }), 201);
    const changed = got(await apply('kept', { ...push(), failure_threshold: 1, name: 'renamed' }), 200);
    expect(changed).toMatchObject({ id, state: 'down', consecutive_failures: 1 });
    expect(got(await client.get(`/v1/checks/${id}/policy`), 200)).toMatchObject({ cooldown_seconds: 7 });
    expect(got(await client.get(`/v1/checks/${id}/results`), 200).results).toHaveLength(1);
    expect(got(await client.get(at('kept')), 200)).toMatchObject({ last_result: { success: false } });
  });

  it('finds a check by a slug set with PUT /v1/checks/{id}, and not by its former slug', async () => {
    const check = await newCheck(client, { entity_id: entity.id });
    got(await client.put(`/v1/checks/${check.id}`, { slug: 'adopted' }), 200);
    expect(got(await apply('adopted', { ...push(), name: 'x' }), 200)).toMatchObject({ id: check.id });
    got(await client.put(`/v1/checks/${check.id}`, { slug: 'moved-on' }), 200);
    expect(await client.get(at('adopted'))).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(got(await apply('adopted', push()), 201).id).not.toBe(check.id);
  });

  it('accepts slugs that are segments of other paths', async () => {
    for (const slug of ['results', 'policy', 'history', 'transitions', 'run', 'test', 'by-slug']) {
      expect(got(await apply(slug, push()), 201)).toMatchObject({ slug });
      expect(got(await client.get(at(slug)), 200)).toMatchObject({ slug });
      got(await client.del(at(slug)), 204);
    }
  });

  it.each<[string, () => object, string]>([
    ['another type', () => ({ ...http() }), 'check_type'],
    ['another entity', () => ({ ...push(), entity: undefined, entity_id: 'ent_other' }), 'entity_id'],
    ['another slug', () => ({ ...push(), slug: 'other' }), 'slug'],
    ['no entity', () => ({ check_type: 'push' }), 'entity_id'],
    ['no type', () => ({ entity_id: entity.id }), 'check_type'],
    ['a bad setting', () => ({ ...push(), interval_seconds: 0 }), 'interval_seconds'],
    ['a null in config', () => ({ ...push(), config: { grace_seconds: null } }), 'config.grace_seconds'],
    ['an unknown property', () => ({ ...push(), intervall: 1 }), 'intervall'],
  ])('rejects %s and leaves the check unchanged', async (_name, body, path) => {
    const before = (await client.get(at('refusing'))).body;
    if (before.code) got(await apply('refusing', { ...push(), name: 'as it is' }), 201);
    expect(await apply('refusing', body())).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    expect(got(await client.get(at('refusing')), 200)).toMatchObject({ name: 'as it is', check_type: 'push' });
  });

  it('rejects the path of another entity, and an unknown entity', async () => {
    const other = await newEntity(client);
    got(await apply('placed', push()), 201);
    expect(await apply('placed', { ...push(), entity: `service/${other.slug}` })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'entity'),
    );
    expect(await apply('placed', { ...push(), entity: 'service/none' })).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await apply('never-made', { ...push(), entity: 'service/none' })).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await client.get(at('never-made'))).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it.each(['Capital', 'with.dot', '-first', 'a'.repeat(65)])(
    'does not create a check with the slug %s',
    async (slug) => {
      const response = await apply(slug, push());
      expect([400, 404]).toContain(response.status);
      expect(await client.get(at(slug))).toMatchObject(failure(404, 'NOT_FOUND'));
    },
  );

  it('creates one check for many concurrent requests', async () => {
    const body = { ...push(), name: 'one of many' };
    const responses = await Promise.all(Array.from({ length: 12 }, () => apply('at-once', body)));
    expect(responses.map(({ status }) => status).sort()).toEqual([...Array(11).fill(200), 201]);
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
  });

  it('creates the check again only if it comes after a concurrent DELETE, which always succeeds', async () => {
    for (let n = 0; n < 5; n++) {
      got(await apply('both', { ...push(), name: `before ${n}` }), 201);
      const [deleted, applied] = await Promise.all([
        client.del(at('both')),
        apply('both', { ...push(), name: `after ${n}` }),
      ]);
      expect(deleted.status).toBe(204);
      expect([200, 201]).toContain(applied.status);
      const left = await client.get(at('both'));
      if (applied.status === 201) expect(left).toMatchObject({ status: 200, body: { id: applied.body.id } });
      else expect(left).toMatchObject(failure(404, 'NOT_FOUND'));
      if (left.status === 200) got(await client.del(at('both')), 204);
    }
  });

  it('requires a key that can write, and hides checks of other accounts', async () => {
    got(await apply('guarded', http()), 201);
    const [viewer, reader, stranger] = [
      await memberOf(client, 'viewer'),
      await keyOf(client, { is_read_only: true }),
      await newTenant(),
    ];
    for (const who of [viewer, reader]) {
      expect(got(await who.get(at('guarded')), 200)).toMatchObject({ slug: 'guarded' });
      for (const call of [who.put(at('guarded'), http()), who.del(at('guarded'))])
        expect((await call).status).toBe(403);
    }
    for (const response of [await stranger.get(at('guarded')), await stranger.del(at('guarded'))])
      expect(response).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('hides secrets from read-only keys', async () => {
    const target_url = 'http://127.77.0.1:9/?token=s3cret';
    got(await apply('hidden', { ...http(), target_url, config: { headers: { a: 's3cret' } } }), 201);
    const reader = await keyOf(client, { is_read_only: true });
    expect(JSON.stringify((await reader.get(at('hidden'))).body)).not.toContain('s3cret');
  });
});
