import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientOf, failure, keyOf, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';
import { target } from '#test/support/service.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const about = ({ id }: { id: string }) => ({ entity_id: id, failure_threshold: 1 });
const push = async (id: string, success: boolean) =>
  got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms: 1 }), 201);

describe('GET /v1/status', () => {
  it('is all zeros for an empty account', async () => {
    const empty = await newTenant();
    expect(got(await empty.get('/v1/status'), 200)).toEqual({
      entities: [],
      total: 0,
      up: 0,
      degraded: 0,
      down: 0,
      unknown: 0,
    });
  });

  it('returns the record of every entity with error_message and stale, and counts the states', async () => {
    const entities = [];
    for (let i = 0; i < 4; i++) entities.push(await newEntity(client));
    const [up, degraded, down] = entities;
    const checkOf = (entity: { id: string }) => newCheck(client, { entity_id: entity.id, failure_threshold: 1 });
    await push((await checkOf(up!)).id, true);
    await push((await checkOf(degraded!)).id, true);
    await push((await checkOf(degraded!)).id, false);
    await push((await checkOf(down!)).id, false);

    const { entities: shown, ...counts } = got(await client.get('/v1/status'), 200);
    expect(counts).toEqual({ total: 4, up: 1, degraded: 1, down: 1, unknown: 1 });
    expect(shown).toHaveLength(4);
    for (const { slug } of entities) {
      const record = got(await client.get(`/v1/blueprints/service/entities/${slug}`), 200);
      expect(shown).toContainEqual({ ...record, error_message: expect.any(String), stale: expect.any(Boolean) });
    }
  });

  it('returns the error of the worst check until the entity recovers', async () => {
    const mine = await newTenant();
    const entity = await newEntity(mine);
    const [slow, full] = [await newCheck(mine, about(entity)), await newCheck(mine, about(entity))];
    const report = async (check: { id: string }, result: object) =>
      got(await mine.post(`/v1/checks/${check.id}/results`, { latency_ms: 1, ...result }), 201);
    const shown = async () => got(await mine.get('/v1/status'), 200).entities[0].error_message;
    await report(full, { success: true });
    expect(await shown()).toBe('');
    await report(slow, { success: true, warning_message: 'slow' });
    expect(await shown()).toBe('slow');
    await report(full, { success: false, error_message: 'disk full, see https://host.example/log' });
    expect(await shown()).toBe('disk full, see https://host.example/log');
    const readOnly = await keyOf(mine, { scopes: ['read'] });
    expect(got(await readOnly.get('/v1/status'), 200).entities[0].error_message).toBe('disk full, see ********');
    await report(full, { success: true });
    expect(await shown()).toBe('slow');
    await report(slow, { success: true });
    expect(await shown()).toBe('');
  });

  it('agrees with the list of checks about `stale`', async () => {
    await newCheck(client);
    const isSettled = async () => {
      const { entities } = got(await client.get('/v1/status'), 200);
      const checks = got(await client.get('/v1/checks'), 200);
      return [...entities, ...checks].every(({ stale }: { stale: unknown }) => stale === false);
    };
    await eventually(isSettled);
  });

  it('returns entities in pages, and the counts of all on the first page unless requested otherwise', async () => {
    const fresh = await newTenant();
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push((await newEntity(fresh)).id);
    const seen: string[] = [];
    const counts: unknown[] = [];
    for (let next: string | undefined = '/v1/status?limit=2'; next !== undefined; ) {
      const page: Awaited<ReturnType<Client['get']>> = await fresh.get(next);
      const { entities, ...counted } = page.body;
      counts.push(counted);
      seen.push(...entities.map(({ id }: { id: string }) => id));
      next = /<(.+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
      const again = next && got(await fresh.get(next.replace('counts=false', 'counts=true')), 200);
      if (again) expect(again).toMatchObject({ total: 5, unknown: 5 });
    }
    expect(seen).toEqual(ids.sort());
    expect(counts).toEqual([{ total: 5, up: 0, degraded: 0, down: 0, unknown: 5 }, {}, {}]);
    for (const limit of [2, 9]) {
      expect(Object.keys(got(await fresh.get(`/v1/status?counts=false&limit=${limit}`), 200))).toEqual(['entities']);
    }
  });

  it.each(['limit=0', 'limit=all', 'cursor=garbled', 'cursor=', 'counts=once', 'counts='])(
    'rejects %s',
    async (query) => {
      const path = query.split('=')[0]!;
      expect(await client.get(`/v1/status?${query}`)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    },
  );

  it('rejects a cursor of another account or another list', async () => {
    await newEntity(client);
    const next = (await client.get('/v1/status?limit=1')).headers.get('link')!;
    const cursor = /cursor=([^>&]+)/.exec(next)![1];
    const stranger = await newTenant();
    for (const [caller, path] of [
      [stranger, '/v1/status'],
      [client, '/v1/status/transitions'],
    ] as const) {
      expect(await caller.get(`${path}?cursor=${cursor}`)).toMatchObject(failure(400, 'VALIDATION_ERROR', 'cursor'));
    }
  });

  it('is complete for a read-only key', async () => {
    const reader = await keyOf(client, { is_read_only: true });
    expect((await reader.get('/v1/status')).body).toEqual((await client.get('/v1/status')).body);
  });
});

describe('GET /v1/health', () => {
  it('needs no key and returns the progress of the schedule', async () => {
    const anonymous = clientOf((await target()).url, '');
    const health = await eventually(async () => {
      const response = await anonymous.get('/v1/health');
      expect(response.status).toBe(200);
      return response.body.ok && response.body;
      // Delays of a busy machine are reported for a minute.
    }, 100_000);
    expect(health).toMatchObject({
      ok: true,
      reasons: [],
      probes: { ok: true },
      deliveries: { ok: true },
      schedule: { ok: true, emitted_until: expect.any(String), lag_seconds: 0 },
    });
    expect(Date.parse(health.schedule.emitted_until)).toBeGreaterThan(Date.now());
  }, 120_000);

  it('reports failed deliveries without data of tenants', async () => {
    const anonymous = clientOf((await target()).url, '');
    const { deliveries } = (await anonymous.get('/v1/health')).body;
    expect(Object.keys(deliveries).sort()).toEqual(['last_failure_at', 'ok', 'oldest_unsent_at']);
    const { id } = await newCheck(client, { failure_threshold: 1, interval_seconds: 3600 });
    const config = { url: 'http://127.77.0.9:9/no-listener' };
    got(await client.post(`/v1/checks/${id}/policy/channels`, { channel_type: 'slack', config }), 201);
    const planned = Date.now();
    await push(id, false);
    const settled = await eventually(async () => {
      const { body } = await anonymous.get('/v1/health');
      return Date.parse(body.deliveries.last_failure_at) >= planned && body;
    });
    expect(JSON.stringify(settled)).not.toMatch(/acc_|chk_|dlv_|127\.77/);
  });
});
