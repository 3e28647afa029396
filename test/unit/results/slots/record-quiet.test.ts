import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Job } from '#lib/messages.ts';
import type { Table } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { PACK_MS, type PackedEntry, type PackedResult, type PackItem } from '#lib/results/pack.ts';
import { openPack } from '#lib/results/slots/record-probe.ts';
import { type MemoryWorld, memoryWorld } from '#test/support/memory-world.ts';
import { entriesOf } from '#test/support/pack-entries.ts';
import { makeClock } from '#test/support/virtual-clock.ts';

const SLOT = Date.UTC(2026, 10, 21, 6);
const job: Job = { tenant_id: 'acc_a', cell: 'aaaaaaaaaaaa', interval_seconds: 60, slot: SLOT };

let world: MemoryWorld;
beforeEach(() => {
  world = memoryWorld();
});

const run = (number: number, latency_ms = 40): PackedResult => {
  return { number, begin: 3, latency_ms, status_code: 200, rev: 1, success: true };
};

/** Creates another prober of the slot, as in a separate process. */
function prober(table: Partial<Table> = {}, signal?: AbortSignal) {
  const clock = makeClock(SLOT);
  const ports = { ...world.ports, clock, table: { ...world.store, ...table } };
  return { clock, pack: openPack({ ...world, ports }, job, 30, signal) };
}

async function writePack(list: PackedEntry[], table?: Partial<Table>): Promise<void> {
  const { pack } = prober(table);
  for (const entry of list) pack.add(entry);
  await pack.end();
}

/** Returns the entries of the slot, by pack: a later pack of a slot is a further part. */
const parts = async (): Promise<PackedEntry[][]> => {
  const partition = world.keys.packs(job.tenant_id, job.cell, job.interval_seconds);
  return (await allOf<PackItem>(world.store, { partition })).map(entriesOf);
};

describe('the quiet results of a slot', () => {
  it('cost one write when all have ended, and no read', async () => {
    Object.assign(world.requests, { reads: 0, writes: 0 });
    await writePack([run(3), run(1), run(2)], world.ports.table);
    expect(await parts()).toEqual([[run(1), run(2), run(3)]]);
    expect(world.requests).toEqual({ reads: 0, writes: 1 });
  });

  it('are written after two seconds; later ones become a second part', async () => {
    const { clock, pack } = prober();
    pack.add(run(1));
    await clock.runUntil(SLOT + PACK_MS - 1);
    pack.add(run(2));
    expect(await parts()).toEqual([]);
    await clock.runUntil(SLOT + PACK_MS);
    await vi.waitFor(async () => expect(await parts()).toEqual([[run(1), run(2)]]));
    pack.add(run(3));
    await clock.runUntil(SLOT + PACK_MS + 500);
    expect(await parts()).toHaveLength(1);
    await pack.end();
    expect(await parts()).toEqual([[run(1), run(2)], [run(3)]]);
    await clock.runUntil(SLOT + 10 * PACK_MS);
    expect(await parts()).toHaveLength(2);
  });

  it('expire after the retention time of the account', async () => {
    await writePack([run(1)]);
    const partition = world.keys.packs(job.tenant_id, job.cell, job.interval_seconds);
    const [pack] = await allOf(world.store, { partition });
    expect(pack!.expires_at! * 1000).toBeGreaterThanOrEqual(SLOT + 30 * 86_400_000);
  });

  it('are not written after their run is aborted', async () => {
    const { pack } = prober({}, AbortSignal.abort());
    pack.add(run(1));
    await pack.end();
    expect(await parts()).toEqual([]);
  });
});

describe('a check probed by two probers at the same slot', () => {
  it('has one outcome, the first that was written', async () => {
    await writePack([run(1, 10), run(2, 10)]);
    await writePack([run(2, 99), run(3, 99)]);
    await writePack([run(1, 77), run(2, 77), run(3, 77)]);
    expect(await parts()).toEqual([[run(1, 10), run(2, 10)], [run(3, 99)]]);
  });

  it('has a result rather than a gap', async () => {
    const gap = (number: number, cause: 'network' | 'error' = 'network') => ({ number, gap: cause });
    await writePack([gap(1), run(2)]);
    await writePack([run(1), gap(2), gap(3)]);
    await writePack([gap(1, 'error'), gap(3, 'error')]);
    expect(await parts()).toEqual([
      [gap(1), run(2)],
      [run(1), gap(3)],
    ]);
  });

  it('has at most one result, however many probers probe it', async () => {
    const entry = fc
      .record({ number: fc.nat(4), latency_ms: fc.nat(9), isGap: fc.boolean() })
      .map(
        (one): PackedEntry => (one.isGap ? { number: one.number, gap: 'network' } : run(one.number, one.latency_ms)),
      );
    const entries = fc.uniqueArray(entry, { minLength: 1, maxLength: 5, selector: ({ number }) => number });
    await fc.assert(
      fc.asyncProperty(
        fc.array(entries, { minLength: 2, maxLength: 4 }),
        fc.scheduler(),
        async (probers, scheduler) => {
          world = memoryWorld();
          const { transact } = world.store;
          const paused: Table['transact'] = async (writes) => {
            await scheduler.schedule(Promise.resolve());
            return transact(writes);
          };
          await scheduler.waitFor(Promise.all(probers.map((list) => writePack(list, { transact: paused }))));
          const all = (await parts()).flat();
          for (const number of [0, 1, 2, 3, 4]) {
            const reported = probers.flat().filter((one) => one.number === number);
            const kept = all.filter((one) => one.number === number);
            for (const one of kept) expect(reported).toContainEqual(one);
            expect(kept.filter(({ gap }) => !gap)).toHaveLength(reported.some(({ gap }) => !gap) ? 1 : 0);
            if (reported.length > 0) expect(kept.length).toBeGreaterThan(0);
            expect(kept.filter(({ gap }) => gap).length).toBeLessThanOrEqual(1);
          }
        },
      ),
    );
  });
});

describe('a pack that was not written', () => {
  const refuses = () => Promise.reject(new Error('throttled'));

  it('is written at the end of its job, with later entries', async () => {
    let failures = 1;
    const { clock, pack } = prober({
      transact: (writes) => (failures-- > 0 ? refuses() : world.store.transact(writes)),
    });
    pack.add(run(1));
    await clock.runUntil(SLOT + PACK_MS);
    expect(pack.waiting()).toEqual([run(1)]);
    pack.add(run(2));
    await pack.end();
    expect(await parts()).toEqual([[run(1), run(2)]]);
    expect(pack.waiting()).toEqual([]);
  });

  it('is returned as waiting', async () => {
    const { pack } = prober({ transact: refuses });
    pack.add(run(1));
    pack.add(run(2));
    await expect(pack.end()).rejects.toThrow('throttled');
    expect(pack.waiting()).toEqual([run(1), run(2)]);
  });

  it('is written once when only the response was lost', async () => {
    let isFirst = true;
    const { clock, pack } = prober({
      transact: async (writes) => {
        const outcome = await world.store.transact(writes);
        if (!isFirst) return outcome;
        isFirst = false;
        throw new Error('no answer');
      },
    });
    pack.add(run(1));
    await clock.runUntil(SLOT + PACK_MS);
    pack.add(run(2));
    await pack.end();
    expect(await parts()).toEqual([[run(1)], [run(2)]]);
  });
});
