import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item, Key, Table } from '#lib/platform/ports.ts';

type Row = Item & Record<string, unknown>;

const KB = 1024;
let made = 0;
/** A partition of its own for each test, so that one table serves them all. */
const partition = (): string => `contract#${process.pid}#${Date.now()}#${made++}`;

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing was refused',
    (error) => error,
  );

/** What every adapter of the table port must answer, whatever it stands on. */
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

      it('shows the item that stands where an absent one was wanted, so that "already done" can be told', async () => {
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

      it('overwrites the version it names and no other', async () => {
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

      it('shows the own fresh version when a lost answer makes a write come twice', async () => {
        const item: Row = { pk: partition(), sk: 'a', v: 'one' };
        await table.transact([{ put: item, if: 'absent' }]);
        const second = { ...item, v: 'two' };
        await table.transact([{ put: second, if: { version: 'one' } }]);
        const again = await table.transact([{ put: second, if: { version: 'one' } }]);
        expect(again).toMatchObject({ ok: false, present: [{ v: 'two' }] });
      });

      it('takes an item without a version for no version at all', async () => {
        const key = { pk: partition(), sk: 'a' };
        await table.putMany([key]);
        expect(await table.transact([{ delete: key, if: { version: '' } }])).toMatchObject({ ok: false, failed: [0] });
      });

      it('finds no version where nothing stands', async () => {
        const key = { pk: partition(), sk: 'a' };
        const outcome = await table.transact([{ put: { ...key, v: 'two' }, if: { version: 'one' } }]);
        expect(outcome).toMatchObject({ ok: false, failed: [0] });
        expect(outcome).toHaveProperty('present.0', undefined);
        expect(await table.get(key)).toBeUndefined();
      });

      it('deletes on a version, and quietly what is not there', async () => {
        const item: Row = { pk: partition(), sk: 'a', v: 'one' };
        await table.transact([{ put: item }]);
        expect(await table.transact([{ delete: item, if: { version: 'other' } }])).toMatchObject({ ok: false });
        expect(await table.transact([{ delete: { pk: item.pk, sk: 'a' }, if: { version: 'one' } }])).toEqual({
          ok: true,
        });
        expect(await table.get(item)).toBeUndefined();
        expect(await table.transact([{ delete: { pk: item.pk, sk: 'a' } }])).toEqual({ ok: true });
      });

      it('checks an item without touching it', async () => {
        const pk = partition();
        await table.transact([{ put: { pk, sk: 'root', v: 'one' } }]);
        const under = (version: string, sk: string) =>
          table.transact([{ check: { pk, sk: 'root' }, if: { version } }, { put: { pk, sk } }]);
        expect(await under('one', 'child')).toEqual({ ok: true });
        expect(await under('two', 'orphan')).toMatchObject({
          ok: false,
          failed: [0],
          present: [{ v: 'one' }, undefined],
        });
        expect(sks(await table.query({ partition: pk }))).toEqual(['child', 'root']);
        expect(await table.transact([{ check: { pk, sk: 'none' }, if: 'absent' }])).toEqual({ ok: true });
      });

      it('does all of a transaction or nothing, and names each write that failed', async () => {
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

      it('lets exactly one of many concurrent transactions on one item win', async () => {
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
        expect(sks(await table.query({ partition: pk, prefix: 'by-' }))).toHaveLength(1);
      });

      it('fails one write without failing those that came at the same moment', async () => {
        const pk = partition();
        await table.putMany([{ pk, sk: 'b' }]);
        const outcomes = await Promise.all(
          ['a', 'b', 'c'].map((sk) => table.transact([{ put: { pk, sk }, if: 'absent' }])),
        );
        expect(outcomes.map((outcome) => outcome.ok)).toEqual([true, false, true]);
      });

      it('reads what was just written', async () => {
        const key = { pk: partition(), sk: 'a' };
        for (let n = 0; n < 20; n++) {
          await table.transact([{ put: { ...key, n } as Item }]);
          expect(await table.get(key)).toEqual({ ...key, n });
        }
      });
    });

    describe('reading', () => {
      it('finds nothing under a key that nothing can stand under', async () => {
        const odd: Key[] = ['', 'é', 'x'.repeat(1025)].map((sk) => ({ pk: partition(), sk }));
        for (const key of odd) expect(await table.get(key)).toBeUndefined();
        expect(await table.getMany(odd)).toEqual([undefined, undefined, undefined]);
        expect(await table.query({ partition: 'ü' })).toEqual({ items: [] });
      });

      it('gets many in the order asked, with gaps and repeats', async () => {
        const pk = partition();
        await fill(pk, ['a', 'b']);
        const found = await table.getMany(['b', 'none', 'a', 'b'].map((sk) => ({ pk, sk })));
        expect(found.map((item) => item?.sk)).toEqual(['b', undefined, 'a', 'b']);
        expect(await table.getMany([])).toEqual([]);
      });

      it('gets and puts more than a hundred at once', async () => {
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

      it('keeps to a prefix, or to inclusive bounds, in either direction', async () => {
        const pk = partition();
        await fill(pk, ['A#1', 'R#1', 'R#2', 'R#3', 'R', 'S#1']);
        const query = async (more: object) => sks(await table.query({ partition: pk, ...more }));
        expect(await query({ prefix: 'R#' })).toEqual(['R#1', 'R#2', 'R#3']);
        expect(await query({ prefix: 'R#', descending: true })).toEqual(['R#3', 'R#2', 'R#1']);
        expect(await query({ from: 'R#1', to: 'R#2' })).toEqual(['R#1', 'R#2']);
        expect(await query({ from: 'R#2' })).toEqual(['R#2', 'R#3', 'S#1']);
        expect(await query({ to: 'R#1', descending: true })).toEqual(['R#1', 'R', 'A#1']);
        expect(await query({ prefix: 'X' })).toEqual([]);
      });

      it('goes on behind the sort key it is given', async () => {
        const pk = partition();
        await fill(pk, ['A', 'R#1', 'R#2', 'R#3', 'S']);
        const query = async (more: object) => sks(await table.query({ partition: pk, ...more }));
        expect(await query({ prefix: 'R#', after: 'R#1' })).toEqual(['R#2', 'R#3']);
        expect(await query({ prefix: 'R#', after: 'R#3', descending: true })).toEqual(['R#2', 'R#1']);
        expect(await query({ from: 'R#1', to: 'R#3', after: 'R#2' })).toEqual(['R#3']);
        expect(await query({ prefix: 'R#', after: 'R#3' })).toEqual([]);
      });

      it.each([false, true])('pages through everything once (descending: %s)', async (descending) => {
        const pk = partition();
        const names = Array.from({ length: 23 }, (_, i) => `R#${String(i).padStart(2, '0')}`);
        await fill(pk, [...names, 'Q', 'S']);
        const seen: string[] = [];
        let after: string | undefined;
        do {
          const page = await table.query({
            partition: pk,
            prefix: 'R#',
            limit: 5,
            descending,
            ...(after && { after }),
          });
          expect(page.items.length).toBeLessThanOrEqual(5);
          seen.push(...sks(page));
          after = page.next;
        } while (after !== undefined);
        expect(seen).toEqual(descending ? names.toReversed() : names);
      });

      it('ends a page at a megabyte and says that more follows', async () => {
        const pk = partition();
        const names = ['1', '2', '3', '4', '5', '6', '7', '8'];
        for (const sk of names) await fill(pk, [sk], { text: 'x'.repeat(200 * KB) });
        const first = await table.query({ partition: pk });
        expect(first.items.length).toBeGreaterThanOrEqual(4);
        expect(first.items.length).toBeLessThanOrEqual(6);
        expect(first.next).toBe(first.items.at(-1)!.sk);
        const second = await table.query({ partition: pk, after: first.next! });
        expect([...sks(first), ...sks(second)]).toEqual(names);
      });

      it('refuses a page of no items', async () => {
        expect(await refusal(table.query({ partition: partition(), limit: 0 }))).toBeInstanceOf(Error);
      });
    });

    describe('what an item holds', () => {
      it('gives back every JSON value as it was', async () => {
        const item: Row = {
          pk: partition(),
          sk: 'a',
          v: 'one',
          expires_at: 4_102_444_800,
          text: 'Grüße, 世界 🌍 "quoted" \n\u0000',
          empty: '',
          numbers: [0, -1, 0.1, 1e-7, 1.5e100, 123456789012345, -2.5e-100],
          yes: true,
          no: false,
          nothing: null,
          list: [],
          map: {},
          nested: { list: [{ deep: [1, [2, { three: null }]] }] },
        };
        await table.transact([{ put: item, if: 'absent' }]);
        expect(await table.get(item)).toEqual(item);
        expect((await table.query({ partition: item.pk })).items).toEqual([item]);
        expect(await table.getMany([item])).toEqual([item]);
      });

      it('keeps nothing of what an overwritten item held', async () => {
        const key = { pk: partition(), sk: 'a' };
        await table.transact([{ put: { ...key, v: 'one', expires_at: 4_102_444_800, old: 1 } as Item }]);
        await table.transact([{ put: { ...key, new: 1 } as Item }]);
        expect(await table.get(key)).toEqual({ ...key, new: 1 });
      });

      it.each([
        ['undefined', undefined],
        ['NaN', Number.NaN],
        ['Infinity', Number.POSITIVE_INFINITY],
        ['a function', () => 1],
        ['a date', new Date(0)],
        ['a bigint', 1n],
        ['a map', new Map()],
        ['a number too large', 1e126],
        ['a number too small', 1e-131],
        ['a member without a name', { '': 1 }],
      ])('refuses %s, at the top and inside', async (_, value) => {
        const key = { pk: partition(), sk: 'a' };
        for (const bad of [value, { inside: [value] }]) {
          expect(await refusal(table.transact([{ put: { ...key, bad } as Item }]))).toBeInstanceOf(Error);
          expect(await refusal(table.putMany([{ ...key, bad } as Item]))).toBeInstanceOf(Error);
        }
        expect(await table.get(key)).toBeUndefined();
      });

      it('takes 30 levels of nesting and refuses 40', async () => {
        const nest = (levels: number): unknown => (levels === 0 ? 1 : { down: nest(levels - 1) });
        const key = { pk: partition(), sk: 'a' };
        expect(await table.transact([{ put: { ...key, tree: nest(30) } as Item }])).toEqual({ ok: true });
        expect(await refusal(table.transact([{ put: { ...key, tree: nest(40) } as Item }]))).toMatchObject({
          code: 'VALIDATION_ERROR',
        });
      });

      it.each([
        ['an empty pk', { pk: '', sk: 'a' }],
        ['an empty sk', { pk: 'contract', sk: '' }],
        ['a pk over 2,048 bytes', { pk: 'x'.repeat(2049), sk: 'a' }],
        ['an sk over 1,024 bytes', { pk: 'contract', sk: 'x'.repeat(1025) }],
        ['a key that is not ASCII', { pk: 'contract', sk: 'é' }],
        ['a key with a line break', { pk: 'contract', sk: 'a\nb' }],
      ])('refuses to write under %s', async (_, key) => {
        expect(await refusal(table.transact([{ put: key }]))).toBeInstanceOf(Error);
        expect(await refusal(table.transact([{ delete: key }]))).toBeInstanceOf(Error);
        expect(await refusal(table.putMany([key]))).toBeInstanceOf(Error);
      });

      it('takes the longest keys', async () => {
        const item = { pk: partition().padEnd(2048, 'x'), sk: 'y'.repeat(1024) };
        expect(await table.transact([{ put: item, if: 'absent' }])).toEqual({ ok: true });
        expect(await table.get(item)).toEqual(item);
      });

      it('takes an item just under 400 KB and refuses one over it', async () => {
        const key = { pk: partition(), sk: 'a' };
        const beside = key.pk.length + 'pk'.length + 'sk'.length + 'a'.length + 'text'.length;
        const item = (bytes: number) => ({ ...key, text: 'x'.repeat(bytes - beside) }) as Item;
        expect(await table.transact([{ put: item(400 * KB) }])).toEqual({ ok: true });
        expect(await refusal(table.transact([{ put: item(400 * KB + 1) }]))).toMatchObject({
          code: 'PAYLOAD_TOO_LARGE',
        });
        const wide = { ...key, text: 'é'.repeat(210 * KB) } as Item;
        expect(await refusal(table.putMany([wide]))).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
      });
    });

    describe('what a transaction holds', () => {
      it('takes 100 writes, and refuses 101 or none', async () => {
        const pk = partition();
        const puts = (count: number) => Array.from({ length: count }, (_, i) => ({ put: { pk, sk: `k${i}` } }));
        expect(await table.transact(puts(100))).toEqual({ ok: true });
        expect(await refusal(table.transact(puts(101)))).toBeInstanceOf(Error);
        expect(await refusal(table.transact([]))).toBeInstanceOf(Error);
      });

      it('refuses to touch a key twice', async () => {
        const key = { pk: partition(), sk: 'a' };
        expect(await refusal(table.transact([{ put: key }, { delete: key }]))).toBeInstanceOf(Error);
        expect(await refusal(table.transact([{ check: key, if: 'absent' }, { put: key }]))).toBeInstanceOf(Error);
        expect(await table.get(key)).toBeUndefined();
      });

      it('takes what is under 4 MB and refuses what is over', async () => {
        const pk = partition();
        const puts = (count: number) =>
          Array.from({ length: count }, (_, i) => ({ put: { pk, sk: `k${i}`, text: 'x'.repeat(390 * KB) } as Item }));
        expect(await table.transact(puts(10))).toEqual({ ok: true });
        expect(await refusal(table.transact(puts(11)))).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
      });
    });
  });
}
