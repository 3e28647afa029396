import { beforeAll, describe, expect, it } from 'vitest';
import { expectWholeChains } from '#test/oracle/whole-chains.ts';
import { feedOf, transitionsOf } from '#test/support/chains.ts';
import { type Client, failure, newTenant } from '#test/support/client.ts';
import { everything, got, newCheck, newEntity } from '#test/support/fleet.ts';

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const push = async (id: string, success: boolean, more: object = {}) =>
  got(await client.post(`/v1/checks/${id}/results`, { success, latency_ms: 1, ...more }), 201);
const beat = async (id: string) => got(await client.post(`/v1/checks/${id}/heartbeat`), 201);
const read = async (id: string) => got(await client.get(`/v1/checks/${id}`), 200);
const resultsOf = (id: string) => everything(client, `/v1/checks/${id}/results`);

describe('a push check with a failure threshold', () => {
  it('leaves the entity unchanged for failures 1 and 2, goes down at 3 and up with the next success', async () => {
    const entity = await newEntity(client);
    const { id } = await newCheck(client, { entity_id: entity.id, name: 'nightly backup' });
    const states = [];
    const steps = [true, false, false, true, false, false, false, false, true, true];
    for (const success of steps) {
      await push(id, success, success ? {} : { error_message: 'tape full' });
      const { state } = got(await client.get(`/v1/blueprints/service/entities/${entity.slug}`), 200);
      const check = await read(id);
      expect(check.state).toBe(state);
      states.push(`${state} ${check.consecutive_failures}`);
    }
    expect(states).toEqual([
      ...['up 0', 'up 1', 'up 2', 'up 0', 'up 1', 'up 2', 'down 3'],
      ...['down 3', 'up 0', 'up 0'], // The counter stays at the threshold.
    ]);

    const transitions = await transitionsOf(client, id);
    expect(transitions.map((each) => `${each.from_state} ${each.to_state}`)).toEqual([
      'unknown up',
      'up down',
      'down up',
    ]);
    expect(transitions[1]).toEqual({
      id: expect.stringMatching(/^trn_[0-9a-z]+$/),
      transition_id: transitions[1]!.id,
      entity_id: entity.id,
      entity_name: entity.name,
      blueprint_slug: 'service',
      entity_slug: entity.slug,
      check_id: id,
      tenant_id: got(await client.get('/v1/me'), 200).id,
      from_state: 'up',
      to_state: 'down',
      check_from_state: 'up',
      check_to_state: 'down',
      timestamp: expect.stringMatching(/Z$/),
      outage_started_at: expect.stringMatching(/Z$/),
      cause: 'result',
      error_message: 'tape full',
      alert: expect.objectContaining({ decision: 'skipped', reason: 'no_channels', deliveries: [] }),
    });
    expect(transitions[0]!.alert).toMatchObject({ decision: 'skipped', reason: 'initial', deliveries: [] });
  });

  it('goes down only at the threshold if it never succeeded', async () => {
    const { id } = await newCheck(client, { failure_threshold: 2 });
    await push(id, false);
    expect(await read(id)).toMatchObject({ state: 'unknown', consecutive_failures: 1 });
    await push(id, false);
    expect(await read(id)).toMatchObject({ state: 'down', consecutive_failures: 2 });
  });

  it('applies a changed threshold at the next result', async () => {
    const { id } = await newCheck(client, { failure_threshold: 5 });
    await beat(id);
    for (let n = 0; n < 3; n++) await push(id, false);
    got(await client.put(`/v1/checks/${id}`, { failure_threshold: 2 }), 200);
    expect(await read(id)).toMatchObject({ state: 'up' });
    await push(id, false);
    expect(await read(id)).toMatchObject({ state: 'down' });
  });

  it('goes up with a heartbeat', async () => {
    const { id } = await newCheck(client, { failure_threshold: 1 });
    await push(id, false);
    await beat(id);
    expect(await read(id)).toMatchObject({ state: 'up', consecutive_failures: 0 });
  });
});

