import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, keyOf, newTenant } from '#test/support/client.ts';
import { got, newBlueprint, newCheck, newEntity } from '#test/support/fleet.ts';
import { parseMetrics, type Sample } from '#test/support/prometheus-text.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const push = async (id: string, success: boolean, latency_ms = 250) =>
  got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms }), 201);

const scrape = async (query = '', as = client): Promise<Sample[]> =>
  parseMetrics(got(await as.get(`/metrics${query}`), 200));

const named = (samples: readonly Sample[], name: string) => samples.filter((one) => one.name === `fleetwatch_${name}`);
const sampleOf = (samples: readonly Sample[], name: string, id: string) =>
  named(samples, name).find(({ labels }) => labels.check_id === id)?.value;
const idsOf = (samples: readonly Sample[]) => named(samples, 'check_info').map(({ labels }) => labels.check_id);
const countOf = (samples: readonly Sample[], name: string, state: string) =>
  named(samples, name).find(({ labels }) => labels.state === state)?.value;

describe('GET /metrics', () => {
  it('returns the state and newest result of each check', async () => {
    const entity = await newEntity(client);
    const make = (more: object) => newCheck(client, { entity_id: entity.id, failure_threshold: 1, ...more });
    const [up, down, unknown] = [await make({ name: 'Web shop' }), await make({}), await make({})];
    const off = await make({ enabled: false });
    await push(up.id, true);
    await push(down.id, false);
    const { headers } = await client.get('/metrics');
    expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const samples = await scrape();
    expect([up, down, unknown, off].map(({ id }) => sampleOf(samples, 'check_up', id))).toEqual([
      1,
      0,
      undefined,
      undefined,
    ]);
    expect(named(samples, 'check_up')[0]?.labels).toEqual({
      check_id: up.id,
      check: 'Web shop',
      entity: `service/${entity.slug}`,
    });
    expect(named(samples, 'check_info').find(({ labels }) => labels.check_id === down.id)).toMatchObject({
      value: 1,
      labels: { check: 'push', check_type: 'push' },
    });
    expect(sampleOf(samples, 'check_last_run_success', up.id)).toBe(1);
    expect(sampleOf(samples, 'check_last_run_success', down.id)).toBe(0);
    expect(sampleOf(samples, 'check_last_run_success', unknown.id)).toBeUndefined();
    expect(sampleOf(samples, 'check_last_run_duration_seconds', up.id)).toBe(0.25);
    expect(sampleOf(samples, 'check_last_run_timestamp_seconds', up.id)).toBeCloseTo(Date.now() / 1000, -2);
    expect(sampleOf(samples, 'check_degraded', up.id)).toBe(0);
    expect(sampleOf(samples, 'check_in_maintenance', up.id)).toBe(0);
    expect(['up', 'down', 'unknown'].map((state) => countOf(samples, 'checks', state))).toEqual([1, 1, 2]);
    expect(countOf(samples, 'entities', 'degraded')).toBe(1);
  });

  it('shows maintenance while a window lasts, and open incidents', async () => {
    const { id } = await newCheck(client, {});
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const times = { starts_at: at(-60_000), ends_at: at(600_000) };
    got(await client.post('/v1/windows', { name: 'Kernel', scope: { check_ids: [id] }, ...times }), 201);
    const before = named(await scrape(), 'incidents_open')[0]!.value;
    const incident = { title: 'Cable cut', impact: 'outage' };
    const made = got(await client.post('/v1/incidents', incident), 201);
    const samples = await scrape();
    expect(sampleOf(samples, 'check_in_maintenance', id)).toBe(1);
    expect(named(samples, 'incidents_open')[0]!.value).toBe(before + 1);
    got(await client.post(`/v1/incidents/${made.id}/resolve`), 200);
    expect(named(await scrape(), 'incidents_open')[0]!.value).toBe(before);
  });

  it('escapes names, and shows the labels that the query lists', async () => {
    const name = 'a "quoted" \\ name {x="1"} ☃';
    const labels = { team: 'payments', 'a.b': 'first', 'a-b': 'second' };
    const { id } = await newCheck(client, { name, labels });
    const samples = await scrape('?labels=team,a.b,a-b,missing');
    expect(named(samples, 'check_info').find((one) => one.labels.check_id === id)?.labels).toMatchObject({
      check: name,
      label_team: 'payments',
      label_a_b: 'second',
    });
    expect(named(samples, 'check_stale').find((one) => one.labels.check_id === id)?.labels).not.toHaveProperty(
      'label_team',
    );
  });

  it('returns only checks of the selection, and counts only these', async () => {
    const own = await newTenant();
    const blueprint = await newBlueprint(own);
    const path = `/v1/blueprints/${blueprint}/entities`;
    const entityOf = async (slug: string, labels: object) =>
      got(await own.post(path, { slug, name: slug, labels }), 201).id;
    const [one, two] = [await entityOf('one', { team: 'a' }), await entityOf('two', {})];
    const ofOne = await newCheck(own, { entity_id: one });
    const ofTwo = await newCheck(own, { entity_id: two, labels: { team: 'b' } });
    const other = await newCheck(own, {});
    expect(idsOf(await scrape('', own)).toSorted()).toEqual([ofOne.id, ofTwo.id, other.id].toSorted());
    expect(idsOf(await scrape(`?blueprint=${blueprint}`, own)).toSorted()).toEqual([ofOne.id, ofTwo.id].toSorted());
    expect(idsOf(await scrape('?label=team:a', own))).toEqual([ofOne.id]);
    expect(idsOf(await scrape('?label=team:a,team:b', own)).toSorted()).toEqual([ofOne.id, ofTwo.id].toSorted());
    const selected = await scrape(`?entity_id=${two}`, own);
    expect(idsOf(selected)).toEqual([ofTwo.id]);
    expect(countOf(selected, 'entities', 'unknown')).toBe(1);
    const gone = await scrape('?label=team:none', own);
    expect([idsOf(gone), countOf(gone, 'checks', 'unknown')]).toEqual([[], 0]);
    got(await own.del(`/v1/checks/${ofOne.id}`), 204);
    expect(idsOf(await scrape('?label=team:a', own))).toEqual([]);
  });

  it('shows nothing of the target or of another account', async () => {
    const target_url = 'https://internal-canary.example/path?token=secret';
    await newCheck(client, { check_type: 'http', target_url, interval_seconds: 3600, enabled: false });
    const text = got(await client.get('/metrics'), 200);
    expect(text).not.toMatch(/canary|secret/);
    const stranger = await newTenant();
    expect(idsOf(await scrape('', stranger))).toEqual([]);
  });

  it.each([
    ['an unknown blueprint', '?blueprint=none', 404, 'NOT_FOUND', undefined],
    ['an unknown entity', '?entity_id=ent_none', 404, 'NOT_FOUND', undefined],
    ['a label without a value', '?label=team', 400, 'VALIDATION_ERROR', 'label'],
    ['an invalid label key', '?labels=Team', 400, 'VALIDATION_ERROR', 'labels'],
    ['eleven label keys', `?labels=${'abcdefghijk'.split('').join(',')}`, 400, 'VALIDATION_ERROR', 'labels'],
    ['an unknown parameter', '?format=json', 400, 'VALIDATION_ERROR', 'format'],
  ] as const)('rejects %s', async (_what, query, status, code, path) => {
    expect(await client.get(`/metrics${query}`)).toMatchObject(failure(status, code, path));
  });

  it('needs the scope metrics or read; the scope metrics allows nothing else', async () => {
    const scraper = await keyOf(client, { scopes: ['metrics'] });
    const reader = await keyOf(client, { is_read_only: true });
    const pusher = await keyOf(client, { scopes: ['push'] });
    for (const allowed of [scraper, reader]) expect(await scrape('', allowed)).toEqual(await scrape());
    expect(await scraper.get('/v1/checks')).toMatchObject(failure(403, 'FORBIDDEN'));
    expect(await pusher.get('/metrics')).toMatchObject(failure(403, 'FORBIDDEN'));
  });
});
