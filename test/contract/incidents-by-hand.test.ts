import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { got, newCheck } from '#test/support/fleet.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const timeline = async (id: string): Promise<{ kind: string }[]> =>
  got(await client.get(`/v1/incidents/${id}/timeline`), 200);

describe('an incident that somebody makes', () => {
  it('is about what they say, and ends when they say so', async () => {
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

  it('has a timeline page by page, and notes in it, also when it is over', async () => {
    const { id } = got(await client.post('/v1/incidents', { title: 'Slow', impact: 'none' }), 201);
    for (const text of ['first\nin two lines', 'second', 'third'])
      expect(got(await client.post(`/v1/incidents/${id}/notes`, { text }), 201)).toMatchObject({ kind: 'note', text });
    const page = await client.get(`/v1/incidents/${id}/timeline?limit=2`);
    expect(got(page, 200)).toHaveLength(2);
    const next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')![1]!;
    const all: { text: string; at: string }[] = [...page.body, ...got(await client.get(next), 200)];
    // Two notes of one millisecond have no order.
    expect(all.map(({ text }) => text).toSorted()).toEqual(['', 'first\nin two lines', 'second', 'third']);
    expect(all.map(({ at }) => at)).toEqual(
      all
        .map(({ at }) => at)
        .toSorted()
        .toReversed(),
    );
  });
});

describe('what an incident is asked wrongly', () => {
  const title = 'Slow';
  const impact = 'none';
  it.each([
    ['no title', { impact }, /title/],
    ['a blank title', { title: ' ', impact }, /title: must not be blank/],
    ['a title over two lines', { title: 'a\nb', impact }, /title: must not contain line breaks/],
    ['an impact that is none', { title, impact: 'major' }, /impact/],
    ['an entity that is none', { title, impact, entity_ids: ['shop'] }, /entity_ids\.0: must be the id of an entity/],
    ['an entity that is gone', { title, impact, entity_ids: ['ent_0000'] }, /entity_ids\.0: does not exist/],
    ['what nobody knows', { title, impact, page_ids: [] }, /page_ids/],
  ])('POST refuses %s', async (_, body, error) => {
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
  ])('GET refuses ?%s', async (query, error) => {
    expect(await client.get(`/v1/incidents?${query}`)).toMatchObject({
      ...failure(400, 'VALIDATION_ERROR'),
      body: { error: expect.stringMatching(error) },
    });
  });

  it('refuses notes without text or too long, an end that is over, another id, and what is no incident', async () => {
    const { id } = got(await client.post('/v1/incidents', { title, impact }), 201);
    const refused = failure(400, 'VALIDATION_ERROR');
    for (const text of ['', 'x'.repeat(4001), 7])
      expect(await client.post(`/v1/incidents/${id}/notes`, { text })).toMatchObject(refused);
    expect(await client.post(`/v1/incidents/${id}/acknowledge`, { until: '2020-01-01' })).toMatchObject(refused);
    expect(await client.put(`/v1/incidents/${id}`, { id: 'inc_other' })).toMatchObject(refused);
    for (const other of ['inc_0000', 'ent_0000', 'nothing'])
      expect(await client.get(`/v1/incidents/${other}`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});
