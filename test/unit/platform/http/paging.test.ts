import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { AppError } from '#lib/platform/errors.ts';
import {
  decodeCursor,
  encodeCursor,
  gather,
  ListQuery,
  limitParam,
  listOf,
  listReply,
  Position,
  type Reader,
} from '#lib/platform/http/paging.ts';

/**
 * Returns a reader of `count` records in pages of at most `page`. It omits each tenth record, so pages can be empty.
 */
function listWith(count: number, page = 7, size = 1): Reader<{ n: number; text: string }> {
  return async (after, limit) => {
    const from = after === undefined ? 0 : Number(after) + 1;
    const to = Math.min(count, from + Math.min(limit, page));
    const found = Array.from({ length: to - from }, (_, i) => from + i)
      .filter((n) => n % 10 !== 9)
      .map((n) => ({ at: String(n), value: { n, text: 'x'.repeat(size) } }));
    return { found, ...(to < count && { next: String(to - 1) }) };
  };
}

const all = (count: number): number[] => Array.from({ length: count }, (_, n) => n).filter((n) => n % 10 !== 9);

describe('gather', () => {
  it('ends a page when its reader has enough, and continues there', async () => {
    const read: Reader<number> = async (after) => {
      const from = Number(after ?? 0);
      const found = from === 0 ? [] : [{ at: String(from), value: from }];
      return { found, ...(from < 3 && { next: String(from + 1) }), enough: from === 1 };
    };
    expect(await gather(read)).toEqual({ values: [1], next: '2' });
    expect(await gather(read, { after: '2' })).toEqual({ values: [2, 3] });
  });

  it('finds each record once for any pages and limits', async () => {
    const small = fc.integer({ min: 1, max: 40 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 120 }), small, small, async (count, page, limit) => {
        const seen: number[] = [];
        let after: string | undefined;
        do {
          const part = await gather(listWith(count, page), { after, limit });
          expect(part.values.length).toBeLessThanOrEqual(limit);
          seen.push(...part.values.map(({ n }) => n));
          after = part.next;
        } while (after !== undefined);
        expect(seen).toEqual(all(count));
      }),
    );
  });

  it('reports the end of a list that ends at the limit', async () => {
    expect(await gather(listWith(9), { limit: 9 })).not.toHaveProperty('next');
    expect(await gather(listWith(9), { limit: 8 })).toHaveProperty('next', '7');
  });

  it('stops at 4 MB and continues from there', async () => {
    const first = await gather(listWith(9, 7, 1_000_000));
    expect(first.values.map(({ n }) => n)).toEqual([0, 1, 2]);
    const second = await gather(listWith(9, 7, 1_000_000), { after: first.next });
    expect(second.values[0]?.n).toBe(3);
  });

  it('returns a record of more than 4 MB alone', async () => {
    const part = await gather(listWith(3, 7, 5_000_000));
    expect(part.values).toHaveLength(1);
    expect(part.next).toBe('0');
  });
});

describe('a cursor', () => {
  it('restores its position', () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (scope, position) => {
        const round = JSON.parse(JSON.stringify(position));
        expect(decodeCursor(scope, encodeCursor(scope, position), z.unknown())).toEqual(round);
      }),
    );
  });

  it('is rejected with an AppError if it is any other text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => decodeCursor('a list', text, Position)).toThrow(AppError);
      }),
    );
  });

  it.each([
    ['it belongs to another list', encodeCursor('b', 'x')],
    ['its position is not a valid key', encodeCursor('a', 'ü')],
    ['its position has another type', encodeCursor('a', 7)],
    ['it is followed by other text', `${encodeCursor('a', 'x')}!!!`],
    ['it has padding', `${encodeCursor('a', 'xy')}==`],
    ['it is JSON but not a cursor', Buffer.from('{"a":1}').toString('base64url')],
  ])('is rejected if %s', (_name, cursor) => {
    expect(() => decodeCursor('a', cursor, Position)).toThrow('is not a cursor of this list');
  });

  it('is the start of the list if absent', () => {
    expect(decodeCursor('a', undefined, Position)).toBeUndefined();
  });
});

describe('limitParam', () => {
  const limit = limitParam(50, 500);
  it.each([
    [undefined, 50],
    ['1', 1],
    ['007', 7],
    ['500', 500],
    ['501', 500],
    ['99999999999999999999999', 500],
  ])('accepts %s as %s', (text, value) => {
    expect(limit.parse(text)).toBe(value);
  });
  it.each(['0', '000', '-1', 'abc', '', '1.5', '1e3', ' 1', '+1', '٣'])('rejects "%s"', (text) => {
    expect(limit.safeParse(text).success).toBe(false);
  });
});

describe('listReply', () => {
  const url = (query: string, path = '/v1/things') => ({ path, search: new URLSearchParams(query) });

  it('has a Link with the query and the new cursor while more remains', () => {
    const { headers } = listReply([], url('limit=2&cursor=old&x=a%20b'), 'next1');
    expect(headers.link).toBe('</v1/things?limit=2&cursor=next1&x=a+b>; rel="next"');
  });
  it('has no Link at the end', () => {
    expect(listReply([], url('limit=2'), undefined).headers).toEqual({});
  });
  it('is ASCII on one line for any path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(listReply([], url('', `/v1/${text}`), 'n').headers.link).toMatch(/^[\x20-\x7e]*$/);
      }),
    );
    expect(listReply([], url('', '/v1/a%2Fb'), 'n').headers.link).toContain('/v1/a%2Fb?');
  });
});

describe('listOf', () => {
  it('leads from page to page by its own cursors', async () => {
    const call = (query: string) => {
      const search = new URLSearchParams(query);
      return { query: ListQuery.parse(Object.fromEntries(search)), url: { path: '/v1/things', search } };
    };
    const first = await listOf('t things', call('limit=5'), listWith(8));
    expect(first.value.map(({ n }) => n)).toEqual([0, 1, 2, 3, 4]);
    const next = /\?(.*)>; rel="next"$/.exec(first.headers.link!)![1]!;
    const second = await listOf('t things', call(next), listWith(8));
    expect(second.value.map(({ n }) => n)).toEqual([5, 6, 7]);
    expect(second.headers).toEqual({});
    await expect(listOf('u things', call(next), listWith(8))).rejects.toThrow('cursor');
  });
});
