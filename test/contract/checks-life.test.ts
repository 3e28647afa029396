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

describe('disabling a check', () => {
  it('makes its state unknown, takes it out of the entity, and is recorded without an alert', async () => {
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

  it('keeps what is pushed meanwhile as history, and enabling starts from zero', async () => {
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

  it('of a check that is unknown changes no state', async () => {
    const { id } = await newCheck(client);
    got(await client.put(`/v1/checks/${id}`, { enabled: false }), 200);
    got(await client.put(`/v1/checks/${id}`, { enabled: true }), 200);
    expect(got(await client.get(`/v1/checks/${id}/transitions`), 200)).toEqual([]);
  });

  it('stops the probes', async () => {
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
    // Another check of the same interval shows that slots went by.
    const witness = await newCheck(client, { ...everySecond, target_url: `${server.url}/witness` });
    await eventually(() => probes.witness >= 4);
    got(await client.del(`/v1/checks/${witness.id}`), 204);
    expect(probes.own).toBeLessThanOrEqual(before + 1);
    expect(await read(id)).toMatchObject({ state: 'unknown' });
  });
});

describe('deleting a check', () => {
  it('hides it at once, and the entity is what its other checks are', async () => {
    const entity = await newEntity(client);
    const { id } = await newCheck(client, { entity_id: entity.id, failure_threshold: 1 });
    const other = await newCheck(client, { entity_id: entity.id });
    await push(other.id, true);
    await push(id, false);
    expect(await entityOf(entity)).toMatchObject({ state: 'degraded' });

    expect(await client.del(`/v1/checks/${id}`)).toMatchObject({ status: 204, body: undefined });
    for (const answer of [
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
      expect(answer).toMatchObject(failure(404, 'NOT_FOUND'));
    }
    expect(got(await client.get('/v1/checks'), 200).map((check: { id: string }) => check.id)).not.toContain(id);
    expect(await entityOf(entity)).toMatchObject({ state: 'up' });
  });

  it('of the last one leaves the entity unknown', async () => {
    const entity = await newEntity(client);
    const { id } = await newCheck(client, { entity_id: entity.id });
    await push(id, true);
    expect(await entityOf(entity)).toMatchObject({ state: 'up' });
    got(await client.del(`/v1/checks/${id}`), 204);
    expect(await entityOf(entity)).toMatchObject({ state: 'unknown' });
  });

  it('twenty times at once deletes it once', async () => {
    const { id } = await newCheck(client);
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.del(`/v1/checks/${id}`)));
    for (const { status } of answers) expect([204, 404]).toContain(status);
    expect(answers.some(({ status }) => status === 204)).toBe(true);
    expect(await client.get(`/v1/checks/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('goes with its entity', async () => {
    const entity = await newEntity(client);
    const { id } = await newCheck(client, { entity_id: entity.id });
    await push(id, true);
    got(await client.del(`/v1/blueprints/service/entities/${entity.slug}`), 204);
    expect(await client.get(`/v1/checks/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await client.post(`/v1/checks/${id}/heartbeat`)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('a probe comes within 5 s', () => {
  // So long an interval that no slot of it falls into the test but by the greatest accident.
  const HOUR = { check_type: 'http', interval_seconds: 3600 };

  /** A server that notes when each path was asked for. */
  const noting = async () => {
    const asked: { path: string; at: number }[] = [];
    const server = await httpTarget((request, response) => {
      asked.push({ path: request.url!, at: Date.now() });
      response.end(request.url === '/bad' ? 'sorry' : 'fine');
    });
    const within5s = async (path: string, since: number) => {
      const first = await eventually(() => asked.find((one) => one.path === path && one.at >= since));
      expect(first.at - since).toBeLessThan(5000);
    };
    return { server, within5s };
  };

  it('of a new check, and its result shows', async () => {
    const { server, within5s } = await noting();
    await using _ = server;
    const made = Date.now();
    const { id } = await newCheck(client, { ...HOUR, target_url: `${server.url}/new` });
    await within5s('/new', made);
    // Its record and its newest result are two reads.
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

  it('of a changed one, by its new settings', async () => {
    const { server, within5s } = await noting();
    await using _ = server;
    const { id } = await newCheck(client, { ...HOUR, target_url: `${server.url}/old`, failure_threshold: 1 });
    await eventually(async () => (await read(id)).state === 'up');
    const changed = Date.now();
    got(await client.put(`/v1/checks/${id}`, { target_url: `${server.url}/bad`, body_contains: 'fine' }), 200);
    await within5s('/bad', changed);
    expect(await eventually(async () => (await read(id)).state === 'down' && read(id))).toMatchObject({
      last_result: { success: false, status_code: 200, error_kind: 'body' },
    });
  });

  it('of one that is enabled again', async () => {
    const { server, within5s } = await noting();
    await using _ = server;
    const { id } = await newCheck(client, { ...HOUR, target_url: `${server.url}/again`, enabled: false });
    const enabled = Date.now();
    got(await client.put(`/v1/checks/${id}`, { enabled: true }), 200);
    await within5s('/again', enabled);
    await eventually(async () => (await read(id)).state === 'up');
  });
});
