import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';

const ENTITIES = '/v1/blueprints/service/entities';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

/** Functions that create a record with labels, by its kind. Each returns the response and the path of the record. */
const CREATORS = {
  'an entity': async (labels?: unknown) => {
    // Creates the blueprint too.
    await newEntity(client);
    const slug = `labelled-${++count}`;
    const response = await client.post(ENTITIES, { slug, name: 'E', ...(labels !== undefined && { labels }) });
    return { response, path: `${ENTITIES}/${slug}` };
  },
  'a check': async (labels?: unknown) => {
    const entity_id = (await newEntity(client)).id;
    const response = await client.post('/v1/checks', {
      entity_id,
      check_type: 'push',
      ...(labels !== undefined && { labels }),
    });
    return { response, path: `/v1/checks/${response.body.id}` };
  },
};
let count = 0;

const many = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, String(i)]));

describe.each(Object.entries(CREATORS))('the labels of %s', (_name, make) => {
  it('are empty by default and shown as given', async () => {
    expect(got((await make()).response, 201).labels).toEqual({});
    const labels = { team: 'payments', 'a.b-c_d9': '', region: 'eu west/1 💶' };
    const { response, path } = await make(labels);
    expect(got(response, 201).labels).toEqual(labels);
    expect(got(await client.get(path), 200).labels).toEqual(labels);
  });

  it('merge by key, and null removes a label', async () => {
    const { path } = await make({ team: 'payments', tier: '1' });
    const put = async (labels: unknown) => got(await client.put(path, { labels }), 200).labels;
    expect(await put({ tier: '2', region: 'eu' })).toEqual({ team: 'payments', tier: '2', region: 'eu' });
    expect(await put({ team: null, never: null })).toEqual({ tier: '2', region: 'eu' });
    expect(await put({})).toEqual({ tier: '2', region: 'eu' });
    expect(await put(null)).toEqual({ tier: '2', region: 'eu' });
    expect(await put({ tier: null, region: null })).toEqual({});
    expect(got(await client.get(path), 200).labels).toEqual({});
  });

  it('change nothing if they stay the same', async () => {
    const { response, path } = await make({ team: 'payments' });
    expect(got(await client.put(path, { labels: { team: 'payments', none: null } }), 200)).toEqual(response.body);
  });

  it('are limited to 20, also after merging', async () => {
    const { path } = await make(many(20));
    const refused = failure(400, 'VALIDATION_ERROR', 'labels');
    expect(await client.put(path, { labels: { more: 'x' } })).toMatchObject(refused);
    expect(got(await client.put(path, { labels: { more: 'x', k0: null } }), 200).labels).toMatchObject({ more: 'x' });
    expect((await make(many(21))).response).toMatchObject(refused);
  });

  it.each<[string, unknown, string]>([
    ['a key with a capital', { Team: 'x' }, 'labels.Team'],
    ['a key that begins with a digit', { '1a': 'x' }, 'labels.1a'],
    ['an empty key', { '': 'x' }, 'labels.'],
    ['a key with a colon', { 'a:b': 'x' }, 'labels.a:b'],
    ['a key of 33 characters', { ['k'.repeat(33)]: 'x' }, `labels.${'k'.repeat(33)}`],
    ['a number', { team: 1 }, 'labels.team'],
    ['a list', { team: ['x'] }, 'labels.team'],
    ['a value of 101 characters', { team: 'x'.repeat(101) }, 'labels.team'],
    ['a value of two lines', { team: 'a\nb' }, 'labels.team'],
    ['a list of labels', ['team:x'], 'labels'],
    ['a text', 'team:x', 'labels'],
  ])('are rejected: %s', async (_name, labels, path) => {
    expect((await make(labels)).response).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    const there = await make();
    expect(await client.put(there.path, { labels })).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });

  it('accept a key of 32 characters and a value of 100', async () => {
    const labels = { ['k'.repeat(32)]: '💶'.repeat(100) };
    expect(got((await make(labels)).response, 201).labels).toEqual(labels);
  });

  it('are recorded in the audit log one by one', async () => {
    const { response, path } = await make({ team: 'payments' });
    got(await client.put(path, { labels: { team: 'search', tier: '1' } }), 200);
    const entries = got(await client.get(`/v1/audit?target=${response.body.id}`), 200);
    // The creation can be in the same millisecond; entries of one millisecond are unordered.
    const entry = entries.find(({ action }: { action: string }) => action.endsWith('.update'));
    expect(entry.changes).toEqual([
      { path: 'labels.team', from: 'payments', to: 'search' },
      { path: 'labels.tier', from: null, to: '1' },
    ]);
  });
});

it('keeps the failure counter of a check when its labels change', async () => {
  const { id } = await newCheck(client, { failure_threshold: 2 });
  got(await client.post(`/v1/checks/${id}/results`, { success: false, latency_ms: 1 }), 201);
  const changed = got(await client.put(`/v1/checks/${id}`, { labels: { team: 'x' } }), 200);
  expect(changed).toMatchObject({ consecutive_failures: 1, labels: { team: 'x' } });
});
