import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { everything, got, newCheck } from '#test/support/fleet.ts';
import { httpTarget } from '#test/support/socket-target.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const read = async (id: string) => got(await client.get(`/v1/checks/${id}`), 200);
const resultsOf = async (id: string) => got(await client.get(`/v1/checks/${id}/results`), 200).results;
const run = async (id: string) => got(await client.post(`/v1/checks/${id}/run`), 201);

/** Creates a check that was probed once at its creation and is not due again in this test. */
async function probedOnce(more: object) {
  const check = await newCheck(client, { check_type: 'http', interval_seconds: 86_400, ...more });
  await eventually(async () => (await read(check.id)).last_result);
  return check;
}

/** Starts a target with a settable status. */
async function target() {
  const says = { status: 200 };
  const server = await httpTarget((_, response) => response.writeHead(says.status).end());
  return Object.assign(server, { says });
}

describe('concurrent manual runs', () => {
  it('are all kept, each counts once, and one of them makes the transition', async () => {
    await using shop = await target();
    const { id } = await probedOnce({ target_url: shop.url, failure_threshold: 8 });
    shop.says.status = 500;
    const results = await Promise.all(Array.from({ length: 12 }, () => run(id)));
    expect(new Set(results.map((one) => one.id)).size).toBe(12);
    expect(await resultsOf(id)).toHaveLength(13);
    expect(await read(id)).toMatchObject({ state: 'down', consecutive_failures: 8 });
    expect(got(await client.get(`/v1/checks/${id}/transitions`), 200)).toHaveLength(2);
    expect(results.filter((one) => one.check_state === 'down')).toHaveLength(5);
  });

  it('are kept along with scheduled probes, which continue and count', async () => {
    await using shop = await target();
    const check = { check_type: 'http', interval_seconds: 1, target_url: shop.url, failure_threshold: 100 };
    const { id } = await newCheck(client, check);
    await eventually(async () => (await read(id)).state === 'up');
    shop.says.status = 500;
    const kinds = async (): Promise<string[]> =>
      (await everything(client, `/v1/checks/${id}/results?limit=500`)).map(({ kind }) => kind);
    const count = async (kind: string) => (await kinds()).filter((one) => one === kind).length;
    const before = await count('scheduled');
    let manual = 0;
    await eventually(async () => {
      // Each manual run also causes another probe of the current slot; endless runs could prevent probes of later ones.
      if (manual < 20) {
        await run(id);
        manual++;
      }
      return (await count('scheduled')) >= before + 3;
    }, 40_000);
    expect(await count('manual')).toBe(manual);
    shop.says.status = 200;
    // A busy machine skips slots, because a slot is late after a second.
    await eventually(async () => (await read(id)).consecutive_failures === 0, 40_000);
  }, 120_000);
});

describe('a check that changes during a manual run', () => {
  /** Starts a target that responds to the first request at once, and to the others with status 500 when released. */
  async function slowTarget() {
    const waiting: (() => void)[] = [];
    let requests = 0;
    const server = await httpTarget((_request, response) => {
      if (++requests === 1) response.end();
      else waiting.push(() => response.writeHead(500).end());
    });
    return Object.assign(server, {
      waits: () => waiting.length > 0,
      release: () => {
        for (const one of waiting.splice(0)) one();
      },
    });
  }

  it('stores a result of its old settings without applying it', async () => {
    await using shop = await slowTarget();
    const { id } = await probedOnce({ target_url: shop.url, failure_threshold: 1, timeout_ms: 20_000 });
    const running = run(id);
    await eventually(shop.waits);
    await using other = await target();
    got(await client.put(`/v1/checks/${id}`, { target_url: other.url }), 200);
    shop.release();
    expect(await running).toMatchObject({ kind: 'manual', success: false, check_state: 'up' });
    expect((await resultsOf(id)).filter((one: { kind: string }) => one.kind === 'manual')).toHaveLength(1);
    expect(await read(id)).toMatchObject({ state: 'up', consecutive_failures: 0 });
  });

  it('stays unknown when it is disabled', async () => {
    await using shop = await slowTarget();
    const { id } = await probedOnce({ target_url: shop.url, failure_threshold: 1, timeout_ms: 20_000 });
    const running = run(id);
    await eventually(shop.waits);
    got(await client.put(`/v1/checks/${id}`, { enabled: false }), 200);
    shop.release();
    expect(await running).toMatchObject({ check_state: 'unknown' });
    expect(await read(id)).toMatchObject({ state: 'unknown', consecutive_failures: 0 });
  });

  it('stays deleted when it is deleted', async () => {
    await using shop = await slowTarget();
    const { id } = await probedOnce({ target_url: shop.url, failure_threshold: 1, timeout_ms: 20_000 });
    const running = client.post(`/v1/checks/${id}/run`);
    await eventually(shop.waits);
    expect((await client.del(`/v1/checks/${id}`)).status).toBe(204);
    shop.release();
    expect(await running).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await client.get(`/v1/checks/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});
