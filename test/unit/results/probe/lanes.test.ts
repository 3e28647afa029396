import { describe, expect, it } from 'vitest';
import { create } from '#functions/prober.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { ProbeOutcome } from '#lib/checks/outcome.ts';
import { readHealth } from '#lib/history/status/service-health.ts';
import { RESULTS, under } from '#lib/keys.ts';
import type { Job } from '#lib/messages.ts';
import { type HttpReply, type Net, NetError } from '#lib/net/net.ts';
import { isSlow } from '#lib/results/probe/lanes.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { type HealthWorld, healthWorld, intervalScheduleOfCheck, jobOfCheck } from '#test/support/health-world.ts';
import { queueRecord } from '#test/support/queue-record.ts';

const QUICK: HttpReply = { status: 200, headers: {}, body: '', latency_ms: 20 };
const HANGS = new NetError('timeout', 'no answer within 5000 ms');

/** Creates a prober whose targets all respond with `answer.now`. */
function proberOf({ ports }: HealthWorld, answer: { now: HttpReply | NetError | Promise<HttpReply> }) {
  const asked: string[] = [];
  const http: Net['http'] = async ({ url }) => {
    asked.push(url);
    const reply = answer.now;
    if (reply instanceof Error) throw reply;
    return reply;
  };
  const prober = create({ ...ports, net: { ...ports.net, http } });
  const give = async (body: unknown) => {
    expect(await prober({ Records: [queueRecord('m1', body)] })).toEqual({ batchItemFailures: [] });
  };
  return { asked, give };
}

/** Returns the job of checks of a cell at their latest slot, as it is sent after their creation. */
const jobOf = (checks: CheckItem | CheckItem[], at: number): Job => {
  const named = [checks].flat();
  const slot = latestSlot(intervalScheduleOfCheck(named[0]!), at);
  return { ...jobOfCheck(named[0]!, slot), only: named.map(({ id }) => id) };
};

const resultsOf = async ({ ports, keys }: HealthWorld, { tenant_id, id }: CheckItem) =>
  (await ports.table.query({ partition: keys.ofCheck(tenant_id, id), ...under(RESULTS) })).items.length;

describe('the next probe of a check', () => {
  it('moves to the slow lane after a timeout, and back when its target is quick again', async () => {
    const world = await healthWorld();
    const { ports, sent, fresh } = world;
    const check = await world.check({ interval_seconds: 60 });
    const answer = { now: HANGS as NetError | HttpReply };
    const { asked, give } = proberOf(world, answer);
    await give({ jobs: [jobOf(check, ports.clock.now())] });
    expect(asked).toHaveLength(1);
    expect(await fresh(check)).toMatchObject({ slow: true, consecutive_failures: 1 });

    world.advance(60_000);
    sent.length = 0;
    const next = jobOf(check, ports.clock.now());
    await give({ jobs: [next] });
    expect(asked).toHaveLength(1);
    expect(sent).toEqual([{ queue: 'slow', message: { body: { slow_jobs: [next] }, group: check.tenant_id } }]);

    answer.now = QUICK;
    await give(sent[0]!.message.body);
    expect(asked).toHaveLength(2);
    expect((await fresh(check)).slow).toBe(false);
    expect(await resultsOf(world, check)).toBe(2);
  });

  it('moves to the slow lane after a probe of two seconds, even a successful one', async () => {
    const world = await healthWorld();
    const check = await world.check({ interval_seconds: 60 });
    await proberOf(world, { now: { ...QUICK, latency_ms: 2000 } }).give({
      jobs: [jobOf(check, world.ports.clock.now())],
    });
    expect((await world.fresh(check)).slow).toBe(true);
  });

  it('stays in the quick lane with an interval up to 2 s, because it would always be late in the slow lane', () => {
    const outcome: ProbeOutcome = {
      success: false,
      status_code: 0,
      latency_ms: 1000,
      error_message: '',
      error_kind: 'timeout',
    };
    expect([1, 2, 3].map((seconds) => isSlow(outcome, seconds))).toEqual([false, false, true]);
  });

  it('causes a write of the check only when its lane changes', async () => {
    const world = await healthWorld();
    const check = await world.check({ interval_seconds: 60 });
    const { give } = proberOf(world, { now: QUICK });
    const versions: string[] = [];
    for (let i = 0; i < 3; i++) {
      await give({ jobs: [jobOf(check, world.ports.clock.now())] });
      versions.push((await world.fresh(check)).v);
      world.advance(60_000);
    }
    expect(versions[1]).toBe(versions[0]);
    expect(versions[2]).toBe(versions[0]);
  });

  it('is sent again when its job cannot be sent to the slow lane', async () => {
    const world = await healthWorld();
    const { ports, sent } = world;
    const check = await world.check({ interval_seconds: 60 });
    await proberOf(world, { now: HANGS }).give({ jobs: [jobOf(check, ports.clock.now())] });
    world.advance(60_000);
    sent.length = 0;
    const send = ports.queues.send;
    ports.queues.send = (queue, messages) =>
      queue === 'slow' ? Promise.reject(new Error('throttled')) : send(queue, messages);
    const next = jobOf(check, ports.clock.now());
    await proberOf(world, { now: QUICK }).give({ jobs: [next] });
    expect(sent).toMatchObject([{ queue: 'job', message: { body: { jobs: [next] }, group: check.tenant_id } }]);
  });
});

