import { describe, expect, it } from 'vitest';
import { openTable } from '#infra/local/store/sqlite-table.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { Table, Write, WriteOutcome } from '#lib/platform/ports.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';

function world() {
  let now = 0;
  const waits: number[] = [];
  return {
    waits,
    clock: {
      now: () => now,
      sleep: async (ms: number) => {
        waits.push(ms);
        now += ms;
      },
      stalled: () => 0,
    },
    ids: { ...makeIds({ now: () => 0 }), random: () => 0.999 },
  };
}

describe('retryOnConflict', () => {
  it('returns the result of the first successful attempt', async () => {
    const ports = world();
    const tries: number[] = [];
    const answer = await retryOnConflict(ports, async (count) => {
      tries.push(count);
      return count < 3 ? RETRY : 'done';
    });
    expect(answer).toBe('done');
    expect(tries).toEqual([0, 1, 2, 3]);
  });

  it('waits up to 15 ms longer after each attempt', async () => {
    const ports = world();
    await retryOnConflict(ports, async (count) => (count < 4 ? RETRY : true));
    expect(ports.waits.map(Math.round)).toEqual([15, 30, 45, 60]);
  });

  it('throws UNAVAILABLE within 10 s with a retry time', async () => {
    const ports = world();
    const refused = await retryOnConflict(ports, async () => RETRY).catch((error) => error);
    expect(refused).toMatchObject({ code: 'UNAVAILABLE', headers: { 'retry-after': '1' } });
    expect(ports.clock.now()).toBeGreaterThan(9000);
    expect(ports.clock.now()).toBeLessThan(10_000);
  });

  it('rethrows an error at once', async () => {
    const ports = world();
    const fault = new Error('broken');
    await expect(retryOnConflict(ports, () => Promise.reject(fault))).rejects.toBe(fault);
    expect(ports.waits).toEqual([]);
  });
});

describe('commit', () => {
  const put = (v: string): Write => ({ put: { pk: 'p', sk: 's', v }, if: 'absent' });

  it('succeeds if the same item version was committed before', async () => {
    const table = openTable({ file: ':memory:' });
    expect(await commit({ table }, [put('mine')])).toEqual({ ok: true });
    expect(await commit({ table }, [put('mine'), { check: { pk: 'p', sk: 'no' }, if: 'absent' }])).toEqual({
      ok: true,
    });
    table.store.close();
  });

  it('fails for the item of another writer', async () => {
    const table = openTable({ file: ':memory:' });
    await commit({ table }, [put('theirs')]);
    expect(await commit({ table }, [put('mine')])).toMatchObject({ ok: false, failed: [0] });
    table.store.close();
  });

  it('returns a conflict unchanged', async () => {
    const conflict: WriteOutcome = { ok: false, failed: [], present: [], conflict: true };
    const table = { transact: async () => conflict } as Partial<Table> as Table;
    expect(await commit({ table }, [put('mine')])).toBe(conflict);
  });
});
