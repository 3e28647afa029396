import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientOf, failure, keyOf, newTenant, TIME } from '#test/support/client.ts';
import { everything, got, newBlueprint, newCheck } from '#test/support/fleet.ts';
import { pingsOf, sendPing, statusAndText } from '#test/support/pings.ts';
import { target } from '#test/support/service.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

type PingKey = { id: string; key: string };
const newKey = async (more: object = {}, as = client): Promise<PingKey> =>
  got(await as.post('/v1/ping-keys', { label: 'crontabs of db1', ...more }), 201);
const ping = (key: PingKey, rest: string) => sendPing(`/ping/${key.key}/${rest}`);
const checkOf = async (slug: string, as = client) =>
  ((await everything(as, '/v1/checks')) as { slug: string }[]).find((check) => check.slug === slug);

let jobs = 0;
const newSlug = () => `job-${++jobs}`;

describe('a ping key', () => {
  it('is shown, with 22 characters, to callers that can write, and as ******** to others', async () => {
    const key = await newKey();
    expect(key).toEqual({
      id: expect.stringMatching(/^pky_[0-9a-z]{26}$/),
      label: 'crontabs of db1',
      key: expect.stringMatching(/^[\w-]{22}$/),
      blueprint_slug: null,
      created_at: TIME,
    });
    const listed = (as: Client) => everything(as, '/v1/ping-keys');
    expect(await listed(client)).toContainEqual(key);
    expect(await listed(await keyOf(client, { is_read_only: true }))).toContainEqual({ ...key, key: '********' });
    expect(await listed(await newTenant())).toEqual([]);
  });

  it('is not an API key', async () => {
    const { key } = await newKey();
    expect(await clientOf((await target()).url, key).get('/v1/me')).toMatchObject(failure(401, 'UNAUTHORIZED'));
  });

  it('accepts every kind of ping at the slug of a push check of its account', async () => {
    const key = await newKey();
    const slug = newSlug();
    const { id } = await newCheck(client, { slug, failure_threshold: 1 });
    for (const rest of ['', '/start', '/0', '/log', '/3'])
      expect(statusAndText(await ping(key, slug + rest))).toBe('200 OK');
    expect(await pingsOf(client, id)).toHaveLength(5);
    expect(got(await client.get(`/v1/checks/${id}`), 200)).toMatchObject({ state: 'down' });
  });

  it.each([
    ['unknown', '404 not found'],
    ['Backup', '400 invalid url format'],
    ['x'.repeat(65), '400 invalid url format'],
    ['a/256', '400 invalid url format'],
    ['unknown?create=1', '404 not found: this ping key may not create checks'],
    ['unknown?create=0', '404 not found'],
  ])('returns at %s: %s', async (rest, expected) => {
    expect(statusAndText(await ping(await newKey(), rest))).toBe(expected);
  });

  it('does not ping a check that is probed', async () => {
    const slug = newSlug();
    await newCheck(client, { check_type: 'http', target_url: 'https://127.77.0.1/', interval_seconds: 86_400, slug });
    expect(statusAndText(await ping(await newKey(), slug))).toBe('409 not a push check');
  });

  it('does not reach a check of another account with the same slug', async () => {
    const slug = newSlug();
    await newCheck(client, { slug });
    expect(statusAndText(await ping(await newKey({}, await newTenant()), slug))).toBe('404 not found');
  });

  it('follows a slug to the check that has it now', async () => {
    const key = await newKey();
    const slug = newSlug();
    const first = await newCheck(client, { slug });
    got(await client.put(`/v1/checks/${first.id}`, { slug: '' }), 200);
    expect(statusAndText(await ping(key, slug))).toBe('404 not found');
    const second = await newCheck(client, { slug });
    expect(statusAndText(await ping(key, slug))).toBe('200 OK');
    expect(await pingsOf(client, second.id)).toHaveLength(1);
  });

  it('leads to 404 after its deletion, like a wrong key', async () => {
    const key = await newKey();
    const slug = newSlug();
    await newCheck(client, { slug });
    expect(await client.del(`/v1/ping-keys/${key.id}`)).toMatchObject({ status: 204 });
    expect(await client.del(`/v1/ping-keys/${key.id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(statusAndText(await ping(key, slug))).toBe('404 not found');
    expect(statusAndText(await ping({ id: '', key: 'fqOOd6-F4MMNuCEnzTU01w' }, slug))).toBe('404 not found');
  });

  it('is rejected with an unknown blueprint or an empty label', async () => {
    const body = { label: 'x', blueprint_slug: 'none' };
    expect(await client.post('/v1/ping-keys', body)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await client.post('/v1/ping-keys', { label: '' })).toMatchObject(failure(400, 'VALIDATION_ERROR', 'label'));
  });

  it('is rejected beyond twenty, even for concurrent requests', async () => {
    const own = await newTenant();
    const responses = await Promise.all(
      Array.from({ length: 23 }, (_, i) => own.post('/v1/ping-keys', { label: `${i}` })),
    );
    const made = responses.filter(({ status }) => status === 201);
    expect(made).toHaveLength(20);
    expect(responses.find(({ status }) => status !== 201)).toMatchObject(failure(409, 'LIMIT_EXCEEDED'));
    got(await own.del(`/v1/ping-keys/${made[0]!.body.id}`), 204);
    got(await own.post('/v1/ping-keys', { label: 'one more' }), 201);
  });
});

describe('a ping that creates its check', () => {
  it('creates an entity too; the check has a period of a day and a grace time of 25 hours', async () => {
    const blueprint_slug = await newBlueprint(client);
    const key = await newKey({ blueprint_slug });
    const slug = newSlug();
    expect(statusAndText(await ping(key, `${slug}?create=1`))).toBe('201 Created');
    expect(statusAndText(await ping(key, `${slug}?create=1`))).toBe('200 OK');
    const check = await checkOf(slug);
    expect(check).toMatchObject({
      check_type: 'push',
      name: slug,
      interval_seconds: 86_400,
      failure_threshold: 1,
      config: { grace_seconds: 90_000 },
      state: 'up',
      ping_url: expect.stringMatching(/\/ping\//),
    });
    const entities = await everything(client, `/v1/blueprints/${blueprint_slug}/entities`);
    expect(entities).toMatchObject([{ slug, name: slug, state: 'up' }]);
    const log = got(await client.get('/v1/audit'), 200) as { action: string; actor: { key_id: string } }[];
    const own = log.filter(({ actor }) => actor.key_id === key.id).map(({ action }) => action);
    expect(own.toSorted()).toEqual(['check.create', 'entity.create']);
  });

  it('uses the existing entity with its slug', async () => {
    const blueprint_slug = await newBlueprint(client);
    const slug = newSlug();
    const entity = got(await client.post(`/v1/blueprints/${blueprint_slug}/entities`, { slug, name: 'Mine' }), 201);
    expect(statusAndText(await ping(await newKey({ blueprint_slug }), `${slug}/7?create=1`))).toBe('201 Created');
    expect(await checkOf(slug)).toMatchObject({ entity_id: entity.id, state: 'down' });
  });

  it('creates it once for concurrent pings', async () => {
    const own = await newTenant();
    const blueprint_slug = await newBlueprint(own);
    const key = await newKey({ blueprint_slug }, own);
    const responses = await Promise.all(Array.from({ length: 12 }, () => ping(key, 'nightly?create=1')));
    const all = responses.map(statusAndText).toSorted();
    expect(all).toEqual([...Array.from({ length: 11 }, () => '200 OK'), '201 Created']);
    const checks = (await everything(own, '/v1/checks')) as { id: string }[];
    expect(checks).toHaveLength(1);
    expect(await pingsOf(own, checks[0]!.id)).toHaveLength(12);
    expect(await everything(own, `/v1/blueprints/${blueprint_slug}/entities`)).toHaveLength(1);
  });

  it('is rejected with a message if the blueprint requires a field', async () => {
    const fields = [{ name: 'owner', field_type: 'string', required: true }];
    const key = await newKey({ blueprint_slug: await newBlueprint(client, { fields }) });
    const slug = newSlug();
    const response = await ping(key, `${slug}?create=1`);
    expect(statusAndText(response)).toMatch(/^409 \S.*owner.*$/);
    expect(await checkOf(slug)).toBeUndefined();
  });
});