describe('probes of one tenant to one host', () => {
  it('are limited to ten, without delaying those of another host', async () => {
    const world = await healthWorld();
    // No time passes while they wait.
    world.ports.clock.sleep = () => new Promise(() => {});
    const entity_id = (await world.entity()).id;
    const checks: CheckItem[] = [];
    for (let i = 0; i < 12; i++) checks.push(await world.check({ entity_id, target_url: 'https://slow.example.com/' }));
    checks.push(await world.check({ entity_id, target_url: 'https://quick.example.com/' }));
    const { promise, resolve } = Promise.withResolvers<HttpReply>();
    const { asked, give } = proberOf(world, { now: promise });
    const given = give({ jobs: [jobOf(checks, world.ports.clock.now())] });
    for (let turn = 0; turn < 100 && asked.length < 11; turn++) await new Promise(setImmediate);
    expect(asked.filter((url) => url.includes('slow'))).toHaveLength(10);
    expect(asked.filter((url) => url.includes('quick'))).toHaveLength(1);
    resolve(QUICK);
    await given;
    expect(asked).toHaveLength(13);
  });
});

describe('a probe that waited longer than its interval', () => {
  it('is skipped, and GET /v1/health is not ok for a minute', async () => {
    const world = await healthWorld();
    const { context, ports } = world;
    await world.watermark(100_000);
    const check = await world.check({ interval_seconds: 60 });
    const { asked, give } = proberOf(world, { now: QUICK });
    const job = jobOf(check, ports.clock.now());
    world.advance(61_000);
    expect((await readHealth(context)).ok).toBe(true);
    await give({ jobs: [job] });
    expect(asked).toEqual([]);
    expect(await readHealth(context)).toMatchObject({
      ok: false,
      reasons: ['Probes waited longer than their interval and were skipped.'],
      probes: { ok: false, last_late_at: expect.any(String) },
    });
    world.advance(61_000);
    expect((await readHealth(context)).probes.ok).toBe(true);
  });

  it('does not affect the health if its tenant had used up its share', async () => {
    const world = await healthWorld();
    const { context, ports } = world;
    await world.watermark(100_000);
    const entity_id = (await world.entity()).id;
    const checks: CheckItem[] = [];
    for (let i = 0; i < 11; i++) checks.push(await world.check({ entity_id, target_url: 'https://slow.example.com/' }));
    const ten = jobOf(checks.slice(0, 10), ports.clock.now());
    const last = jobOf(checks.slice(10), ports.clock.now());
    const { give } = proberOf(world, { now: QUICK });
    await give({ jobs: [ten] });
    world.advance(50_000);
    await give({ jobs: [{ ...ten, slot: ten.slot + 60_000 }] });
    world.advance(30_000);
    await give({ jobs: [last] });
    expect(await readHealth(context)).toMatchObject({ ok: true, probes: { last_late_at: null } });
  });
});
