import { beforeEach, describe, expect, it } from 'vitest';
import { create } from '#functions/prober.ts';
import { updateCheck } from '#lib/checks/change/change-check.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { numberOf, RESULTS, under } from '#lib/keys.ts';
import type { Job } from '#lib/messages.ts';
import { type HttpReply, type HttpRequest, NetError } from '#lib/net/net.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { resultRecord } from '#lib/results/result-record.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { type HealthWorld, healthWorld, intervalScheduleOfCheck, jobOfCheck } from '#test/support/health-world.ts';
import { queueRecord } from '#test/support/queue-record.ts';

const OK: HttpReply = { status: 200, headers: {}, body: '', latency_ms: 20 };
const DOWN: HttpReply = { ...OK, status: 503 };

describe('an unconfirmed check', () => {
  let world: HealthWorld;
  let target: (request: HttpRequest) => Promise<HttpReply>;
  let asked: HttpRequest[];
  let give: (...jobs: Job[]) => Promise<void>;
  beforeEach(async () => {
    world = await healthWorld();
    asked = [];
    target = async () => DOWN;
    const { ports } = world;
    const http = (request: HttpRequest) => {
      asked.push(request);
      return target(request);
    };
    const prober = create({ ...ports, net: { ...ports.net, http } as never });
    give = async (...jobs) => {
      world.sent.length = 0;
      expect(await prober({ Records: [queueRecord('m', { jobs })] })).toEqual({ batchItemFailures: [] });
    };
  });

  const now = () => world.ports.clock.now();
  const to = (at: number) => world.advance(at - now());
  /** Messages sent since the last jobs were handled, and their times. */
  const sent = () => world.sent.map(({ queue, message }) => ({ queue, ...message }));
  const results = async ({ tenant_id, id }: CheckItem): Promise<ResultItem[]> =>
    (await world.store.query<ResultItem>({ partition: world.keys.ofCheck(tenant_id, id), ...under(RESULTS) })).items;

  /** Creates a check (interval: one minute) that fails once, at a slot. Its retry is due 10 s later. */
  async function failedOnce(more: object = {}): Promise<{ check: CheckItem; slot: number; retry: Job }> {
    const check = await world.check({ interval_seconds: 60, retry_interval_seconds: 10, ...more });
    const schedule = intervalScheduleOfCheck(check);
    const slot = latestSlot(schedule, now()) + schedule.interval_ms;
    to(slot);
    await give(jobOfCheck(check, slot));
    return { check, slot, retry: retrySent() };
  }
  function retrySent(): Job {
    const [message] = sent();
    expect(sent()).toHaveLength(1);
    return (message!.body as { jobs: Job[] }).jobs[0]!;
  }

  it('has one message for its next retry, in the group of its tenant', async () => {
    const { check, slot, retry } = await failedOnce();
    const at = slot + 10_000;
    expect(retry).toEqual({
      ...jobOfCheck(check, slot),
      only: [check.id],
      retry: { at, until: at + 10_000, rev: check.rev },
    });
    expect(sent()).toEqual([{ queue: 'job', body: { jobs: [retry] }, not_before: at, group: check.tenant_id }]);
  });

  it('is probed at each retry until it is confirmed, and then not retried', async () => {
    const { check, slot, retry } = await failedOnce({ failure_threshold: 3 });
    to(slot + 10_000);
    await give(retry);
    expect(await world.fresh(check)).toMatchObject({ state: 'unknown', consecutive_failures: 2 });
    to(slot + 20_000);
    await give(retrySent());
    expect(await world.fresh(check)).toMatchObject({ state: 'down', consecutive_failures: 3 });
    expect(sent()).toEqual([]);
    const found = await results(check);
    expect(found.map(({ sk }) => sk)).toEqual(
      [0, 10_000, 20_000].map((ms) => world.keys.result(check.tenant_id, check.id, slot + ms, '1').sk),
    );
    expect(found.map((one) => resultRecord(check.id, one).kind)).toEqual(['scheduled', 'retry', 'retry']);
  });

  it('is not retried after it recovers', async () => {
    const { check, slot, retry } = await failedOnce();
    target = async () => OK;
    to(slot + 10_000);
    await give(retry);
    expect(await world.fresh(check)).toMatchObject({ state: 'up', consecutive_failures: 0 });
    expect(sent()).toEqual([]);
  });

  it.each<[string, (failed: Awaited<ReturnType<typeof failedOnce>>) => unknown]>([
    ['the next retry is due', ({ slot }) => to(slot + 20_000)],
    ['its settings have changed', ({ check }) => updateCheck(world.context, check, { timeout_ms: 1000 })],
    ['it is confirmed', async ({ check, slot }) => world.probe(check, slot + 60_000)],
    ['it was disabled', async ({ check }) => updateCheck(world.context, check, { enabled: false })],
  ])('is not probed when %s', async (_, happens) => {
    const failed = await failedOnce();
    to(failed.slot + 10_000);
    await happens(failed);
    asked.length = 0;
    await give(failed.retry);
    expect(asked).toEqual([]);
    expect(await results(failed.check)).toHaveLength(await countSlotResults(failed.check));
  });
  /** Returns the number of results that are not of a retry. */
  const countSlotResults = async (check: CheckItem): Promise<number> =>
    (await results(check)).filter((one) => resultRecord(check.id, one).kind !== 'retry').length;

  it('is retried at the next instant when a message was late, without any reads', async () => {
    const { check, slot, retry } = await failedOnce();
    to(slot + 27_000);
    asked.length = 0;
    Object.assign(world.requests, { reads: 0, writes: 0 });
    await give(retry);
    expect([asked, world.requests]).toEqual([[], { reads: 0, writes: 0 }]);
    const at = slot + 30_000;
    const next: Job = { ...retry, retry: { at, until: at + 10_000, rev: check.rev } };
    expect(sent()).toEqual([{ queue: 'job', body: { jobs: [next] }, not_before: at, group: check.tenant_id }]);
    to(at);
    await give(next);
    expect(await world.fresh(check)).toMatchObject({ consecutive_failures: 2 });
  });

  it('is not retried when a message arrives after its last retry or after its next slot', async () => {
    const { slot, retry } = await failedOnce();
    for (const ms of [51_000, 60_000, 95_000]) {
      to(slot + ms);
      await give(retry);
      expect(sent()).toEqual([]);
    }
  });

  it('is retried at the next instant after a stall', async () => {
    const { check, slot, retry } = await failedOnce();
    let stalled = 0;
    world.ports.clock.stalled = () => stalled;
    target = async ({ timeout_ms }) => {
      stalled += timeout_ms;
      throw Object.assign(new NetError('timeout', 'no answer'), { latency_ms: timeout_ms });
    };
    to(slot + 10_000);
    await give(retry);
    expect(await world.fresh(check)).toMatchObject({ consecutive_failures: 1 });
    expect(retrySent().retry).toMatchObject({ at: slot + 20_000 });
  });

  it('is retried with its timeout, cut at its next slot; a missing response then has no outcome', async () => {
    const { check, slot } = await failedOnce({ timeout_ms: 8000 });
    target = async ({ timeout_ms }) => {
      await world.ports.clock.sleep(timeout_ms);
      throw Object.assign(new NetError('timeout', 'no answer'), { latency_ms: timeout_ms });
    };
    asked.length = 0;
    const at = slot + 50_000;
    const last: Job = {
      ...jobOfCheck(check, slot),
      only: [check.id],
      retry: { at, until: slot + 60_000, rev: check.rev },
    };
    to(at + 3000);
    await give(last);
    expect(asked.map(({ timeout_ms }) => timeout_ms)).toEqual([7000]);
    expect(await world.fresh(check)).toMatchObject({ consecutive_failures: 1 });
    expect(await results(check)).toHaveLength(1);
  });

  it('is not changed by a retry that ends when its next slot is due', async () => {
    const { check, slot, retry } = await failedOnce();
    target = async () => {
      to(slot + 60_000);
      return DOWN;
    };
    to(slot + 10_000);
    await give(retry);
    expect(await world.fresh(check)).toMatchObject({ consecutive_failures: 1 });
    expect(await results(check)).toHaveLength(1);
  });

  it('is not changed by a retry that ends after the result of the next slot, even if a clock is slow', async () => {
    const { check, slot, retry } = await failedOnce();
    target = async () => {
      await world.probe(check, slot + 60_000, 'still down');
      return DOWN;
    };
    to(slot + 10_000);
    await give(retry);
    expect(await world.fresh(check)).toMatchObject({ consecutive_failures: 2 });
    expect(await countSlotResults(check)).toBe(2);
    expect(await results(check)).toHaveLength(2);
  });

  it('keeps its result when the message of its retry cannot be sent', async () => {
    const check = await world.check({ interval_seconds: 60, retry_interval_seconds: 10 });
    const { send } = world.ports.queues;
    world.ports.queues.send = () => Promise.reject(new Error('throttled'));
    const slot = latestSlot(intervalScheduleOfCheck(check), now()) + 60_000;
    to(slot);
    await give(jobOfCheck(check, slot));
    expect(await world.fresh(check)).toMatchObject({ consecutive_failures: 1 });
    world.ports.queues.send = send;
    to(slot + 60_000);
    await give(jobOfCheck(check, slot + 60_000));
    expect(await world.fresh(check)).toMatchObject({ consecutive_failures: 2 });
    expect(numberOf(retrySent().only![0]!)).toBe(numberOf(check.id));
  });

  it('keeps a retry that is hours ahead as a message, which is passed on without reads', async () => {
    const { check, slot, retry } = await failedOnce({ interval_seconds: 86_400, retry_interval_seconds: 7200 });
    expect(retry.retry!.at).toBe(slot + 7_200_000);
    const expectMaxDelay = () => expect(Math.abs(sent()[0]!.not_before! - now() - 900_000)).toBeLessThan(1000);
    expectMaxDelay();
    asked.length = 0;
    for (let ms = 900_000; ms < 7_200_000; ms += 900_000) {
      to(slot + ms);
      Object.assign(world.requests, { reads: 0, writes: 0 });
      await give(retry);
      expect(world.requests).toEqual({ reads: 0, writes: 0 });
      if (ms + 900_000 < 7_200_000) expectMaxDelay();
      else expect(sent()[0]!.not_before).toBe(retry.retry!.at);
      expect(retrySent()).toEqual(retry);
    }
    expect(asked).toEqual([]);
    to(slot + 7_200_000);
    await give(retry);
    expect(asked).toHaveLength(1);
    expect(await world.fresh(check)).toMatchObject({ consecutive_failures: 2 });
  });
});
