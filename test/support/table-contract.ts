import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { under } from '#lib/keys.ts';
import type { Item, Key, Table } from '#lib/platform/ports.ts';
import { partition, type Row, refusal, tableLimits } from './table-limits.ts';

/** Declares the tests that every adapter of the table port must pass. */
export function tableContract(name: string, makeTable: () => Promise<Table> | Table): void {
  describe(`the table port on ${name}`, () => {
    let table: Table;
    beforeAll(async () => {
      table = await makeTable();
    });
    afterAll(() => (table as { store?: { close(): void } }).store?.close());

    const fill = async (pk: string, sks: string[], more: object = {}) => {
      await table.putMany(sks.map((sk) => ({ pk, sk, ...more })));
    };
    const sks = (page: { items: Item[] }) => page.items.map((item) => item.sk);

    describe('conditions', () => {
      it('creates an item that is absent', async () => {
        const item: Row = { pk: partition(), sk: 'a', v: 'one', name: 'first' };
        expect(await table.transact([{ put: item, if: 'absent' }])).toEqual({ ok: true });
        expect(await table.get(item)).toEqual(item);
      });

      it('returns the existing item if an absent one was required, so that "already done" can be recognized', async () => {
        const item: Row = { pk: partition(), sk: 'a', v: 'one', name: 'first' };
        await table.transact([{ put: item, if: 'absent' }]);
        expect(await table.transact([{ put: { ...item, v: 'two' }, if: 'absent' }])).toEqual({
          ok: false,
          failed: [0],
          present: [item],
          conflict: false,
        });
        expect(await table.get(item)).toEqual(item);
      });

      it('overwrites only the version that the condition names', async () => {
        const item: Row = { pk: partition(), sk: 'a', v: 'one' };
        await table.transact([{ put: item, if: 'absent' }]);
        const second = { ...item, v: 'two' };
        expect(await table.transact([{ put: second, if: { version: 'one' } }])).toEqual({ ok: true });
        expect(await table.transact([{ put: { ...item, v: 'three' }, if: { version: 'one' } }])).toEqual({
          ok: false,
          failed: [0],
          present: [second],
          conflict: false,
        });
      });

      it('returns the new version when a write is repeated after a lost response', async () => {
        const item: Row = { pk: partition(), sk: 'a', v: 'one' };
        await table.transact([{ put: item, if: 'absent' }]);
        const second = { ...item, v: 'two' };
        await table.transact([{ put: second, if: { version: 'one' } }]);
        const again = await table.transact([{ put: second, if: { version: 'one' } }]);
        expect(again).toMatchObject({ ok: false, present: [{ v: 'two' }] });
      });

      it('rejects a condition on the empty version for an item without a version', async () => {
        const key = { pk: partition(), sk: 'a' };
        await table.putMany([key]);
        expect(await table.transact([{ delete: key, if: { version: '' } }])).toMatchObject({ ok: false, failed: [0] });
      });

      it('rejects a condition on the version of a missing item', async () => {
        const key = { pk: partition(), sk: 'a' };
        const outcome = await table.transact([{ put: { ...key, v: 'two' }, if: { version: 'one' } }]);
        expect(outcome).toMatchObject({ ok: false, failed: [0] });
        expect(outcome).toHaveProperty('present.0', undefined);
        expect(await table.get(key)).toBeUndefined();
      });

      it('deletes only the required version, and succeeds without a condition if the item is missing', async () => {
        const item: Row = { pk: partition(), sk: 'a', v: 'one' };
        await table.transact([{ put: item }]);
        expect(await table.transact([{ delete: item, if: { version: 'other' } }])).toMatchObject({ ok: false });
        expect(await table.transact([{ delete: { pk: item.pk, sk: 'a' }, if: { version: 'one' } }])).toEqual({
          ok: true,
        });
        expect(await table.get(item)).toBeUndefined();
        expect(await table.transact([{ delete: { pk: item.pk, sk: 'a' } }])).toEqual({ ok: true });
      });

      it('checks an item without changing it', async () => {
        const pk = partition();
        await table.transact([{ put: { pk, sk: 'root', v: 'one' } }]);
        const putChild = (version: string, sk: string) =>
          table.transact([{ check: { pk, sk: 'root' }, if: { version } }, { put: { pk, sk } }]);
        expect(await putChild('one', 'child')).toEqual({ ok: true });
        expect(await putChild('two', 'orphan')).toMatchObject({
          ok: false,
          failed: [0],
          present: [{ v: 'one' }, undefined],
        });
        expect(sks(await table.query({ partition: pk }))).toEqual(['child', 'root']);
        expect(await table.transact([{ check: { pk, sk: 'none' }, if: 'absent' }])).toEqual({ ok: true });
      });

      it('executes all of a transaction or nothing, and names each failed write', async () => {
        const pk = partition();
        await table.transact([{ put: { pk, sk: 'b', v: 'one' } }, { put: { pk, sk: 'c', v: 'one' } }]);
        const outcome = await table.transact([
          { put: { pk, sk: 'a', v: 'x' }, if: 'absent' },
          { put: { pk, sk: 'b', v: 'x' }, if: 'absent' },
          { delete: { pk, sk: 'c' }, if: { version: 'two' } },
          { delete: { pk, sk: 'd' } },
        ]);
        expect(outcome).toEqual({
          ok: false,
          failed: [1, 2],
          present: [undefined, { pk, sk: 'b', v: 'one' }, { pk, sk: 'c', v: 'one' }, undefined],
          conflict: false,
        });
        expect(sks(await table.query({ partition: pk }))).toEqual(['b', 'c']);
      });

      it('lets exactly one of many concurrent transactions on one item succeed', async () => {
        const pk = partition();
        await table.transact([{ put: { pk, sk: 'counter', v: 'start' } }]);
        const outcomes = await Promise.all(
          Array.from({ length: 20 }, (_, i) =>
            table.transact([
              { put: { pk, sk: 'counter', v: `v${i}` }, if: { version: 'start' } },
              { put: { pk, sk: `by-${i}` }, if: 'absent' },
            ]),
          ),
        );
        expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
        expect(sks(await table.query({ partition: pk, ...under('by-') }))).toHaveLength(1);
      });

      it('fails one write without failing concurrent ones', async () => {
        const pk = partition();
        await table.putMany([{ pk, sk: 'b' }]);
        const outcomes = await Promise.all(
          ['a', 'b', 'c'].map((sk) => table.transact([{ put: { pk, sk }, if: 'absent' }])),
        );
        expect(outcomes.map((outcome) => outcome.ok)).toEqual([true, false, true]);
      });

      it('reads the latest write', async () => {
        const key = { pk: partition(), sk: 'a' };
        for (let n = 0; n < 20; n++) {
          await table.transact([{ put: { ...key, n } as Item }]);
          expect(await table.get(key)).toEqual({ ...key, n });
        }
      });
    });

    describe('reading', () => {
      it('finds nothing under an invalid key', async () => {
        const odd: Key[] = ['', 'é', 'x'.repeat(1025)].map((sk) => ({ pk: partition(), sk }));
        for (const key of odd) expect(await table.get(key)).toBeUndefined();
        expect(await table.getMany(odd)).toEqual([undefined, undefined, undefined]);
        expect(await table.query({ partition: 'ü' })).toEqual({ items: [] });
      });

      it('returns many items in the requested order, with undefined for missing ones', async () => {
        const pk = partition();
        await fill(pk, ['a', 'b']);
        const found = await table.getMany(['b', 'none', 'a', 'b'].map((sk) => ({ pk, sk })));
        expect(found.map((item) => item?.sk)).toEqual(['b', undefined, 'a', 'b']);
        const keys = [{ pk, sk: 'a' }];
        // An adapter decides how old an eventually consistent item can be.
        expect(await table.getMany(keys, { eventual: true })).toHaveLength(1);
        expect(await table.getMany([])).toEqual([]);
      });

      it('reads and writes more than a hundred items at once', async () => {
        const pk = partition();
        const names = Array.from({ length: 250 }, (_, i) => `k${String(i).padStart(3, '0')}`);
        await fill(pk, names);
        const found = await table.getMany(names.toReversed().map((sk) => ({ pk, sk })));
        expect(found.map((item) => item?.sk)).toEqual(names.toReversed());
      });

      it('lists a partition in the order of its sort keys, byte by byte', async () => {
        const pk = partition();
        await fill(pk, ['b', 'B', 'a#1', 'a', '~', '!', 'a!', '10', '9']);
        expect(sks(await table.query({ partition: pk }))).toEqual(['!', '10', '9', 'B', 'a', 'a!', 'a#1', 'b', '~']);
        expect(sks(await table.query({ partition: `${pk}x` }))).toEqual([]);
      });

      it('respects inclusive bounds, or a prefix, in either direction', async () => {
        const pk = partition();
        await fill(pk, ['A#1', 'R#1', 'R#2', 'R#3', 'R', 'S#1']);
        const query = async (more: object) => sks(await table.query({ partition: pk, ...more }));
        expect(await query({ ...under('R#') })).toEqual(['R#1', 'R#2', 'R#3']);
        expect(await query({ ...under('R#'), descending: true })).toEqual(['R#3', 'R#2', 'R#1']);
        expect(await query({ from: 'R#1', to: 'R#2' })).toEqual(['R#1', 'R#2']);
        expect(await query({ from: 'R#2' })).toEqual(['R#2', 'R#3', 'S#1']);
        expect(await query({ to: 'R#1', descending: true })).toEqual(['R#1', 'R', 'A#1']);
        expect(await query({ ...under('X') })).toEqual([]);
      });

      it('continues after the given sort key', async () => {
        const pk = partition();
        await fill(pk, ['A', 'R#1', 'R#2', 'R#3', 'S']);
        const query = async (more: object) => sks(await table.query({ partition: pk, ...more }));
        expect(await query({ ...under('R#'), after: 'R#1' })).toEqual(['R#2', 'R#3']);
        expect(await query({ ...under('R#'), after: 'R#3', descending: true })).toEqual(['R#2', 'R#1']);
        expect(await query({ from: 'R#1', to: 'R#3', after: 'R#2' })).toEqual(['R#3']);
        expect(await query({ ...under('R#'), after: 'R#3' })).toEqual([]);
      });

      it.each([false, true])('returns everything once in pages (descending: %s)', async (descending) => {
        const pk = partition();
        const names = Array.from({ length: 23 }, (_, i) => `R#${String(i).padStart(2, '0')}`);
        await fill(pk, [...names, 'Q', 'S']);
        const seen: string[] = [];
        let after: string | undefined;
        do {
          const page = await table.query({ partition: pk, ...under('R#'), limit: 5, descending, after });
          expect(page.items.length).toBeLessThanOrEqual(5);
          seen.push(...sks(page));
          after = page.next;
        } while (after !== undefined);
        expect(seen).toEqual(descending ? names.toReversed() : names);
      });

      it('ends a page at a megabyte and reports that more follows', async () => {
        const pk = partition();
        const names = ['1', '2', '3', '4', '5', '6', '7', '8'];
        for (const sk of names) await fill(pk, [sk], { text: 'x'.repeat(200 * 1024) });
        const first = await table.query({ partition: pk });
        expect(first.items.length).toBeGreaterThanOrEqual(4);
        expect(first.items.length).toBeLessThanOrEqual(6);
        expect(first.next).toBe(first.items.at(-1)!.sk);
        const second = await table.query({ partition: pk, after: first.next! });
        expect([...sks(first), ...sks(second)]).toEqual(names);
      });

      it('rejects a limit of 0', async () => {
        expect(await refusal(table.query({ partition: partition(), limit: 0 }))).toBeInstanceOf(Error);
      });
    });

    tableLimits(() => table);
  });
}
