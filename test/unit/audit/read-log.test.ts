import { describe, expect, it } from 'vitest';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { AuditItem } from '#lib/audit/entry.ts';
import type { AuditFilter } from '#lib/audit/query.ts';
import { readLog } from '#lib/audit/read-log.ts';
import type { Audited } from '#lib/audit/write.ts';
import { type MemoryWorld, memoryWorld } from '#test/support/memory-world.ts';
import { makeRandom } from '#test/support/random.ts';

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;

type Thing = { id: string; count: number };
const thing = (type: 'check' | 'key' = 'check'): Audited<Thing> => ({
  type,
  target: ({ id }) => ({ id, name: id, within: ['ent_1'] }),
  properties: ({ count }) => ({ count }),
});

const scopeOf = ({ ports, keys }: MemoryWorld) => ({ ports, keys, tenant: 'acc_1', origin: 'operator' }) as const;

/** Records a number of changes, one millisecond apart. */
async function recordChanges(world: MemoryWorld, count: number, of = thing(), id = 'chk_1'): Promise<void> {
  for (let i = 0; i < count; i++) {
    world.advance(1);
    await world.store.transact(auditWriter(scopeOf(world), 'update', of)({ id, count: i }, { id, count: i + 1 }));
  }
}

const read = (world: MemoryWorld, wanted: AuditFilter, more: { after?: string; limit?: number; order?: 'asc' } = {}) =>
  readLog(scopeOf(world), wanted, { order: 'desc', limit: 50, ...more });

const countsOf = ({ values }: { values: AuditItem[] }) => values.map(({ changes }) => changes[0]!.to);

describe('readLog', () => {
  it('returns every entry once, in pages, newest first', async () => {
    const world = memoryWorld();
    await recordChanges(world, 130);
    const all: unknown[] = [];
    let after: string | undefined;
    do {
      const page = await read(world, {}, { limit: 25, ...(after !== undefined && { after }) });
      expect(page.values.length).toBeLessThanOrEqual(25);
      all.push(...countsOf(page));
      after = page.next;
    } while (after !== undefined);
    expect(all).toEqual(Array.from({ length: 130 }, (_, i) => 130 - i));
  });

  it('reads only the necessary part of its buckets', async () => {
    const world = memoryWorld();
    await recordChanges(world, 300);
    let items = 0;
    const { query } = world.ports.table;
    world.ports.table.query = (async (asked) => {
      const page = await query(asked);
      items += page.items.length;
      return page;
    }) as typeof query;
    expect((await read(world, {}, { limit: 50 })).values).toHaveLength(50);
    expect(items).toBeLessThan(120);
  });

  it('scans 2,000 entries per call and returns where to continue', async () => {
    const world = memoryWorld();
    await recordChanges(world, 1, thing(), 'chk_old');
    await recordChanges(world, 2_600);
    const first = await read(world, { target: 'chk_old' });
    expect(first.values).toEqual([]);
    const second = await read(world, { target: 'chk_old' }, { after: first.next! });
    expect(second.values).toHaveLength(1);
    expect(second.next).toBeUndefined();
  });

  it('filters by kind, action, actor, target, and parent of the target', async () => {
    const world = memoryWorld();
    await recordChanges(world, 2);
    await recordChanges(world, 3, thing('key'), 'key_1');
    const found = async (wanted: AuditFilter) => (await read(world, wanted)).values.length;
    expect(await found({ kind: 'config' })).toBe(2);
    expect(await found({ kind: 'access' })).toBe(3);
    expect(await found({ action: 'check.update' })).toBe(2);
    expect(await found({ action: 'check.' })).toBe(2);
    expect(await found({ action: 'check.delete' })).toBe(0);
    expect(await found({ target: 'chk_1' })).toBe(2);
    expect(await found({ target: 'ent_1' })).toBe(5);
    expect(await found({ actor: 'operator' })).toBe(5);
    expect(await found({ actor: 'usr_1' })).toBe(0);
  });

  it('filters by time, including since and excluding until', async () => {
    const world = memoryWorld();
    const start = world.ports.clock.now();
    await recordChanges(world, 10);
    expect(countsOf(await read(world, { since: start + 3, until: start + 6 }))).toEqual([5, 4, 3]);
    expect(countsOf(await read(world, { since: start + 20, until: start + 6 }))).toEqual([]);
  });

  it('returns nothing older than AUDIT_DAYS, even if it is still in the table', async () => {
    const world = memoryWorld();
    await recordChanges(world, 1);
    world.advance(399 * DAY_MS);
    await recordChanges(world, 1);
    expect((await read(world, {})).values).toHaveLength(2);
    world.advance(1.1 * DAY_MS);
    expect((await read(world, {})).values).toHaveLength(1);
    const { items } = await world.store.query<AuditItem>({ partition: world.keys.audit('acc_1', 0) });
    for (const item of items) expect(item.expires_at! * SECOND_MS - Date.parse(item.at)).toBeLessThan(400.1 * DAY_MS);
  });
});

