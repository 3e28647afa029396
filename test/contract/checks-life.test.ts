import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';
import { httpTarget } from '#test/support/socket-target.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const push = async (id: string, success: boolean) =>
  got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms: 1 }), 201);
const read = async (id: string) => got(await client.get(`/v1/checks/${id}`), 200);
const entityOf = async ({ slug }: { slug: string }) =>
  got(await client.get(`/v1/blueprints/service/entities/${slug}`), 200);

describe('a check that is disabled', () => {
  it('becomes unknown, no longer affects its entity, and is recorded without an alert', async () => {
    const entity = await newEntity(client);
    const { id } = await newCheck(client, { entity_id: entity.id, failure_threshold: 1 });
    const other = await newCheck(client, { entity_id: entity.id });
    await push(other.id, true);
    await push(id, false);
    expect(await entityOf(entity)).toMatchObject({ state: 'degraded' });

    const disabled = got(await client.put(`/v1/checks/${id}`, { enabled: false }), 200);
    expect(disabled).toMatchObject({ enabled: false, state: 'unknown', consecutive_failures: 0 });
    expect(await entityOf(entity)).toMatchObject({ state: 'up', state_since: disabled.state_since });
    expect(got(await client.get(`/v1/checks/${id}/transitions`), 200)[0]).toMatchObject({
      entity_id: entity.id,
      check_id: id,
      check_from_state: 'down',
      check_to_state: 'unknown',
      from_state: 'degraded',
      to_state: 'up',
      timestamp: disabled.state_since,
      cause: 'check_disabled',
      error_message: '',
      alert: { decision: 'skipped', reason: 'configuration', deliveries: [] },
    });
  });

  it('keeps results pushed while it is disabled as history and starts from zero when enabled', async () => {
    const entity = await newEntity(client);
    const { id } = await newCheck(client, { entity_id: entity.id, failure_threshold: 2 });
    await push(id, false);
    got(await client.put(`/v1/checks/${id}`, { enabled: false }), 200);
    const kept = [await push(id, false), await push(id, false), await push(id, true)];
    expect(await read(id)).toMatchObject({ state: 'unknown', consecutive_failures: 0 });

    expect(got(await client.put(`/v1/checks/${id}`, { enabled: true }), 200)).toMatchObject({
      state: 'unknown',
      consecutive_failures: 0,
    });
    await push(id, false);
    expect(await read(id)).toMatchObject({ state: 'unknown', consecutive_failures: 1 });
    await push(id, false);
    expect(await read(id)).toMatchObject({ state: 'down', consecutive_failures: 2 });
    expect(await entityOf(entity)).toMatchObject({ state: 'down' });
    const { results } = got(await client.get(`/v1/checks/${id}/results`), 200);
    expect(results.map((result: { id: string }) => result.id)).toEqual(
      expect.arrayContaining(kept.map((result) => result.id)),
    );
    expect(results).toHaveLength(6);
  });

  it('changes no state if it was unknown', async () => {
    const { id } = await newCheck(client);
    got(await client.put(`/v1/checks/${id}`, { enabled: false }), 200);
    got(await client.put(`/v1/checks/${id}`, { enabled: true }), 200);
    expect(got(await client.get(`/v1/checks/${id}/transitions`), 200)).toEqual([]);
  });

  it('is no longer probed', async () => {
    const probes = { own: 0, witness: 0 };
    await using server = await httpTarget((request, response) => {
      probes[request.url === '/own' ? 'own' : 'witness']++;
      response.end();
    });
    const everySecond = { check_type: 'http', interval_seconds: 1 };
    const { id } = await newCheck(client, { ...everySecond, target_url: `${server.url}/own` });
    await eventually(() => probes.own >= 2);
    got(await client.put(`/v1/checks/${id}`, { enabled: false }), 200);
    const before = probes.own;
    // Another check of the same interval shows that slots have passed.
    const witness = await newCheck(client, { ...everySecond, target_url: `${server.url}/witness` });
    await eventually(() => probes.witness >= 4);
    got(await client.del(`/v1/checks/${witness.id}`), 204);
    expect(probes.own).toBeLessThanOrEqual(before + 1);
    expect(await read(id)).toMatchObject({ state: 'unknown' });
  });
});

