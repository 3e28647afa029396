import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { httpTarget } from '#test/support/socket-target.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const http = { check_type: 'http', target_url: 'http://127.77.0.1:9/' };
const read = async (id: string, what = '') => got(await client.get(`/v1/checks/${id}${what}`), 200);
const kindsOf = async (id: string): Promise<string[]> =>
  (await read(id, '/results')).results.map(({ kind }: { kind: string }) => kind);

/** Starts a target that responds with the given status. */
async function target(status: number) {
  const says = { status };
  const server = await httpTarget((_, response) => response.writeHead(says.status).end());
  return Object.assign(server, { says });
}

describe('a check with a retry interval', () => {
  it('is down long before its next slot; its retries do not count in the sparkline', async () => {
    await using shop = await target(500);
    const settings = { interval_seconds: 86_400, failure_threshold: 3, retry_interval_seconds: 1 };
    const { id } = await newCheck(client, { ...http, target_url: shop.url, ...settings });
    await eventually(async () => (await read(id)).state === 'down', 30_000);
    expect(await read(id)).toMatchObject({ consecutive_failures: 3, last_result: { kind: 'retry', success: false } });
    expect(await kindsOf(id)).toEqual(['retry', 'retry', 'scheduled']);
    const { points } = await read(id, '/sparkline');
    expect(points.reduce((sum: number, { failures }: { failures: number }) => sum + failures, 0)).toBe(1);
    expect(await read(id, '/gaps')).toEqual([]);
  });

  it('is up at the first successful retry and then not retried', async () => {
    await using shop = await target(500);
    const settings = { interval_seconds: 86_400, failure_threshold: 100, retry_interval_seconds: 1 };
    const { id } = await newCheck(client, { ...http, target_url: shop.url, ...settings });
    await eventually(async () => (await kindsOf(id)).includes('retry'), 30_000);
    shop.says.status = 200;
    await eventually(async () => (await read(id)).state === 'up', 30_000);
    const probes = shop.connections();
    await client.post(`/v1/checks/${id}/run`);
    expect(await kindsOf(id)).toEqual(['manual', ...(await kindsOf(id)).slice(1)]);
    expect(shop.connections()).toBe(probes + 1);
  });

  it('needs an interval that is longer than its retry interval', async () => {
    const { id } = await newCheck(client, { ...http, enabled: false, retry_interval_seconds: 30 });
    const refused = await client.put(`/v1/checks/${id}`, { interval_seconds: 30 });
    expect(refused).toMatchObject(failure(400, 'VALIDATION_ERROR', 'retry_interval_seconds'));
    expect(refused.body.details[0].message).toBe('must be less than interval_seconds (30)');
    const both = { interval_seconds: 30, retry_interval_seconds: 10 };
    expect(got(await client.put(`/v1/checks/${id}`, both), 200)).toMatchObject(both);
  });

  it('must be a probed check; by default, a check has no retries', async () => {
    expect(await newCheck(client, { ...http, enabled: false })).toMatchObject({ retry_interval_seconds: 0 });
    const push = await newCheck(client);
    expect(push).not.toHaveProperty('retry_interval_seconds');
    expect(await client.put(`/v1/checks/${push.id}`, { retry_interval_seconds: 10 })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'retry_interval_seconds'),
    );
  });
});