describe('readLog oldest first', () => {
  it('returns entries older than 15 s, and always where to continue', async () => {
    const world = memoryWorld();
    const empty = await read(world, {}, { order: 'asc' });
    expect(empty).toEqual({ values: [], next: expect.any(String) });
    await recordChanges(world, 3);
    world.advance(14 * SECOND_MS);
    expect((await read(world, {}, { order: 'asc', after: empty.next! })).values).toEqual([]);
    world.advance(1 * SECOND_MS + 1);
    const page = await read(world, {}, { order: 'asc', after: empty.next! });
    expect(countsOf(page)).toEqual([1, 2, 3]);
    expect(await read(world, {}, { order: 'asc', after: page.next! })).toEqual({ values: [], next: page.next });
  });

  it.each([1, 2, 3, 4])('returns every entry exactly once while eight slow writers run (seed %s)', async (seed) => {
    const world = memoryWorld();
    const random = makeRandom(seed);
    /** Next step of each started write, with its time. */
    const pending: { at: number; run: () => Promise<unknown> }[] = [];
    const committed: string[] = [];
    const seen: string[] = [];
    let after: string | undefined;
    const follow = async () => {
      const page = await read(world, {}, { order: 'asc', limit: random.int(1, 30), ...(after && { after }) });
      seen.push(...page.values.map(({ id }) => id));
      after = page.next;
    };
    const begin = (): void => {
      const note = auditWriter(scopeOf(world), 'update', thing());
      const first = note({ id: 'chk_1', count: 1 }, { id: 'chk_1', count: 2 });
      // Half of the first attempts fail, and are repeated up to ten seconds later. A commit takes up to nine seconds.
      const retry_ms = random.chance(0.5) ? random.int(0, 10_000) : 0;
      const commit_ms = random.int(0, 9_000);
      const started = world.ports.clock.now();
      pending.push({
        at: started + retry_ms,
        run: async () => {
          const writes = retry_ms > 0 ? note({ id: 'chk_1', count: 1 }, { id: 'chk_1', count: 2 }) : first;
          pending.push({
            at: world.ports.clock.now() + commit_ms,
            run: async () => {
              await world.store.transact(writes);
              committed.push((writes as unknown as [{ put: AuditItem }])[0].put.id);
            },
          });
        },
      });
    };
    for (let step = 0; step < 600; step++) {
      world.advance(random.int(1, 400));
      const now = world.ports.clock.now();
      const due = pending.filter(({ at }) => at <= now);
      for (const one of due) {
        pending.splice(pending.indexOf(one), 1);
        await one.run();
      }
      while (pending.length < 8 && step < 500) begin();
      if (random.chance(0.5)) await follow();
    }
    world.advance(60 * SECOND_MS);
    for (const one of pending.splice(0)) await one.run();
    for (const one of pending.splice(0)) await one.run();
    world.advance(60 * SECOND_MS);
    for (let i = 0; i < 200; i++) await follow();
    expect(committed.length).toBeGreaterThan(100);
    expect(new Set(seen).size).toBe(seen.length);
    expect([...seen].sort()).toEqual([...committed].sort());
  });
});
