import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { got, newCheck } from '#test/support/fleet.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const timeline = async (id: string): Promise<{ kind: string }[]> =>
  got(await client.get(`/v1/incidents/${id}/timeline`), 200);

describe('a manual incident', () => {
  it('has the given content and ends when a user resolves it', async () => {
    const { entity_id } = await newCheck(client, { enabled: false });
    const body = { title: 'Card payments are slow', impact: 'degraded', entity_ids: [entity_id] };
    const made = got(await client.post('/v1/incidents', body), 201);
    expect(made).toMatchObject({ origin: 'manual', state: 'open', root_entity_id: null, title: body.title });
    const found = got(await client.get(`/v1/incidents/${made.id}`), 200);
    expect(found).toMatchObject({ ...made, entities: [{ entity_id, state: 'unknown' }], notified: [] });
    expect(got(await client.get(`/v1/incidents?entity_id=${entity_id}`), 200)).toEqual([made]);

    const changed = { title: 'Payments are down', impact: 'outage', hidden: true };
    expect(got(await client.put(`/v1/incidents/${made.id}`, { ...made, ...changed }), 200)).toMatchObject(changed);
    expect(got(await client.post(`/v1/incidents/${made.id}/acknowledge`), 200).state).toBe('acknowledged');
    expect(got(await client.post(`/v1/incidents/${made.id}/resolve`), 200).state).toBe('resolved');
    const kinds = (await timeline(made.id)).map(({ kind }) => kind);
    expect(kinds.toSorted()).toEqual(['acknowledged', 'opened', 'resolved']);
  });

  it('has a timeline in pages, and accepts notes after it is resolved', async () => {
    const { id } = got(await client.post('/v1/incidents', { title: 'Slow', impact: 'none' }), 201);
    for (const text of ['first\nin two lines', 'second', 'third'])
      expect(got(await client.post(`/v1/incidents/${id}/notes`, { text }), 201)).toMatchObject({ kind: 'note', text });
    const page = await client.get(`/v1/incidents/${id}/timeline?limit=2`);
    expect(got(page, 200)).toHaveLength(2);
    const next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')![1]!;
    const all: { text: string; at: string }[] = [...page.body, ...got(await client.get(next), 200)];
    // Notes of one millisecond are unordered.
    expect(all.map(({ text }) => text).toSorted()).toEqual(['', 'first\nin two lines', 'second', 'third']);
    expect(all.map(({ at }) => at)).toEqual(
      all
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
  });
});

describe('an invalid request about incidents', () => {
  const title = 'Slow';
  const impact = 'none';
  it.each([
    ['no title', { impact }, /title/],
    ['a blank title', { title: ' ', impact }, /title: must not be blank/],
    ['a title over two lines', { title: 'a\nb', impact }, /title: must not contain line breaks/],
    ['an impact that does not exist', { title, impact: 'major' }, /impact/],
    ['an invalid entity id', { title, impact, entity_ids: ['shop'] }, /entity_ids\.0: must be the id of an entity/],
    ['an unknown entity', { title, impact, entity_ids: ['ent_0000'] }, /entity_ids\.0: does not exist/],
    ['an unknown property', { title, impact, page_ids: [] }, /page_ids/],
  ])('is rejected by POST with %s', async (_, body, error) => {
    expect(await client.post('/v1/incidents', body)).toMatchObject({
      ...failure(400, 'VALIDATION_ERROR'),
      body: { error: expect.stringMatching(error) },
    });
  });

  it.each([
    ['state=closed', /state/],
    ['origin=me', /origin/],
    ['entity_id=shop', /entity_id: must be the id of an entity/],
    ['since=yesterday', /since: must be an ISO 8601 time/],
    ['since=2026-11-22&until=2026-11-21', /since: must not be after until/],
    ['cursor=nonsense', /cursor: is not a cursor/],
    ['limit=0', /limit/],
  ])('is rejected by GET with ?%s', async (query, error) => {
    expect(await client.get(`/v1/incidents?${query}`)).toMatchObject({
      ...failure(400, 'VALIDATION_ERROR'),
      body: { error: expect.stringMatching(error) },
    });
  });

  it('is rejected for an invalid note, a past end of acknowledgement, another id and an unknown incident', async () => {
    const { id } = got(await client.post('/v1/incidents', { title, impact }), 201);
    const refused = failure(400, 'VALIDATION_ERROR');
    for (const text of ['', 'x'.repeat(4001), 7])
      expect(await client.post(`/v1/incidents/${id}/notes`, { text })).toMatchObject(refused);
    for (const until of ['2020-01-01', '1970-01-01'])
      expect(await client.post(`/v1/incidents/${id}/acknowledge`, { until })).toMatchObject(refused);
    expect(await client.put(`/v1/incidents/${id}`, { id: 'inc_other' })).toMatchObject(refused);
    for (const other of ['inc_0000', 'ent_0000', 'nothing'])
      expect(await client.get(`/v1/incidents/${other}`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('limits of incidents', () => {
  it('allow 100 unresolved manual incidents per account, also to concurrent requests', async () => {
    const account = await newTenant();
    const create = () => account.post('/v1/incidents', { title: 'Slow', impact: 'none' });
    const made = await Promise.all(Array.from({ length: 104 }, create));
    expect(made.filter(({ status }) => status === 201)).toHaveLength(100);
    const refused = made.find(({ status }) => status !== 201);
    expect(refused).toMatchObject(failure(409, 'LIMIT_EXCEEDED'));
    expect(refused!.body.error).toBe(
      'The account has 100 unresolved manual incidents, the maximum. Resolve one first.',
    );
    const [first] = made.filter(({ status }) => status === 201);
    got(await account.post(`/v1/incidents/${first!.body.id}/resolve`), 200);
    expect([(await create()).status, (await create()).status]).toEqual([201, 409]);
  });

  it('allow 200 notes per incident, also to concurrent requests', async () => {
    const account = await newTenant();
    const { id } = got(await account.post('/v1/incidents', { title: 'Slow', impact: 'none' }), 201);
    const add = () => account.post(`/v1/incidents/${id}/notes`, { text: 'Still slow' });
    const statuses: number[] = [];
    while (statuses.length < 204) {
      const added = await Promise.all(Array.from({ length: 12 }, add));
      statuses.push(...added.map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(200);
    const refused = await add();
    expect(refused).toMatchObject(failure(409, 'LIMIT_EXCEEDED'));
    expect(refused.body.error).toMatch(/has 200 notes, the maximum/);
    expect(got(await account.get(`/v1/incidents/${id}/timeline?limit=500`), 200)).toHaveLength(201);
  });
});
