import { beforeAll, describe, expect, it } from 'vitest';
import { expectWholeChains } from '#test/oracle/whole-chains.ts';
import { transitionsOf } from '#test/support/chains.ts';
import { type Client, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { everything, got, newCheck } from '#test/support/fleet.ts';

/** Maximum time from a missed heartbeat to its record (ms). */
const RECORDED_WITHIN_MS = 15_000;
const PATIENCE_MS = 40_000;

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

type Result = { checked_at: string; success: boolean; error_kind: string | null; error_message: string };

const read = async (id: string) => got(await client.get(`/v1/checks/${id}`), 200);
const beat = async (id: string) => got(await client.post(`/v1/checks/${id}/heartbeat`), 201);
/** Returns the results of a check, oldest first. */
const resultsOf = async (id: string): Promise<Result[]> =>
  (await everything(client, `/v1/checks/${id}/results?limit=500`)).reverse();
const failuresOf = async (id: string) =>
  (await resultsOf(id)).filter((result) => result.error_kind === 'missed_heartbeat');
const at = (result: { checked_at: string }) => Date.parse(result.checked_at);

/** Expects a failure at its due time, or whole intervals of 1 s later if this machine was too busy. */
function expectOnTime(failure: Result, due: number): void {
  expect(at(failure)).toBeGreaterThanOrEqual(due);
  expect((at(failure) - due) % 1000).toBe(0);
}

describe.concurrent('a push check that misses heartbeats', { timeout: 2 * PATIENCE_MS }, () => {
  it('fails after the grace time and once each interval, is down at the threshold, and up with the next push', async () => {
    const settings = { interval_seconds: 1, config: { grace_seconds: 3 }, failure_threshold: 3, name: 'backup' };
    const never = await newCheck(client, settings);
    const { id } = await newCheck(client, settings);
    const { alerts_after_seconds } = await read(id);
    expect(alerts_after_seconds).toBe(3 + 2 * 1);
    const last = await beat(id);
    expect(await read(id)).toMatchObject({ state: 'up', stale: false });

    await eventually(async () => (await failuresOf(id)).length >= 1, PATIENCE_MS);
    expect(Date.now() - at(last)).toBeLessThan(3000 + RECORDED_WITHIN_MS);
    await eventually(async () => (await failuresOf(id)).length >= 5, PATIENCE_MS);
    const failures = await failuresOf(id);
    for (const [n, failure] of failures.entries()) {
      expect(failure).toMatchObject({ success: false, status_code: 0, latency_ms: 0, check_id: id });
      const seconds = /^no result for (\d+) s \(grace 3 s\)$/.exec(failure.error_message)?.[1];
      expect(Number(seconds)).toBeGreaterThanOrEqual(3 + n);
      expectOnTime(failure, at(last) + 3000 + n * 1000);
    }
    expect(new Set(failures.map(at)).size).toBe(failures.length);

    expect(await read(id)).toMatchObject({ state: 'down', consecutive_failures: 3, stale: true });
    const [, down] = await transitionsOf(client, id);
    expect(down).toMatchObject({ check_to_state: 'down', to_state: 'down', cause: 'missed_heartbeat' });
    expect(down!.error_message).toBe(failures[2]!.error_message);
    const silentFor = Date.parse(down!.timestamp!) - at(last);
    expect(silentFor).toBeGreaterThanOrEqual(alerts_after_seconds * 1000);
    expect(silentFor).toBeLessThan(alerts_after_seconds * 1000 + RECORDED_WITHIN_MS);

    await beat(id);
    expect(await read(id)).toMatchObject({ state: 'up', consecutive_failures: 0, stale: false });

    // In all that time the agent of the other check never sent anything, and this is not a failure.
    expect(await resultsOf(never.id)).toEqual([]);
    expect(await read(never.id)).toMatchObject({ state: 'unknown', stale: false, last_result: null });
  });

  it('has a grace time of two intervals by default, which restarts with each push', async () => {
    const { id } = await newCheck(client, { interval_seconds: 1, failure_threshold: 1 });
    let last = await beat(id);
    const since = at(last);
    while (Date.now() - since < 4000) {
      await new Promise((resolve) => setTimeout(resolve, 700));
      last = await beat(id);
    }
    const failure = await eventually(async () => (await failuresOf(id))[0], PATIENCE_MS);
    expectOnTime(failure, at(last) + 2000);
    expect(failure.error_message).toMatch(/^no result for \d+ s \(grace 2 s\)$/);
    expect((await transitionsOf(client, id)).map((each) => each.check_to_state)).toEqual(['up', 'down']);
  });

  it('is not monitored while it is disabled, and its grace time restarts when it is enabled', async () => {
    const { id } = await newCheck(client, { interval_seconds: 1, failure_threshold: 1 });
    await beat(id);
    got(await client.put(`/v1/checks/${id}`, { enabled: false }), 200);
    const witness = await newCheck(client, { interval_seconds: 1, failure_threshold: 1 });
    await beat(witness.id);
    await eventually(async () => (await failuresOf(witness.id)).length >= 2, PATIENCE_MS);
    expect(await failuresOf(id)).toEqual([]);
    const enabled = got(await client.put(`/v1/checks/${id}`, { enabled: true }), 200);
    const failure = await eventually(async () => (await failuresOf(id))[0], PATIENCE_MS);
    expect(at(failure)).toBeGreaterThanOrEqual(Date.parse(enabled.updated_at) + 2000);
  });
});

it.concurrent('counts each push that is answered before a missed heartbeat is evaluated', {
  timeout: 60_000,
}, async () => {
  const GRACE_MS = 1000;
  const CHECKS = 25;
  const ROUNDS = 8;
  const settings = { interval_seconds: 1, failure_threshold: 1, config: { grace_seconds: GRACE_MS / 1000 } };
  const own = await newTenant();

  /** Sends heartbeats of one agent, each close to its deadline, on either side of it. */
  const agent = async (number: number) => {
    const { id } = await newCheck(own, settings);
    const pushes: { answered: number; received: number }[] = [];
    for (let n = 0; n < ROUNDS; n++) {
      const result = got(await own.post(`/v1/checks/${id}/heartbeat`), 201);
      pushes.push({ answered: Date.now(), received: at(result) });
      const check = got(await own.get(`/v1/checks/${id}`), 200);
      if (Date.now() < at(result) + GRACE_MS) expect(check).toMatchObject({ state: 'up' });
      // One heartbeat in three is early, the others are sent from 15 ms before the deadline to 30 ms after it.
      const turn = (number + n * 4) % CHECKS;
      const next = at(result) + GRACE_MS + (turn % 3 === 0 ? -250 : -15 + (turn * 45) / CHECKS);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - Date.now())));
    }
    return { id, pushes };
  };
  const agents = await Promise.all(Array.from({ length: CHECKS }, (_, number) => agent(number)));

  let failures = 0;
  for (const { id, pushes } of agents) {
    // The time of the transition is that of the evaluation: pushes answered before it count.
    const down = (await transitionsOf(own, id)).filter((transition) => transition.cause === 'missed_heartbeat');
    for (const { timestamp } of down) {
      failures++;
      const evaluatedAt = Date.parse(timestamp!);
      const newest = Math.max(...pushes.filter((push) => push.answered < evaluatedAt).map((push) => push.received));
      expect(evaluatedAt - newest, 'a heartbeat that was answered in time is not missed').toBeGreaterThanOrEqual(
        GRACE_MS,
      );
    }
  }
  // Both sides of the deadline occurred; otherwise the test shows nothing.
  expect(failures).toBeGreaterThan(0);
  expect(failures).toBeLessThan(CHECKS * ROUNDS);
  // Disabled checks no longer change, so that the chains can be read.
  for (const { id } of agents) got(await own.put(`/v1/checks/${id}`, { enabled: false }), 200);
  await expectWholeChains(own);
});
