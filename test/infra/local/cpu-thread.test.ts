import { describe, expect, it } from 'vitest';
import { cpuThread } from '#infra/local/cpu-thread.ts';
import { areMatches, endOfMatch, invalidExpression } from '#lib/checks/assertions/expressions.ts';
import { jsonJob } from '#lib/checks/assertions/json-document.ts';
import { type CpuJob, CpuTimeError, type TenantCpu } from '#lib/platform/sharing/cpu-budget.ts';

const echo: CpuJob<string, string> = { name: 'echo', load: async () => (text) => text };
const file = '../../test/support/stuck-worker.ts';

describe('the thread for expressions and documents', () => {
  it('runs every job of the service', async () => {
    const run = cpuThread();
    const cpu: TenantCpu = (job, inputs) => Promise.all(inputs.map(async (input) => (await run(job, input)).output));
    expect(await areMatches(cpu, [{ expression: 'o{2}', text: 'book' }])).toEqual([true]);
    expect(await endOfMatch(cpu, 'o{2}', 'book')).toBe(3);
    const invalid = { path: 'config.expect', message: expect.stringMatching(/^is not an RE2 expression/) };
    expect(await invalidExpression(cpu, [{ path: 'config.expect', text: '(' }])).toEqual(invalid);
    expect(await cpu(jsonJob, [{ text: '{"a":[1,2]}', paths: [['a', 1], ['b']] }])).toEqual([
      [{ value: { kind: 'a number', scalar: 2, preview: '2' } }, { depth: 0, content: 'has a' }],
    ]);
    expect(await cpu(jsonJob, [{ text: '{', paths: [['a']] }])).toEqual([undefined]);
  });

  it('runs one job at a time, in order, and measures each', async () => {
    const run = cpuThread({ file });
    const all = ['a', 'b', 'c'].map((text) => run(echo, text));
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c'].map((output) => ({ output, used_ms: 1 })));
  });

  it.each(['loop', 'fill'])(
    'stops a job that exceeds its time or memory (%s), and runs the next one',
    async (input) => {
      const run = cpuThread({ file, limit_ms: input === 'loop' ? 100 : 60_000 });
      const [stuck, next] = [run(echo, input), run(echo, 'a')];
      await expect(stuck).rejects.toThrow(CpuTimeError);
      expect((await next).output).toBe('a');
    },
  );

  it('passes on an error of a job', async () => {
    const run = cpuThread({ file });
    await expect(run(echo, 'throw')).rejects.toThrow('a defect');
    expect((await run(echo, 'a')).output).toBe('a');
  });
});