describe('a repeated push', () => {
  const send = (id: string, body: object, key: string) =>
    client.send('POST', `/v1/checks/${id}/results`, { body, headers: { 'idempotency-key': key } });

  it('returns the first record and counts once with the same Idempotency-Key, whatever its body', async () => {
    const { id } = await newCheck(client, { failure_threshold: 2 });
    const first = got(await send(id, { success: false, latency_ms: 1 }, 'run-1'), 201);
    expect(got(await send(id, { success: false, latency_ms: 1 }, 'run-1'), 201)).toEqual(first);
    expect(got(await send(id, { success: true, latency_ms: 9 }, 'run-1'), 201)).toEqual(first);
    expect(await read(id)).toMatchObject({ state: 'unknown', consecutive_failures: 1 });
    expect(await resultsOf(id)).toEqual([first]);
    got(await send(id, { success: false, latency_ms: 1 }, 'run-2'), 201);
    expect(await read(id)).toMatchObject({ state: 'down' });
  });

  it('is one result and one failure for thirty concurrent pushes', async () => {
    const { id } = await newCheck(client, { failure_threshold: 3 });
    for (const isUp of [false, true]) {
      if (isUp) await beat(id);
      const body = { success: false, latency_ms: 1 };
      const responses = await Promise.all(Array.from({ length: 30 }, () => send(id, body, `burst-${isUp}`)));
      const ids = new Set(responses.map((response) => got(response, 201).id));
      expect(ids.size).toBe(1);
      expect(await read(id)).toMatchObject({ consecutive_failures: 1 });
    }
    expect(await resultsOf(id)).toHaveLength(3);
  });

  it('counts for another check with the same Idempotency-Key', async () => {
    const [one, two] = [await newCheck(client), await newCheck(client)];
    const first = got(await send(one.id, { success: true, latency_ms: 1 }, 'shared'), 201);
    expect(got(await send(two.id, { success: true, latency_ms: 1 }, 'shared'), 201).id).not.toBe(first.id);
  });

  it('is recognized without a key by the same checked_at and body', async () => {
    const { id } = await newCheck(client, { failure_threshold: 5 });
    const checked_at = inMs(-2000);
    const first = await push(id, false, { checked_at, error_message: 'x' });
    expect(await push(id, false, { checked_at, error_message: 'x' })).toEqual(first);
    // The same time in another form is the same push.
    expect(await push(id, false, { error_message: 'x', checked_at: checked_at.replace('Z', '+00:00') })).toEqual(first);
    expect(await read(id)).toMatchObject({ consecutive_failures: 1 });
    expect((await push(id, false, { checked_at, error_message: 'y' })).id).not.toBe(first.id);
    expect(await read(id)).toMatchObject({ consecutive_failures: 2 });
  });

  it('counts each time without a key and a checked_at', async () => {
    const { id } = await newCheck(client, { failure_threshold: 5 });
    expect((await push(id, false)).id).not.toBe((await push(id, false)).id);
    expect(await read(id)).toMatchObject({ consecutive_failures: 2 });
  });

  it('is recognized by its key for a heartbeat too', async () => {
    const { id } = await newCheck(client);
    const again = () =>
      client.send('POST', `/v1/checks/${id}/heartbeat`, { headers: { 'idempotency-key': 'delivery-7' } });
    expect(got(await again(), 201)).toEqual(got(await again(), 201));
    expect(await resultsOf(id)).toHaveLength(1);
  });

  it.each([
    ['a space', 'run 1'],
    ['256 characters', 'x'.repeat(256)],
    ['a letter outside ASCII', 'grün'],
  ])('is rejected with an Idempotency-Key with %s', async (_name, key) => {
    const { id } = await newCheck(client);
    expect(await send(id, { success: true, latency_ms: 1 }, key)).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'Idempotency-Key'),
    );
  });
});

describe('a push with checked_at', () => {
  it('does not change the state if it is much older than the last push', async () => {
    const { id } = await newCheck(client, { failure_threshold: 1 });
    await beat(id);
    const old = await push(id, false, { checked_at: inMs(-70_000) });
    expect(await read(id)).toMatchObject({ state: 'up', consecutive_failures: 0 });
    expect((await resultsOf(id)).map((result) => result.success)).toEqual([true, false]);
    expect((await resultsOf(id))[1]).toEqual(old);
  });

  it('counts if it is a little older than the last push', async () => {
    const { id } = await newCheck(client, { failure_threshold: 1 });
    await beat(id);
    await push(id, false, { checked_at: inMs(-50_000) });
    expect(await read(id)).toMatchObject({ state: 'down' });
  });

  it('counts if it is over an hour old and the interval is a day', async () => {
    const { id } = await newCheck(client, { failure_threshold: 1, interval_seconds: 86_400 });
    await beat(id);
    await push(id, false, { checked_at: inMs(-3_600_000) });
    expect(await read(id)).toMatchObject({ state: 'down' });
  });

  it('counts at the current time if its time is in the future, and is listed by its checked_at', async () => {
    const { id } = await newCheck(client, { failure_threshold: 1 });
    const ahead = await push(id, false, { checked_at: inMs(50_000) });
    expect(await read(id)).toMatchObject({ state: 'down' });
    const later = await beat(id);
    expect(await read(id)).toMatchObject({ state: 'up', last_result: later });
    expect(await resultsOf(id)).toEqual([ahead, later]);
  });
});

describe('120 concurrent pushes', () => {
  const mixed = Array.from({ length: 120 }, (_, i) => (i * 7) % 5 < 2);

  it.each([1, 3])('are all stored for one check of threshold %i, with unbroken chains', async (failure_threshold) => {
    const own = await newTenant();
    const { id } = await newCheck(own, { failure_threshold });
    const responses = await Promise.all(
      mixed.map((success, i) => own.post(`/v1/checks/${id}/results`, { success, latency_ms: i })),
    );
    const acknowledged = responses.map((response) => got(response, 201));
    const kept = await everything(own, `/v1/checks/${id}/results?limit=50`);
    const byLatency = (a: { latency_ms: number }, b: { latency_ms: number }) => a.latency_ms - b.latency_ms;
    expect(kept.sort(byLatency)).toEqual(acknowledged);
    expect(kept.map((result) => result.success)).toEqual(mixed);
    expect(await expectWholeChains(own)).toBeGreaterThan(0);
  });

  it('keep the chain of an entity with five checks unbroken and its state derived from them', async () => {
    const own = await newTenant();
    const entity = await newEntity(own);
    const settings = { entity_id: entity.id, failure_threshold: 1 };
    const checks = await Promise.all(Array.from({ length: 5 }, () => newCheck(own, settings)));
    const responses = await Promise.all(
      mixed.map((success, i) => own.post(`/v1/checks/${checks[(i * 3) % 5].id}/results`, { success, latency_ms: i })),
    );
    for (const response of responses) got(response, 201);
    await expectWholeChains(own);
    const states = new Set(got(await own.get('/v1/checks'), 200).map((check: { state: string }) => check.state));
    const [expected] = states.size > 1 ? ['degraded'] : states;
    expect(got(await own.get('/v1/status'), 200).entities).toMatchObject([{ id: entity.id, state: expected }]);
    expect((await feedOf(own)).length).toBeGreaterThanOrEqual(5);
  });
});
