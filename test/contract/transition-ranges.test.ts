import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { nextMillisecond } from '#test/support/eventually.ts';
import { everything, got, newCheck, newEntity } from '#test/support/fleet.ts';

const FEED = '/v1/status/transitions';

type Transition = { id: string; entity_id: string; check_id: string; timestamp: string };

let client: Client;
let entity: { id: string; slug: string };
let other: { id: string };
/** The only check of `entity`, and the only check of `other`. */
let checks: [string, string];
/** Eight changes, four of each check, newest first. */
let all: Transition[];
beforeAll(async () => {
  client = await newTenant();
  [entity, other] = [await newEntity(client), await newEntity(client)];
  const made = async (entity_id: string) => (await newCheck(client, { entity_id, failure_threshold: 1 })).id;
  checks = [await made(entity.id), await made(other.id)];
  for (const success of [true, false, true, false]) {
    for (const id of checks) {
      got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms: 1 }), 201);
      await nextMillisecond();
    }
  }
  all = got(await client.get(FEED), 200);
});

const idsOf = (list: Transition[]) => list.map(({ id }) => id);
const listed = async (query: string, path = FEED) => idsOf(got(await client.get(`${path}?${query}`), 200));

describe.each([
  ['the feed', () => FEED, () => all],
  [
    'the feed of one entity',
    () => `${FEED}?entity_id=${entity.id}`,
    () => all.filter((one) => one.entity_id === entity.id),
  ],
  [
    'the list of a check',
    () => `/v1/checks/${checks[0]}/transitions`,
    () => all.filter((one) => one.check_id === checks[0]),
  ],
])('%s', (_name, path, own) => {
  const get = async (query: string) => idsOf(got(await client.get(at(query)), 200));
  const at = (query: string) => `${path()}${path().includes('?') ? '&' : '?'}${query}`;

  it('returns changes since a time and before another', async () => {
    const ids = idsOf(own());
    expect(ids.length).toBeGreaterThanOrEqual(4);
    expect(await get('limit=100')).toEqual(ids);
    const [since, until] = [own()[2]!.timestamp, own()[0]!.timestamp];
    expect(await get(`since=${since}`)).toEqual(ids.slice(0, 3));
    expect(await get(`until=${until}`)).toEqual(ids.slice(1));
    expect(await get(`since=${since}&until=${until}`)).toEqual(ids.slice(1, 3));
    expect(await get(`since=${since}&until=${since}`)).toEqual([]);
    expect(await get('since=1900-01-01&until=2999-01-01')).toEqual(ids);
    expect(await get('since=2999-01-01')).toEqual([]);
    expect(await get('until=2001-01-01')).toEqual([]);
  });

  it('returns changes after one of them, oldest first, in pages of any size', async () => {
    const oldestFirst = idsOf(own()).reverse();
    for (const [i, id] of oldestFirst.entries()) {
      expect(await get(`after=${id}`)).toEqual(oldestFirst.slice(i + 1));
    }
    for (const limit of [1, 2, 3]) {
      const pages = await everything(client, at(`after=${oldestFirst[0]}&limit=${limit}`));
      expect(idsOf(pages)).toEqual(oldestFirst.slice(1));
    }
  });

  it.each<[string, () => string, string]>([
    ['since after until', () => 'since=2026-01-02&until=2026-01-01', 'since'],
    ['an invalid time', () => 'since=yesterday', 'since'],
    ['a day that does not exist', () => 'until=2026-02-30', 'until'],
    ['an empty after', () => 'after=', 'after'],
    ['an id of another kind as after', () => `after=${checks[0]}`, 'after'],
    ['after and since', () => `after=${own()[1]!.id}&since=2026-01-01`, 'after'],
    ['after and until', () => `after=${own()[1]!.id}&until=2999-01-01`, 'after'],
    ['a parameter that is unknown', () => 'to_state=down', 'to_state'],
  ])('rejects %s', async (_what, query, parameter) => {
    expect(await client.get(at(query()))).toMatchObject(failure(400, 'VALIDATION_ERROR', parameter));
  });

  it('does not continue from a transition of another list', async () => {
    const stranger = await newTenant();
    const { id } = await newCheck(stranger, { failure_threshold: 1 });
    got(await stranger.post(`/v1/checks/${id}/heartbeat`), 201);
    const [foreign] = got(await stranger.get(FEED), 200);
    const elsewhere = all.find((one) => !own().includes(one));
    for (const after of [
      foreign.id,
      'trn_0',
      `${own()[0]!.id.slice(0, -3)}xyz`,
      ...(elsewhere ? [elsewhere.id] : []),
    ]) {
      expect(await client.get(at(`after=${after}`))).toMatchObject(failure(404, 'NOT_FOUND'));
    }
  });

  it('rejects a cursor of a list in the other order', async () => {
    const link = (await client.get(at('limit=1'))).headers.get('link')!;
    const cursor = /cursor=([^>&]+)/.exec(link)![1];
    const query = `after=${own().at(-1)!.id}&cursor=${cursor}`;
    expect(await client.get(at(query))).toMatchObject(failure(400, 'VALIDATION_ERROR', 'cursor'));
  });
});

describe('the feed of one entity', () => {
  it('keeps the changes of a deleted check', async () => {
    const own = await newEntity(client);
    const { id } = await newCheck(client, { entity_id: own.id });
    got(await client.post(`/v1/checks/${id}/heartbeat`), 201);
    got(await client.del(`/v1/checks/${id}`), 204);
    const transitions = got(await client.get(`${FEED}?entity_id=${own.id}`), 200);
    expect(transitions.map(({ cause }: { cause: string }) => cause)).toEqual(['check_deleted', 'result']);
    expect(transitions[0]).toMatchObject({ blueprint_slug: 'service', entity_slug: own.slug });
  });

  it('is empty for an entity without changes', async () => {
    const { id } = await newEntity(client);
    expect(await listed(`entity_id=${id}`)).toEqual([]);
  });

  it('returns 404 for an entity of another account, an unknown one and a deleted one', async () => {
    const stranger = await newTenant();
    const foreign = await newEntity(stranger);
    const gone = await newEntity(client);
    got(await client.del(`/v1/blueprints/service/entities/${gone.slug}`), 204);
    for (const id of [foreign.id, gone.id, '', 'ent_none', checks[0], 'a%23b']) {
      expect(await client.get(`${FEED}?entity_id=${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    }
  });
});

describe('the latest changes', () => {
  it('are returned by one call that names the last known change', async () => {
    const [newest] = await listed('limit=1');
    expect(await listed(`after=${newest}`)).toEqual([]);
    const { id } = await newCheck(client, { failure_threshold: 1 });
    got(await client.post(`/v1/checks/${id}/heartbeat`), 201);
    const news = got(await client.get(`${FEED}?after=${newest}`), 200);
    expect(news.at(-1)).toMatchObject({ check_id: id, to_state: 'up' });
    expect(await listed(`after=${news.at(-1).id}`)).toEqual([]);
  });
});