describe('a check that is deleted', () => {
  it('disappears immediately, and its entity takes the state of its other checks', async () => {
    const entity = await newEntity(client);
    const { id } = await newCheck(client, { entity_id: entity.id, failure_threshold: 1 });
    const other = await newCheck(client, { entity_id: entity.id });
    await push(other.id, true);
    await push(id, false);
    expect(await entityOf(entity)).toMatchObject({ state: 'degraded' });

    expect(await client.del(`/v1/checks/${id}`)).toMatchObject({ status: 204, body: undefined });
    for (const response of [
      await client.get(`/v1/checks/${id}`),
      await client.put(`/v1/checks/${id}`, {}),
      await client.del(`/v1/checks/${id}`),
      await client.get(`/v1/checks/${id}/results`),
      await client.get(`/v1/checks/${id}/transitions`),
      await client.get(`/v1/checks/${id}/gaps`),
      await client.get(`/v1/checks/${id}/sparkline`),
      await client.get(`/v1/checks/${id}/policy`),
      await client.post(`/v1/checks/${id}/heartbeat`),
      await client.post(`/v1/checks/${id}/results`, { success: true, latency_ms: 1 }),
    ]) {
      expect(response).toMatchObject(failure(404, 'NOT_FOUND'));
    }
    expect(got(await client.get('/v1/checks'), 200).map((check: { id: string }) => check.id)).not.toContain(id);
    expect(await entityOf(entity)).toMatchObject({ state: 'up' });
  });

  it('leaves the entity unknown if it was the last one', async () => {
    const entity = await newEntity(client);
    const { id } = await newCheck(client, { entity_id: entity.id });
    await push(id, true);
    expect(await entityOf(entity)).toMatchObject({ state: 'up' });
    got(await client.del(`/v1/checks/${id}`), 204);
    expect(await entityOf(entity)).toMatchObject({ state: 'unknown' });
  });

  it('can be deleted by twenty concurrent requests', async () => {
    const { id } = await newCheck(client);
    const responses = await Promise.all(Array.from({ length: 20 }, () => client.del(`/v1/checks/${id}`)));
    for (const { status } of responses) expect([204, 404]).toContain(status);
    expect(responses.some(({ status }) => status === 204)).toBe(true);
    expect(await client.get(`/v1/checks/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('is deleted with its entity', async () => {
    const entity = await newEntity(client);
    const { id } = await newCheck(client, { entity_id: entity.id });
    await push(id, true);
    got(await client.del(`/v1/blueprints/service/entities/${entity.slug}`), 204);
    expect(await client.get(`/v1/checks/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await client.post(`/v1/checks/${id}/heartbeat`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('a probe within 5 s', () => {
  // The interval is so long that a slot falls into the test only in a very rare case.
  const HOURLY = { check_type: 'http', interval_seconds: 3600 };

  /** Starts a server that records the time of each request by path. */
  const recordingServer = async () => {
    const requests: { path: string; at: number }[] = [];
    const server = await httpTarget((request, response) => {
      requests.push({ path: request.url!, at: Date.now() });
      response.end(request.url === '/bad' ? 'sorry' : 'fine');
    });
    const within5s = async (path: string, since: number) => {
      const first = await eventually(() => requests.find((one) => one.path === path && one.at >= since));
      expect(first.at - since).toBeLessThan(5000);
    };
    return { server, within5s };
  };

  it('follows the creation of a check, and its result is shown', async () => {
    const { server, within5s } = await recordingServer();
    await using _ = server;
    const made = Date.now();
    const { id } = await newCheck(client, { ...HOURLY, target_url: `${server.url}/new` });
    await within5s('/new', made);
    // The check and its latest result are read separately, so one can be newer than the other.
    const check = await eventually(async () => {
      const now = await read(id);
      return now.last_result && now.state !== 'unknown' && now;
    });
    expect(check).toMatchObject({
      state: 'up',
      stale: false,
      last_result: { success: true, status_code: 200, error_message: '', error_kind: null, check_id: id },
    });
    expect(check.last_checked_at).toBe(check.last_result.checked_at);
    expect(Date.parse(check.last_checked_at)).toBeGreaterThanOrEqual(made);
    expect(got(await client.get(`/v1/checks/${id}/results`), 200).results).toHaveLength(1);
  });

  it('follows a change, with the new settings', async () => {
    const { server, within5s } = await recordingServer();
    await using _ = server;
    const { id } = await newCheck(client, { ...HOURLY, target_url: `${server.url}/old`, failure_threshold: 1 });
    await eventually(async () => (await read(id)).state === 'up');
    const changed = Date.now();
    got(await client.put(`/v1/checks/${id}`, { target_url: `${server.url}/bad`, body_contains: 'fine' }), 200);
    await within5s('/bad', changed);
    expect(await eventually(async () => (await read(id)).state === 'down' && read(id))).toMatchObject({
      last_result: { success: false, status_code: 200, error_kind: 'body' },
    });
  });

  it('follows when a check is enabled again', async () => {
    const { server, within5s } = await recordingServer();
    await using _ = server;
    const { id } = await newCheck(client, { ...HOURLY, target_url: `${server.url}/again`, enabled: false });
    const enabled = Date.now();
    got(await client.put(`/v1/checks/${id}`, { enabled: true }), 200);
    await within5s('/again', enabled);
    await eventually(async () => (await read(id)).state === 'up');
  });
});
