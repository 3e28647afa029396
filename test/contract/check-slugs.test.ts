import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const put = async (id: string, body: object) => got(await client.put(`/v1/checks/${id}`, body), 200);

describe('the slug of a check', () => {
  it('is shown, changed, kept by other changes, and removed by an empty slug', async () => {
    const check = await newCheck(client, { slug: 'nightly-backup', name: 'backup' });
    expect(check.slug).toBe('nightly-backup');
    expect(await put(check.id, { name: 'Backup' })).toMatchObject({ slug: 'nightly-backup' });
    expect(await put(check.id, { slug: null })).toMatchObject({ slug: 'nightly-backup' });
    expect(await put(check.id, { slug: '0_backup' })).toMatchObject({ slug: '0_backup', name: 'Backup' });
    expect(await put(check.id, { slug: '' })).toEqual({
      ...check,
      name: 'Backup',
      slug: null,
      updated_at: expect.any(String),
    });
    expect(got(await client.get(`/v1/checks/${check.id}`), 200)).toMatchObject({ slug: null });
    const list = got(await client.get(`/v1/checks?entity_id=${check.entity_id}`), 200);
    expect(list).toMatchObject([{ slug: null }]);
  });

  it('is unchanged when it is set to its current value', async () => {
    const check = await newCheck(client, { slug: 'same' });
    expect(await put(check.id, { slug: 'same' })).toEqual(check);
    const none = await newCheck(client);
    expect(await put(none.id, { slug: '' })).toEqual(none);
  });

  it('does not affect how the check runs', async () => {
    const { id } = await newCheck(client, { failure_threshold: 2 });
    got(await client.post(`/v1/checks/${id}/results`, { success: false, latency_ms: 1 }), 201);
    await put(id, { slug: 'kept-counter' });
    expect(await put(id, { name: 'kept' })).toMatchObject({ consecutive_failures: 1 });
    got(await client.post(`/v1/checks/${id}/results`, { success: false, latency_ms: 1 }), 201);
    expect(got(await client.get(`/v1/checks/${id}`), 200)).toMatchObject({ state: 'down', slug: 'kept-counter' });
  });

  it.each([
    ['capitals', 'Nightly'],
    ['a dot', 'nightly.backup'],
    ['a hyphen first', '-nightly'],
    ['a blank', 'nightly backup'],
    ['65 characters', 'a'.repeat(65)],
    ['a number', 7],
  ])('is rejected with %s', async (_name, slug) => {
    const entity_id = (await newEntity(client)).id;
    const refused = failure(400, 'VALIDATION_ERROR', 'slug');
    expect(await client.post('/v1/checks', { entity_id, check_type: 'push', slug })).toMatchObject(refused);
    const { id } = await newCheck(client);
    expect(await client.put(`/v1/checks/${id}`, { slug })).toMatchObject(refused);
  });

  it('can have 64 characters and begin with a digit', async () => {
    for (const slug of ['9'.repeat(64), 'a', 'a_b-c']) expect(await newCheck(client, { slug })).toMatchObject({ slug });
  });

  it('is in the audit log, and selects the entries of the check', async () => {
    const { id } = await newCheck(client, { slug: 'found-in-the-log' });
    await put(id, { slug: 'found-again' });
    got(await client.post(`/v1/checks/${id}/policy`, { cooldown_seconds: 60 }), 200);
    const [policy, entry] = got(await client.get('/v1/audit?target=found-again'), 200);
    expect(policy).toMatchObject({ action: 'policy.update', target: { id } });
    expect(entry).toMatchObject({
      action: 'check.update',
      target: { id },
      changes: [{ path: 'slug', from: 'found-in-the-log', to: 'found-again' }],
    });
  });
});

describe('a slug of another check', () => {
  it('is rejected with an error that names that check', async () => {
    const holder = await newCheck(client, { slug: 'taken', name: 'the holder' });
    const other = await newCheck(client, { slug: 'other' });
    const refused = failure(409, 'CONFLICT');
    const made = await client.post('/v1/checks', { entity_id: other.entity_id, check_type: 'push', slug: 'taken' });
    const changed = await client.put(`/v1/checks/${other.id}`, { slug: 'taken', name: 'x' });
    for (const response of [made, changed]) {
      expect(response).toMatchObject(refused);
      expect(response.body.error).toContain(`${holder.id} (the holder)`);
    }
    expect(got(await client.get(`/v1/checks/${other.id}`), 200)).toMatchObject({ slug: 'other', name: null });
    expect(got(await client.get(`/v1/checks?entity_id=${other.entity_id}`), 200)).toHaveLength(1);
  });

  it('becomes free when that check changes it, clears it, or is deleted, alone or with its entity', async () => {
    const [moved, bare, gone] = await Promise.all(
      ['free-1', 'free-2', 'free-3'].map((slug) => newCheck(client, { slug })),
    );
    const entity = await newEntity(client);
    await newCheck(client, { entity_id: entity.id, slug: 'free-4' });
    await put(moved.id, { slug: 'moved' });
    await put(bare.id, { slug: '' });
    got(await client.del(`/v1/checks/${gone.id}`), 204);
    got(await client.del(`/v1/blueprints/service/entities/${entity.slug}`), 204);
    for (const slug of ['free-1', 'free-2', 'free-3', 'free-4'])
      expect(await newCheck(client, { slug })).toMatchObject({ slug });
    for (const slug of ['free-1', 'free-4'])
      expect(await client.put(`/v1/checks/${moved.id}`, { slug })).toMatchObject(failure(409, 'CONFLICT'));
  });

  it('is given to only one of many concurrent requests that create or change a check', async () => {
    const entity_id = (await newEntity(client)).id;
    const checks = await Promise.all([1, 2, 3, 4].map(() => newCheck(client)));
    const responses = await Promise.all([
      ...checks.map(({ id }) => client.put(`/v1/checks/${id}`, { slug: 'race' })),
      ...checks.map(() => client.post('/v1/checks', { entity_id, check_type: 'push', slug: 'race' })),
    ]);
    const winners = responses.filter(({ status }) => status < 300);
    expect(winners).toHaveLength(1);
    for (const response of responses) {
      if (response === winners[0]) continue;
      expect(response).toMatchObject(failure(409, 'CONFLICT'));
      expect(response.body.error).toContain(winners[0]!.body.id);
    }
    const all = got(await client.get('/v1/checks'), 200);
    expect(all.filter(({ slug }: { slug: string }) => slug === 'race')).toHaveLength(1);
  });

  it('is free in another account', async () => {
    const stranger = await newTenant();
    await newCheck(client, { slug: 'of-mine' });
    expect(await newCheck(stranger, { slug: 'of-mine' })).toMatchObject({ slug: 'of-mine' });
  });
});
