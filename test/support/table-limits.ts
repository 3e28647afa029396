import { describe, expect, it } from 'vitest';
import type { Item, Table } from '#lib/platform/ports.ts';

export type Row = Item & Record<string, unknown>;

const KB = 1024;
let made = 0;
/** Returns a separate partition for each test, so that one table serves them all. */
export const partition = (): string => `contract#${process.pid}#${Date.now()}#${made++}`;

export const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'nothing was rejected',
    (error) => error,
  );

/** Declares the tests of the table contract about items, keys and transactions. */
export function tableLimits(table: () => Table): void {
  describe('an item', () => {
    it('returns every JSON value unchanged', async () => {
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
      await table().transact([{ put: item, if: 'absent' }]);
      expect(await table().get(item)).toEqual(item);
      expect((await table().query({ partition: item.pk })).items).toEqual([item]);
      expect(await table().getMany([item])).toEqual([item]);
    });

    it('keeps nothing of an overwritten item', async () => {
      const key = { pk: partition(), sk: 'a' };
      await table().transact([{ put: { ...key, v: 'one', expires_at: 4_102_444_800, old: 1 } as Item }]);
      await table().transact([{ put: { ...key, new: 1 } as Item }]);
      expect(await table().get(key)).toEqual({ ...key, new: 1 });
    });

    it.each([
      ['undefined', undefined],
      ['NaN', Number.NaN],
      ['Infinity', Number.POSITIVE_INFINITY],
      ['a function', () => 1],
      ['a bigint', 1n],
      ['a number too large', 1e126],
      ['a number too small', 1e-131],
      ['a member without a name', { '': 1 }],
    ])('rejects %s, at the top level and nested', async (_, value) => {
      const key = { pk: partition(), sk: 'a' };
      for (const bad of [value, { inside: [value] }]) {
        expect(await refusal(table().transact([{ put: { ...key, bad } as Item }]))).toBeInstanceOf(Error);
        expect(await refusal(table().putMany([{ ...key, bad } as Item]))).toBeInstanceOf(Error);
      }
      expect(await table().get(key)).toBeUndefined();
    });

    it('accepts 30 levels of nesting and rejects 40', async () => {
      const nest = (levels: number): unknown => (levels === 0 ? 1 : { down: nest(levels - 1) });
      const key = { pk: partition(), sk: 'a' };
      expect(await table().transact([{ put: { ...key, tree: nest(30) } as Item }])).toEqual({ ok: true });
      expect(await refusal(table().transact([{ put: { ...key, tree: nest(40) } as Item }]))).toMatchObject({
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
    ])('rejects %s', async (_, key) => {
      expect(await refusal(table().transact([{ put: key }]))).toBeInstanceOf(Error);
      expect(await refusal(table().transact([{ delete: key }]))).toBeInstanceOf(Error);
      expect(await refusal(table().putMany([key]))).toBeInstanceOf(Error);
    });

    it('accepts the longest keys', async () => {
      const item = { pk: partition().padEnd(2048, 'x'), sk: 'y'.repeat(1024) };
      expect(await table().transact([{ put: item, if: 'absent' }])).toEqual({ ok: true });
      expect(await table().get(item)).toEqual(item);
    });

    it('accepts an item just under 400 KB and rejects one over it', async () => {
      const key = { pk: partition(), sk: 'a' };
      const item = (bytes: number) => ({ ...key, text: 'x'.repeat(bytes) }) as Item;
      expect(await table().transact([{ put: item(399 * KB) }])).toEqual({ ok: true });
      expect(await refusal(table().transact([{ put: item(400 * KB) }]))).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
      const wide = { ...key, text: 'é'.repeat(210 * KB) } as Item;
      expect(await refusal(table().putMany([wide]))).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    });

    it.each([
      ['digits', 1],
      ['negative digits', -1],
      ['empty lists', []],
      ['empty maps', {}],
      ['lists of lists', [[[[[[]]]]]]],
    ])('limits %s by their size in DynamoDB, which exceeds their size as JSON', async (_, value) => {
      const key = { pk: partition(), sk: 'a' };
      const bytesOf = (one: unknown): number =>
        Array.isArray(one) ? one.reduce((sum, x) => sum + 1 + bytesOf(x), 3) : 3;
      const each = 1 + (typeof value === 'number' ? (value < 0 ? 3 : 2) : bytesOf(value));
      const list = Array.from({ length: Math.ceil((400 * KB) / each) }, () => value);
      expect(await refusal(table().transact([{ put: { ...key, list } as Item }]))).toMatchObject({
        code: 'PAYLOAD_TOO_LARGE',
      });
    });
  });

  describe('a transaction', () => {
    it('accepts 100 writes, and rejects 101 or none', async () => {
      const pk = partition();
      const puts = (count: number) => Array.from({ length: count }, (_, i) => ({ put: { pk, sk: `k${i}` } }));
      expect(await table().transact(puts(100))).toEqual({ ok: true });
      expect(await refusal(table().transact(puts(101)))).toBeInstanceOf(Error);
      expect(await refusal(table().transact([]))).toBeInstanceOf(Error);
    });

    it('rejects two writes to a key', async () => {
      const key = { pk: partition(), sk: 'a' };
      expect(await refusal(table().transact([{ put: key }, { delete: key }]))).toBeInstanceOf(Error);
      expect(await refusal(table().transact([{ check: key, if: 'absent' }, { put: key }]))).toBeInstanceOf(Error);
      expect(await table().get(key)).toBeUndefined();
    });

    it('accepts just under 4 MB and rejects more', async () => {
      const pk = partition();
      const puts = (count: number) =>
        Array.from({ length: count }, (_, i) => ({ put: { pk, sk: `k${i}`, text: 'x'.repeat(390 * KB) } as Item }));
      expect(await table().transact(puts(10))).toEqual({ ok: true });
      expect(await refusal(table().transact(puts(11)))).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    });
  });
}
