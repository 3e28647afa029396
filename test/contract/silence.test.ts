import { beforeAll, describe, expect, it } from 'vitest';
import { expectWholeChains } from '#test/oracle/whole-chains.ts';
import { transitionsOf } from '#test/support/chains.ts';
import { type Client, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { everything, got, newCheck } from '#test/support/fleet.ts';

/** A synthetic failure is recorded so long after its time at most. */
const RECORDED_WITHIN_MS = 15_000;
const PATIENCE_MS = 40_000;

let client: Client;
beforeAll(async () => {
  client = await newTenant();
});

type Result = { checked_at: string; success: boolean; error_kind: string | null; error_message: string };

const read = async (id: string) => got(await client.get(`/v1/checks/${id}`), 200);
const beat = async (id: string) => got(await client.post(`/v1/checks/${id}/heartbeat`), 201);
/** Oldest first. */
const resultsOf = async (id: string): Promise<Result[]> =>
  (await everything(client, `/v1/checks/${id}/results?limit=500`)).reverse();
const silencesOf = async (id: string) => (await resultsOf(id)).filter((result) => result.error_kind === 'missed_heartbeat');
const at = (result: { checked_at: string }) => Date.parse(result.checked_at);

/** At its time, or whole intervals (of 1 s) later, when this machine was too busy to look. */
function expectOnTheDot(silence: Result, due: number): void {
  expect(at(silence)).toBeGreaterThanOrEqual(due);
  expect((at(silence) - due) % 1000).toBe(0);
}

describe.concurrent('a push check that falls silent', { timeout: 2 * PATIENCE_MS }, () => {
  it('fails once after the grace and once each interval, is down at the threshold, and up with the next push', async () => {
    const settings = { interval_seconds: 1, config: { grace_seconds: 3 }, failure_threshold: 3, name: 'backup' };
    const never = await newCheck(client, settings);
    const { id } = await newCheck(client, settings);
    const { alerts_after_seconds } = await read(id);
    expect(alerts_after_seconds).toBe(3 + 2 * 1);
    const last = await beat(id);
    expect(await read(id)).toMatchObject({ state: 'up', stale: false });

    await eventually(async () => (await silencesOf(id)).length >= 1, PATIENCE_MS);
    expect(Date.now() - at(last)).toBeLessThan(3000 + RECORDED_WITHIN_MS);
    await eventually(async () => (await silencesOf(id)).length >= 5, PATIENCE_MS);
    const silences = await silencesOf(id);
    for (const [n, silence] of silences.entries()) {
      expect(silence).toMatchObject({ success: false, status_code: 0, latency_ms: 0, check_id: id });
      const seconds = /^no result for (\d+) s \(grace 3 s\)$/.exec(silence.error_message)?.[1];
      expect(Number(seconds)).toBeGreaterThanOrEqual(3 + n);
      expectOnTheDot(silence, at(last) + 3000 + n * 1000);
    }
    expect(new Set(silences.map(at)).size).toBe(silences.length);

    expect(await read(id)).toMatchObject({ state: 'down', consecutive_failures: 3, stale: true });
    const [, down] = await transitionsOf(client, id);
    expect(down).toMatchObject({ check_to_state: 'down', to_state: 'down', cause: 'missed_heartbeat' });
    expect(down!.error_message).toBe(silences[2]!.error_message);
    const silentFor = Date.parse(down!.timestamp!) - at(last);
    expect(silentFor).toBeGreaterThanOrEqual(alerts_after_seconds * 1000);
    expect(silentFor).toBeLessThan(alerts_after_seconds * 1000 + RECORDED_WITHIN_MS);

    await beat(id);
    expect(await read(id)).toMatchObject({ state: 'up', consecutive_failures: 0, stale: false });

    // All this time the agent of the other never spoke, and nobody misses it.
    expect(await resultsOf(never.id)).toEqual([]);
    expect(await read(never.id)).toMatchObject({ state: 'unknown', stale: false, last_result: null });
  });

  it('has a grace of two intervals by default, and it begins anew with each push', async () => {
    const { id } = await newCheck(client, { interval_seconds: 1, failure_threshold: 1 });
    let last = await beat(id);
    const since = at(last);
    while (Date.now() - since < 4000) {
      await new Promise((resolve) => setTimeout(resolve, 700));
      last = await beat(id);
    }
    const silence = await eventually(async () => (await silencesOf(id))[0], PATIENCE_MS);
    expectOnTheDot(silence, at(last) + 2000);
    expect(silence.error_message).toMatch(/^no result for \d+ s \(grace 2 s\)$/);
    expect((await transitionsOf(client, id)).map((each) => each.check_to_state)).toEqual(['up', 'down']);
  });

  it('is left alone while it is disabled, and counts from its enabling', async () => {
    const { id } = await newCheck(client, { interval_seconds: 1, failure_threshold: 1 });
    await beat(id);
    got(await client.put(`/v1/checks/${id}`, { enabled: false }), 200);
    const witness = await newCheck(client, { interval_seconds: 1, failure_threshold: 1 });
    await beat(witness.id);
    await eventually(async () => (await silencesOf(witness.id)).length >= 2, PATIENCE_MS);
    expect(await silencesOf(id)).toEqual([]);
    const enabled = got(await client.put(`/v1/checks/${id}`, { enabled: true }), 200);
    const silence = await eventually(async () => (await silencesOf(id))[0], PATIENCE_MS);
    expect(at(silence)).toBeGreaterThanOrEqual(Date.parse(enabled.updated_at) + 2000);
  });
});

it.concurrent('a push that was answered before silence was judged always wins', { timeout: 60_000 }, async () => {
  const GRACE_MS = 1000;
  const CHECKS = 25;
  const ROUNDS = 8;
  const settings = { interval_seconds: 1, failure_threshold: 1, config: { grace_seconds: GRACE_MS / 1000 } };
  const own = await newTenant();

  /** Heartbeats of one agent, each as close to its deadline as it gets, on either side of it. */
  const agent = async (number: number) => {
    const { id } = await newCheck(own, settings);
    const pushes: { answered: number; received: number }[] = [];
    for (let n = 0; n < ROUNDS; n++) {
      const result = got(await own.post(`/v1/checks/${id}/heartbeat`), 201);
      pushes.push({ answered: Date.now(), received: at(result) });
      const check = got(await own.get(`/v1/checks/${id}`), 200);
      if (Date.now() < at(result) + GRACE_MS) expect(check).toMatchObject({ state: 'up' });
      // One in three comes in good time, the others from 15 ms before the deadline to 30 ms behind it.
      const turn = (number + n * 4) % CHECKS;
      const next = at(result) + GRACE_MS + (turn % 3 === 0 ? -250 : -15 + (turn * 45) / CHECKS);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, next - Date.now())));
    }
    return { id, pushes };
  };
  const agents = await Promise.all(Array.from({ length: CHECKS }, (_, number) => agent(number)));

  let silences = 0;
  for (const { id, pushes } of agents) {
    // The time of the transition is that of the judgement: whoever was answered before it counts.
    const down = (await transitionsOf(own, id)).filter((transition) => transition.cause === 'missed_heartbeat');
    for (const { timestamp } of down) {
      silences++;
      const judged = Date.parse(timestamp!);
      const newest = Math.max(...pushes.filter((push) => push.answered < judged).map((push) => push.received));
      expect(judged - newest, 'nobody was declared silent who had been answered').toBeGreaterThanOrEqual(GRACE_MS);
    }
  }
  // Both sides of the deadline were met, else nothing was shown.
  expect(silences).toBeGreaterThan(0);
  expect(silences).toBeLessThan(CHECKS * ROUNDS);
  // Nothing moves any more, so that the chains can be read in peace.
  for (const { id } of agents) got(await own.put(`/v1/checks/${id}`, { enabled: false }), 200);
  await expectWholeChains(own);
});
