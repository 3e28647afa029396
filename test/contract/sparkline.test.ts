import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { got, newCheck } from '#test/support/fleet.ts';

const HOUR = 3_600_000;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

let client: Client;
let id: string;
beforeAll(async () => {
  client = await newTenant();
  id = (await newCheck(client)).id;
  for (const [hours, success, latency_ms] of [
    [20, true, 10],
    [20, true, 21],
    [10, false, 5000],
    [0, true, 30],
  ] as const) {
    const checked_at = ago(hours * HOUR + 60_000 + latency_ms);
    got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms, checked_at }), 201);
  }
});

const draw = (query = '') => client.get(`/v1/checks/${id}/sparkline${query}`);

describe('GET /v1/checks/{id}/sparkline', () => {
  it('returns the last day in half hours', async () => {
    const before = Date.now() - 24 * HOUR;
    const { points, ...whole } = got(await draw(), 200);
    expect(whole).toEqual({ check_id: id, uptime_ratio: 0.75, gap_seconds: expect.any(Number) });
    expect(points).toHaveLength(48);
    const starts = points.map(({ at }: { at: string }) => Date.parse(at));
    expect(starts[0]).toBeGreaterThanOrEqual(before);
    expect(new Set(starts.slice(1).map((at: number, i: number) => at - starts[i]))).toEqual(new Set([HOUR / 2]));
    const filled = points.filter((point: { successes: number; failures: number }) => point.successes + point.failures);
    expect(filled.map(({ at: _, ...point }: { at: string }) => point)).toEqual([
      { avg_latency_ms: 16, successes: 2, failures: 0 },
      { avg_latency_ms: null, successes: 0, failures: 1 },
      { avg_latency_ms: 30, successes: 1, failures: 0 },
    ]);
  });

  it('returns the requested number of hours and points', async () => {
    const { points, uptime_ratio } = got(await draw('?hours=1&points=1'), 200);
    expect(points).toMatchObject([{ successes: 1, failures: 0 }]);
    expect(uptime_ratio).toBe(1);
    expect(got(await draw('?hours=720&points=500'), 200).points).toHaveLength(500);
  });

  it('has no uptime for a check without results', async () => {
    const { id: fresh } = await newCheck(client);
    const drawn = got(await client.get(`/v1/checks/${fresh}/sparkline?points=2`), 200);
    const empty = { at: expect.any(String), avg_latency_ms: null, successes: 0, failures: 0 };
    expect(drawn).toEqual({ check_id: fresh, uptime_ratio: null, gap_seconds: 0, points: [empty, empty] });
  });

  it.each([
    ['hours=0', 'hours'],
    ['hours=-1', 'hours'],
    ['hours=1.5', 'hours'],
    ['hours=day', 'hours'],
    ['hours=', 'hours'],
    ['hours=721', 'hours'],
    ['hours=99999999999', 'hours'],
    ['points=0', 'points'],
    ['points=501', 'points'],
    ['points=x', 'points'],
  ])('rejects %s', async (query, path) => {
    expect(await draw(`?${query}`)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });
});
