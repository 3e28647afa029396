import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openTable } from '#infra/local/store/sqlite-table.ts';
import { under } from '#lib/keys.ts';
import type { Query } from '#lib/platform/ports.ts';
import { allOf, itemsOf, pagesOf } from '#lib/platform/table/pages.ts';

/** A partition of `count` items, and a record of its reads. */
async function partition(count: number) {
  const store = openTable({ file: ':memory:' });
  const sks = Array.from({ length: count }, (_, i) => `R#${String(i).padStart(3, '0')}`);
  await store.putMany([...sks, 'Q', 'S'].map((sk) => ({ pk: 'p', sk })));
  const reads: Query[] = [];
  const query: typeof store.query = (asked) => {
    reads.push(asked);
    return store.query(asked);
  };
  return { sks, reads, table: { query } };
}

const RESULTS = { partition: 'p', ...under('R#') };

describe('pagesOf and itemsOf', () => {
  it('find each item once in order, with one read per page of any size', async () => {
    const size = fc.integer({ min: 1, max: 20 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 60 }), size, fc.boolean(), async (count, limit, descending) => {
        const { table, sks, reads } = await partition(count);
        const query = { ...RESULTS, limit, descending };
        const wanted = descending ? sks.toReversed() : sks;
        expect((await allOf(table, query)).map(({ sk }) => sk)).toEqual(wanted);
        expect(reads).toHaveLength(Math.max(1, Math.ceil(count / limit)));

        const found: string[] = [];
        for await (const { sk } of itemsOf(table, query)) found.push(sk);
        expect(found).toEqual(wanted);
        for await (const page of pagesOf(table, query)) expect(page.length).toBeLessThanOrEqual(limit);
      }),
      { numRuns: 50 },
    );
  });

  it('read no page that the consumer does not reach', async () => {
    const { table, sks, reads } = await partition(30);
    for await (const { sk } of itemsOf(table, { ...RESULTS, limit: 10 })) if (sk === sks[19]) break;
    expect(reads).toHaveLength(2);
  });

  it('start after the given position', async () => {
    const { table, sks } = await partition(30);
    const rest = await allOf(table, { ...RESULTS, limit: 10, after: sks[24] });
    expect(rest.map(({ sk }) => sk)).toEqual(sks.slice(25));
  });

  it('pass a failed read to the consumer', async () => {
    const { table, reads } = await partition(30);
    const query: typeof table.query = (asked) =>
      reads.length === 2 ? Promise.reject(new Error('disk full')) : table.query(asked);
    await expect(allOf({ query }, { ...RESULTS, limit: 10 })).rejects.toThrow('disk full');
  });
});
