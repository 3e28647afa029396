import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { openTable } from '#infra/local/store/sqlite-table.ts';
import type { Item } from '#lib/platform/ports.ts';
import { runUntilKilled } from '#test/infra/local/killed/killed-child.ts';
import { plainTable } from '#test/support/plain-table.ts';
import { tableContract } from '#test/support/table-contract.ts';

const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-table-'));
afterAll(() => rmSync(dir, { recursive: true }));

tableContract('SQLite in memory', () => openTable({ file: ':memory:' }));
tableContract('an SQLite file', () => openTable({ file: join(dir, 'contract.db') }));
tableContract('plain objects', () => plainTable());
tableContract('SQLite with a commit per microtask', () => openTable({ file: ':memory:', schedule: queueMicrotask }));

describe('the SQLite table', () => {
  it('waits for the disk unless the durability is "soon"', async () => {
    const table = openTable({ file: ':memory:' });
    const synchronous = () => Number(table.store.db.prepare('PRAGMA synchronous').get()!.synchronous);
    await table.transact([{ put: { pk: 'p', sk: 's' } }], 'soon');
    expect(synchronous()).toBe(1);
    await table.transact([{ put: { pk: 'p', sk: 's' } }]);
    expect(synchronous()).toBe(2);
    table.store.close();
  });

  it('finds the items within all bounds for every cursor', async () => {
    const table = openTable({ file: ':memory:' });
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 3 });
    const all = ['a', 'b', 'c'].flatMap((x) => [x, ...['a', 'b', 'c'].flatMap((y) => [x + y, `${x + y}b`])]).sort();
    await table.putMany(all.map((sk) => ({ pk: 'p', sk })));
    const some = (arbitrary: fc.Arbitrary<string>) => fc.option(arbitrary, { nil: undefined });
    const query = fc.record({ from: some(letters), to: some(letters), after: some(letters) });
    await fc.assert(
      fc.asyncProperty(query, fc.boolean(), async ({ from, to, after }, descending) => {
        const asked = { partition: 'p', descending, ...(from && { from }), ...(to && { to }), ...(after && { after }) };
        const isWithin = (sk: string) =>
          (!from || sk >= from) && (!to || sk <= to) && (!after || (descending ? sk < after : sk > after));
        const wanted = all.filter(isWithin);
        const found = (await table.query(asked)).items.map(({ sk }) => sk);
        expect(found).toEqual(descending ? wanted.reverse() : wanted);
      }),
      { numRuns: 500 },
    );
    table.store.close();
  });

  it('makes each read wait for a turn of its tenant in the event loop', async () => {
    const waiting: [tenant: string, begin: () => void][] = [];
    const table = openTable({ file: ':memory:', inTurn: (from, begin) => void waiting.push([from, begin]) });
    const a = { pk: 'T#a#CHECKS', sk: '1' };
    const b = { pk: 'T#b', sk: '1' };
    const reads = [table.getMany([a, a]), table.get(b), table.query({ partition: a.pk })];
    expect(waiting.map(([from]) => from)).toEqual(['T#a', 'T#b', 'T#a']);
    while (waiting.length > 0) {
      for (const [, begin] of waiting.splice(0)) begin();
      await null;
    }
    expect(await Promise.all(reads)).toEqual([[undefined, undefined], undefined, { items: [] }]);
    table.store.close();
  });

  it('commits the writes of one turn of the event loop together', async () => {
    const turns: (() => void)[] = [];
    const table = openTable({ file: ':memory:', schedule: (flush) => turns.push(flush) });
    const writes = ['a', 'b', 'c'].map((sk) => table.transact([{ put: { pk: 'p', sk } }]));
    await Promise.resolve();
    expect(turns).toHaveLength(1);
    expect((await table.query({ partition: 'p' })).items).toEqual([]);
    turns[0]!();
    await Promise.all(writes);
    expect((await table.query({ partition: 'p' })).items).toHaveLength(3);
    table.store.close();
  });

  it('creates a change for a new item with a watched prefix, and for no other write', async () => {
    let woken = 0;
    const table = openTable({ file: ':memory:', inserted: ['TR#'], onInserted: () => woken++ });
    const item = { pk: 'p', sk: 'TR#1', v: '1', name: 'new' } as Item;
    await table.transact([{ put: item, if: 'absent' }, { put: { pk: 'p', sk: 'R#1' } }]);
    await table.transact([{ put: { ...item, v: '2' }, if: { version: '1' } }]);
    await table.transact([{ put: item, if: 'absent' }]);
    await table.putMany([
      { pk: 'p', sk: 'TR#1' },
      { pk: 'p', sk: 'TR#2' },
    ]);
    const changes = table.store.db.prepare('SELECT sk, image FROM changes ORDER BY seq').all();
    expect(changes.map((change) => change.sk)).toEqual(['TR#1', 'TR#2']);
    expect(JSON.parse(String(changes[0]!.image))).toEqual(item);
    expect(woken).toBe(2);
    table.store.close();
  });

  it('deletes only expired items, in small batches', async () => {
    const table = openTable({ file: ':memory:' });
    const expiring = Array.from({ length: 25 }, (_, i) => ({ pk: 'p', sk: `old-${i}`, expires_at: 1000 + i }));
    await table.putMany([...expiring, { pk: 'p', sk: 'later', expires_at: 2000 }, { pk: 'p', sk: 'forever' }]);
    expect(await table.sweep(1500, 10)).toBe(10);
    expect(await table.sweep(1500, 10)).toBe(10);
    expect(await table.sweep(1500, 10)).toBe(5);
    expect((await table.query({ partition: 'p' })).items.map((item) => item.sk)).toEqual(['forever', 'later']);
    table.store.close();
  });

  it('returns UNAVAILABLE with Retry-After while another process locks the file, and works again later', async () => {
    const file = join(dir, 'locked.db');
    const table = openTable({ file });
    table.store.db.exec('PRAGMA busy_timeout = 10');
    const other = new DatabaseSync(file);
    other.exec('BEGIN IMMEDIATE');
    const refused = await table.transact([{ put: { pk: 'p', sk: 'a' } }]).catch((error) => error);
    expect(refused).toMatchObject({ code: 'UNAVAILABLE', headers: { 'retry-after': '1' } });
    other.exec('ROLLBACK');
    other.close();
    expect(await table.transact([{ put: { pk: 'p', sk: 'a' }, if: 'absent' }])).toEqual({ ok: true });
    table.store.close();
  });

  it('returns UNAVAILABLE when the disk is full and keeps small writes that still fit', async () => {
    const table = openTable({ file: join(dir, 'full.db') });
    const { db } = table.store;
    await table.putMany([{ pk: 'p', sk: 'kept' }]);
    const { page_count } = db.prepare('PRAGMA page_count').get() as { page_count: number };
    db.exec(`PRAGMA max_page_count = ${page_count + 2}`);
    const big = { pk: 'p', sk: 'big', text: 'x'.repeat(300_000) } as Item;
    const outcomes = await Promise.allSettled([
      table.transact([{ put: big }]),
      table.transact([{ put: { pk: 'p', sk: 'small' } }]),
    ]);
    expect(outcomes[0]).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });
    expect(outcomes[1]).toEqual({ status: 'fulfilled', value: { ok: true } });
    expect((await table.query({ partition: 'p' })).items.map((item) => item.sk)).toEqual(['kept', 'small']);
    table.store.close();
  });

  it('loses no acknowledged write when the process is killed while writing', async () => {
    for (let round = 0; round < 3; round++) {
      const file = join(dir, `killed-${round}.db`);
      const acknowledged = await runUntilKilled('write-forever.ts', [file], 300);
      const table = openTable({ file });
      const missing: string[] = [];
      for (const name of acknowledged) {
        const both = await table.getMany([
          { pk: 'left', sk: name },
          { pk: 'right', sk: name },
        ]);
        if (both.includes(undefined)) missing.push(name);
      }
      expect(missing).toEqual([]);
      const count = (pk: string) => table.store.db.prepare('SELECT count(*) AS n FROM items WHERE pk = ?').get(pk)?.n;
      expect(count('left')).toBe(count('right'));
      table.store.close();
    }
  });
});
