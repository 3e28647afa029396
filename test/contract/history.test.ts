import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiResponse, type Client, failure, newTenant } from '#test/support/client.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';
import { expectWhole, type Json } from '#test/support/sound-history.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const iso = (at: number) => new Date(at).toISOString();
const ago = (ms: number) => iso(Date.now() - ms);

let client: Client;
let entity: { id: string; slug: string; name: string };
let id: string;
/** Time of the failure, as reported by the agent. */
let failedAt: string;

let newest = 0;
/**
 * Returns the current time, at least 1 ms after the last returned one, because equal results of one time are
 * duplicates.
 */
const next = () => {
  newest = Math.max(Date.now(), newest + 1);
  return iso(newest);
};
const push = async (check: string, success: boolean, latency_ms: number, checked_at = next()) =>
  got(await client.post(`/v1/checks/${check}/results`, { success, latency_ms, checked_at }), 201);

beforeAll(async () => {
  client = await newTenant();
  entity = await newEntity(client);
  id = (await newCheck(client, { entity_id: entity.id, name: 'backup', failure_threshold: 2 })).id;
  for (const latency of [10, 20, 30]) await push(id, true, latency);
  // These count only in the history: they are more than a minute older than the last received result.
  await push(id, true, 26, ago(2 * DAY));
  await push(id, false, 5, ago(2 * DAY + 3 * MINUTE));
  failedAt = (await push(id, false, 1)).checked_at;
  await push(id, false, 1);
});

const history = (query = '', check = id) => client.get(`/v1/checks/${check}/history${query}`);

