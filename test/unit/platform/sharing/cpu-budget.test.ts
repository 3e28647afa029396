import { beforeEach, describe, expect, it } from 'vitest';
import { type CpuJob, CpuTimeError, cpuBudget, type RunCpuJob } from '#lib/platform/sharing/cpu-budget.ts';

/** Job whose input is its CPU time in ms. */
const job: CpuJob<number, number> = { name: 'take', load: async () => (ms) => ms };

let now: number;
/** Input of the jobs in the order in which they began, and functions that end the running ones. */
let begun: number[];
let endings: (() => void)[];

beforeEach(() => {
  now = 1_000_000;
  begun = [];
  endings = [];
});

const clock = { now: () => now, sleep: () => new Promise<void>(() => {}) };
const runAtOnce: RunCpuJob = async (_job, input) => ({ output: input as never, used_ms: Number(input) });
const runOnDemand: RunCpuJob = (_job, input) =>
  new Promise((resolve) => {
    begun.push(Number(input));
    endings.push(() => resolve({ output: input as never, used_ms: Number(input) }));
  });
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

const REFUSED = {
  code: 'RATE_LIMITED',
  headers: { 'retry-after': '1' },
  message: expect.stringMatching(
    /^The expressions and documents of this account used up its CPU budget, 200 ms per second/,
  ),
};

describe('the CPU budget', () => {
  it('refuses jobs of a tenant that has used it up, but not jobs of another', async () => {
    const cpu = cpuBudget(clock, runAtOnce);
    expect(await cpu.of('a')(job, [999])).toEqual([999]);
    expect(await cpu.of('a')(job, [40])).toEqual([40]);
    await expect(cpu.of('a')(job, [1])).rejects.toMatchObject(REFUSED);
    expect(await cpu.of('b')(job, [40])).toEqual([40]);
  });

  it('grows by 200 ms per second, to at most one second', async () => {
    const cpu = cpuBudget(clock, runAtOnce);
    await cpu.of('a')(job, [1_200]);
    now += 999;
    await expect(cpu.of('a')(job, [1])).rejects.toMatchObject(REFUSED);
    now += 2;
    expect(await cpu.of('a')(job, [1])).toEqual([1]);
    now += 3_600_000;
    await cpu.of('a')(job, [1_000]);
    await expect(cpu.of('a')(job, [1])).rejects.toMatchObject(REFUSED);
  });

  it('refuses waiting jobs after earlier ones of their tenant have used it up', async () => {
    const cpu = cpuBudget(clock, runOnDemand);
    const all = [600, 600, 1, 1].map((ms) =>
      cpu
        .of('a')(job, [ms])
        .catch(({ code }) => code),
    );
    for (let i = 0; i < 4; i++) {
      await settle();
      endings.shift()?.();
    }
    expect(await Promise.all(all)).toEqual([[600], [600], 'RATE_LIMITED', 'RATE_LIMITED']);
  });

  it('does not interrupt a call, even if its inputs exceed the budget', async () => {
    const cpu = cpuBudget(clock, runAtOnce);
    expect(await cpu.of('a')(job, [600, 600, 600])).toEqual([600, 600, 600]);
    await expect(cpu.of('a')(job, [1])).rejects.toMatchObject(REFUSED);
  });

  it('lets tenants take turns', async () => {
    const cpu = cpuBudget(clock, runOnDemand);
    for (const ms of [11, 12, 13, 14]) void cpu.of('a')(job, [ms]);
    for (const ms of [21, 22]) void cpu.of('b')(job, [ms]);
    for (let i = 0; i < 6; i++) {
      await settle();
      endings.shift()?.();
    }
    await settle();
    expect(begun.indexOf(22)).toBeLessThan(begun.indexOf(13));
    expect(begun.toSorted()).toEqual([11, 12, 13, 14, 21, 22]);
  });

  it('serves a waiting tenant between two inputs of a call of another tenant', async () => {
    const cpu = cpuBudget(clock, runOnDemand);
    const calls = [cpu.of('a')(job, [11, 12, 13, 14]), cpu.of('b')(job, [21, 22, 23, 24]), cpu.of('c')(job, [31])];
    for (let i = 0; i < 9; i++) {
      await settle();
      endings.shift()?.();
    }
    expect(begun.indexOf(31)).toBeLessThan(begun.indexOf(13));
    expect(begun.indexOf(31)).toBeLessThan(begun.indexOf(23));
    expect(await Promise.all(calls)).toEqual([[11, 12, 13, 14], [21, 22, 23, 24], [31]]);
  });

  it('ends a call at its first error', async () => {
    const cpu = cpuBudget(clock, async (_job, input) => {
      begun.push(Number(input));
      throw new CpuTimeError(10);
    });
    await expect(cpu.of('a')(job, [1, 2, 3])).rejects.toThrow('took longer than 10 ms');
    expect(begun).toEqual([1]);
  });

  it('refuses a job after a wait of 5 s for the turns of other tenants, and says so', async () => {
    const sleep = async (ms: number) => {
      await settle();
      now += ms;
    };
    const cpu = cpuBudget({ ...clock, sleep }, runOnDemand);
    for (const tenant of ['a', 'b']) void cpu.of(tenant)(job, [1]);
    const message = expect.stringMatching(
      /^The expressions and documents of this account waited for CPU time for 5 s\./,
    );
    await expect(cpu.of('c')(job, [1])).rejects.toMatchObject({ code: 'RATE_LIMITED', message });
    expect(now).toBeGreaterThanOrEqual(1_005_000);
  });

  it('is charged for a job that was stopped; the error has the time that the job took', async () => {
    const cpu = cpuBudget(clock, async () => {
      throw new CpuTimeError(1_000);
    });
    const message = expect.stringMatching(/^An expression or document took longer than 1000 ms\. Use fewer/);
    await expect(cpu.of('a')(job, [1])).rejects.toMatchObject({ code: 'RATE_LIMITED', message });
    await expect(cpu.of('a')(job, [1])).rejects.toMatchObject(REFUSED);
  });
});
