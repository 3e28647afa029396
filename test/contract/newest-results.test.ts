import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck } from '#test/support/fleet.ts';

type Listed = { id: string; last_result: { checked_at: string } | null };

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const listed = async (): Promise<Listed[]> => got(await client.get('/v1/checks?last_result=true'), 200);

/**
 * Creates a check that is down. `newest` reads the time of its newest result from the list; `first` is the first such
 * time.
 */
async function failingCheck() {
  const { id } = await newCheck(client, {
    check_type: 'http',
    target_url: 'http://127.77.0.1:9/',
    interval_seconds: 10,
    failure_threshold: 1,
  });
  const newest = async () => (await listed()).find((one) => one.id === id)?.last_result?.checked_at;
  return { id, newest, first: await eventually(newest) };
}

describe('GET /v1/checks?last_result=true', () => {
  it('returns for each check the same newest result as GET /v1/checks/{id}', async () => {
    const pulled = { check_type: 'http', target_url: 'http://127.77.0.1:9/', interval_seconds: 10 };
    const probed = await newCheck(client, pulled);
    const pushed = await newCheck(client, {});
    const unpushed = await newCheck(client, {});
    const disabled = await newCheck(client, { ...pulled, enabled: false });
    got(await client.post(`/v1/checks/${pushed.id}/results`, { success: true, latency_ms: 7 }), 201);

    await eventually(async () => {
      const list = await listed();
      expect(list.map(({ id }) => id).sort()).toEqual([probed, pushed, unpushed, disabled].map(({ id }) => id).sort());
      for (const { id, last_result } of list) {
        expect(got(await client.get(`/v1/checks/${id}`), 200).last_result).toEqual(last_result);
      }
      const seen = Object.fromEntries(list.map(({ id, last_result }) => [id, last_result !== null]));
      expect(seen).toEqual({ [probed.id]: true, [pushed.id]: true, [unpushed.id]: false, [disabled.id]: false });
      return true;
    });
  });

  it('reflects later results, even if they change nothing', async () => {
    const { newest, first } = await failingCheck();
    await eventually(async () => {
      expect(Date.parse((await newest())!)).toBeGreaterThan(Date.parse(first!));
      return true;
    }, 30_000);
  });

  it('returns the newest result of a check that was disabled after quiet results', async () => {
    const { id, newest, first } = await failingCheck();
    await eventually(async () => (await newest()) !== first, 40_000);
    got(await client.put(`/v1/checks/${id}`, { enabled: false }), 200);
    const { last_result } = got(await client.get(`/v1/checks/${id}`), 200);
    expect(await newest()).toBe(last_result.checked_at);
  });

  it('returns no results unless requested', async () => {
    for (const check of got(await client.get('/v1/checks'), 200)) expect(check).not.toHaveProperty('last_result');
    expect(await client.get('/v1/checks?last_result=yes')).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'last_result'),
    );
  });
});