describe('GET /v1/checks/{id}/history', () => {
  it('covers 30 days by day by default', async () => {
    const response = got(await history(), 200);
    expect(response).toMatchObject({ check_id: id, check_name: 'backup', bucket: 'day' });
    expectWhole(response);
    expect(response.buckets.length).toBeGreaterThanOrEqual(30);
    expect(response.buckets.length).toBeLessThanOrEqual(31);
    expect(response.buckets.at(-1).complete).toBe(false);
    const midnights = response.buckets.map(({ from }: Json) => from.slice(10));
    expect(new Set(midnights)).toEqual(new Set(['T00:00:00.000Z']));
  });

  it('counts every result in the hour of its checked_at', async () => {
    const { buckets, total } = got(await history(`?bucket=hour&from=${ago(3 * DAY)}`), 200);
    expect(total).toMatchObject({ runs: 7, failures: 3, success_ratio: 0.571428, warnings: 0, gaps: 0 });
    const old = buckets.filter(({ runs, to }: Json) => runs > 0 && Date.parse(to) < Date.now() - DAY);
    expect(old.reduce((sum: number, { runs }: Json) => sum + runs, 0)).toBe(2);
    // The check did not exist then: results pushed for that time count, but the time is not monitored.
    for (const { seconds, uptime } of old) {
      expect(seconds.not_monitored).toBe(3600);
      expect(uptime).toBeNull();
    }
  });

  it('has latencies only of successes, exact below 27 ms', async () => {
    const { total } = got(await history(), 200);
    expect(total.latency).toEqual({
      count: 4,
      min_ms: 10,
      mean_ms: 22,
      p50_ms: 20,
      p95_ms: 30,
      p99_ms: 30,
      max_ms: 30,
    });
    const { id: failing } = await newCheck(client);
    await push(failing, false, 9);
    expect(got(await history('', failing), 200).total.latency).toBeNull();
  });

  it('counts an outage from its first failed result, which its transition names', async () => {
    const [down, up] = got(await client.get(`/v1/checks/${id}/transitions`), 200);
    expect(down).toMatchObject({ check_to_state: 'down', outage_started_at: failedAt });
    expect(up).toMatchObject({ check_to_state: 'up', outage_started_at: null });
    const { total, to } = got(await history('?bucket=hour'), 200);
    expect(total.seconds.down).toBeCloseTo((Date.parse(to) - Date.parse(failedAt)) / 1000, 3);
  });

  it('reports time before creation and while disabled as not monitored', async () => {
    const made = await newCheck(client);
    await push(made.id, true, 1);
    got(await client.put(`/v1/checks/${made.id}`, { enabled: false }), 200);
    const disabled = got(await client.get(`/v1/checks/${made.id}`), 200);
    const watched = Date.parse(disabled.updated_at) - Date.parse(made.created_at);
    const response = got(await history('?bucket=hour', made.id), 200);
    expectWhole(response);
    const { not_monitored, ...others } = response.total.seconds;
    const monitored = Object.values<number>(others).reduce((sum, one) => sum + Math.round(one * 1000), 0);
    expect(monitored).toBeLessThanOrEqual(watched);
    expect(not_monitored).toBeGreaterThan(23 * 3600);
  });

  it('has no ratio before the first result', async () => {
    const { id: fresh } = await newCheck(client);
    const response = got(await history('', fresh), 200);
    expectWhole(response);
    expect(response.total).toMatchObject({
      runs: 0,
      success_ratio: null,
      uptime: null,
      latency: null,
      revised_at: null,
    });
  });

  it('returns months, the first of which may begin with the oldest kept day', async () => {
    const response = got(await history(`?bucket=month&from=2000-01-01`), 200);
    expectWhole(response);
    expect(response.buckets.length).toBeGreaterThanOrEqual(13);
    expect(Date.parse(response.from)).toBeGreaterThan(Date.now() - 401 * DAY);
  });

  it('extends the time range to whole buckets, and ends it at the current time at the latest', async () => {
    const from = Math.floor(Date.now() / HOUR) * HOUR - 5 * HOUR;
    const query = `?bucket=hour&from=${iso(from + 20 * MINUTE)}&to=${iso(from + 80 * MINUTE)}`;
    expect(got(await history(query), 200)).toMatchObject({ from: iso(from), to: iso(from + 2 * HOUR) });
    const { to } = got(await history('?bucket=hour&to=2999-01-01'), 200);
    expect(Date.now() - Date.parse(to)).toBeLessThan(MINUTE);
  });

  it.each<[string, string, string]>([
    ['bucket=minute', 'bucket', 'hour'],
    [`from=${ago(HOUR)}&to=${ago(DAY)}`, 'from', 'before to'],
    [`from=${ago(DAY)}&to=${ago(DAY)}`, 'from', 'Z'],
    ['from=2999-01-01', 'from', 'in the past; now is'],
    [`bucket=hour&from=${ago(60 * DAY)}`, 'from', 'more than 1000: request at most 41 days, or use bucket=day'],
    ['bucket=hour&from=2020-01-01&to=2020-02-01', 'to', 'bucket=hour goes back 90 days'],
    ['to=2020-01-01', 'to', 'goes back 400 days'],
    ['from=yesterday', 'from', 'ISO 8601'],
    ['days=7', 'days', ''],
  ])('rejects %s and names the limit', async (query, path, said) => {
    const response = await history(`?${query}`);
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    expect(response.body.details[0].message).toContain(said);
  });

  it('hides checks of other accounts', async () => {
    const other = await newTenant();
    expect(await other.get(`/v1/checks/${id}/history`)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await history('', 'chk_none')).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('GET /v1/blueprints/{blueprint_slug}/entities/{slug}/history', () => {
  const ofEntity = (slug: string, query = ''): Promise<ApiResponse> =>
    client.get(`/v1/blueprints/service/entities/${slug}/history${query}`);

  it('sums the figures of its checks and has no latency', async () => {
    const second = await newCheck(client, { entity_id: entity.id });
    await push(second.id, true, 1);
    const response = got(await ofEntity(entity.slug), 200);
    expect(response).toMatchObject({ entity_id: entity.id, entity_name: entity.name, bucket: 'day' });
    expectWhole(response);
    expect(response.total).toMatchObject({ runs: 8, failures: 3 });
    expect(response.total).not.toHaveProperty('latency');
    // One of the two checks is down.
    expect(response.total.seconds.degraded).toBeGreaterThan(0);
  });

  it('is not monitored without checks', async () => {
    const { slug } = await newEntity(client);
    const response = got(await ofEntity(slug, '?bucket=hour'), 200);
    expectWhole(response);
    const length = (Date.parse(response.to) - Date.parse(response.from)) / 1000;
    expect(response.total).toMatchObject({ runs: 0, uptime: null, coverage: null, seconds: { not_monitored: length } });
    expect(response.buckets.at(-1).complete).toBe(false);
  });

  it('returns 404 for an unknown slug', async () => {
    expect(await ofEntity('none')).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});
