import { beforeEach, describe, expect, it } from 'vitest';
import { deleteCheck } from '#lib/checks/change/change-check.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { after, RESULTS } from '#lib/keys.ts';
import type { Job } from '#lib/messages.ts';
import { type HttpRequest, NetError } from '#lib/net/net.ts';
import { runCheckManually } from '#lib/results/manual/manual-run.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { type HealthWorld, healthWorld, intervalScheduleOfCheck, jobOfCheck } from '#test/support/health-world.ts';

let world: HealthWorld;
/** Behavior of each host, by name; a host without one responds. */
let hosts: Record<string, 'hangs' | 'refuses'>;
let asked: HttpRequest[];
beforeEach(async () => {
  world = await healthWorld();
  Object.assign(world.ports, { settings: { ...world.ports.settings, REFERENCE_HOST: '.' } });
  hosts = {};
  asked = [];
  const timeOut = async (timeout_ms: number): Promise<never> => {
    await world.ports.clock.sleep(timeout_ms);
    throw Object.assign(new NetError('timeout', `no answer within ${timeout_ms} ms`), { latency_ms: timeout_ms });
  };
  Object.assign(world.ports.net, {
    http: async (request: HttpRequest) => {
      asked.push(request);
      const behavior = hosts[new URL(request.url).hostname];
      if (behavior === 'hangs') return timeOut(request.timeout_ms);
      if (behavior === 'refuses') throw new NetError('connect', 'refused', { answered: true });
      return { status: 200, headers: {}, body: '', latency_ms: 5 };
    },
    resolve: async ({ timeout_ms }: { timeout_ms: number }) =>
      hosts.reference === 'hangs' ? timeOut(timeout_ms) : { values: ['a.root-servers.net'], latency_ms: 5 },
  });
});

const results = async ({ tenant_id, id }: CheckItem): Promise<ResultItem[]> => {
  const partition = world.keys.ofCheck(tenant_id, id);
  return (await world.ports.table.query<ResultItem>({ partition, from: RESULTS, to: after(RESULTS) })).items;
};
const run = async (check: CheckItem) => runCheckManually(world.context, await world.fresh(check));

describe('a manual run without a response', () => {
  it('counts against the target while the reference host answers', async () => {
    const check = await world.check({ failure_threshold: 1 });
    await run(check);
    hosts['example.com'] = 'hangs';
    expect(await run(check)).toMatchObject({ check_state: 'down', result: { error_kind: 'timeout' } });
  });

  it('is not recorded when the reference host, which had answered, fails too', async () => {
    const check = await world.check({ failure_threshold: 1 });
    await run(check);
    Object.assign(hosts, { 'example.com': 'hangs', reference: 'hangs' });
    await expect(run(check)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      headers: { 'retry-after': '5' },
      message: expect.stringContaining('the network of the service may be down'),
    });
    expect(await results(check)).toHaveLength(1);
    expect(await world.fresh(check)).toMatchObject({ state: 'up', consecutive_failures: 0 });
    delete hosts.reference;
    expect(await run(check)).toMatchObject({ check_state: 'down' });
  });

  it('counts against a target that refuses, whatever the reference host does', async () => {
    const check = await world.check({ failure_threshold: 1 });
    await run(check);
    Object.assign(hosts, { 'example.com': 'refuses', reference: 'hangs' });
    expect(await run(check)).toMatchObject({ check_state: 'down', result: { error_kind: 'connect' } });
  });

  it('is not recorded when it timed out in less time than the timeout of the check', async () => {
    const check = await world.check({ failure_threshold: 1, timeout_ms: 30_000 });
    hosts['example.com'] = 'hangs';
    await expect(run(check)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('the limit of a manual run; its scheduled probes wait 30000 ms'),
    });
    expect(asked.map(({ timeout_ms }) => timeout_ms)).toEqual([20_000]);
    expect(await results(check)).toEqual([]);
  });
});

describe('a manual run while the probe of a slot is in progress', () => {
  const jobs = (check: CheckItem) =>
    world.sent.flatMap(({ queue, message }) => {
      const { jobs = [] } = message.body as { jobs?: Job[] };
      return queue === 'job'
        ? jobs.filter(({ only, slot }) => only?.includes(check.id) && slot >= check.settings_at)
        : [];
    });
  /** Creates a check that is up, and moves the clock to 10 ms after one of its slots. */
  async function atSlot() {
    const check = await world.check({ failure_threshold: 1, interval_seconds: 60 });
    await run(check);
    const { phase, interval_ms } = intervalScheduleOfCheck(check);
    const now = world.ports.clock.now();
    const slot = phase + (Math.floor((now - phase) / interval_ms) + 1) * interval_ms;
    await world.ports.clock.sleep(slot - now + 10);
    return { check, slot };
  }

  it('probes the slot again with the changed check', async () => {
    const { check, slot } = await atSlot();
    hosts['example.com'] = 'refuses';
    expect(await run(check)).toMatchObject({ check_state: 'down' });
    expect(jobs(check)).toEqual([{ ...jobOfCheck(check, slot), only: [check.id] }]);
  });

  it('does not probe the slot again without a change, or when it has an outcome', async () => {
    const quiet = await atSlot();
    await run(quiet.check);
    expect(jobs(quiet.check)).toEqual([]);
    for (const error of ['', 'another status']) {
      const { check, slot } = await atSlot();
      await world.probe(check, slot, error);
      if (error === '') hosts['example.com'] = 'refuses';
      await run(check);
      delete hosts['example.com'];
      expect(jobs(check)).toEqual([]);
    }
  });
});

it('does not count a manual run at the instant of a slot as the probe of the slot', async () => {
  const check = await world.check({ interval_seconds: 60 });
  const { phase, interval_ms } = intervalScheduleOfCheck(check);
  const now = world.ports.clock.now();
  const slot = phase + (Math.floor((now - phase) / interval_ms) + 1) * interval_ms;
  await world.ports.clock.sleep(slot - now);
  // From here on, waiting does not move the clock.
  Object.assign(world.ports.clock, { sleep: () => new Promise<never>(() => {}) });
  const { result } = await run(check);
  expect(Date.parse(result.checked_at)).toBe(slot);
  expect(result.sk.slice(2, 15)).toBe(String(slot + 1));
});

it('stores nothing for a manual run of a deleted check', async () => {
  const check = await world.check();
  const stored = await world.fresh(check);
  await deleteCheck(world.context, stored);
  await expect(runCheckManually(world.context, stored)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await results(check)).toEqual([]);
});
