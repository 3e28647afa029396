import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FREE_PIECES, MEAN_PIECE_BYTES, ResponseBody, WINDOW_BYTES } from '#lib/net/response-body.ts';

const MB = 1024 * 1024;

/** Passes `bytes` in pieces of the given lengths until `body` has enough. Returns the kept text. */
function give(body: ResponseBody, bytes: Buffer, lengths: number[]): string {
  for (let from = 0, i = 0; from < bytes.length; i++) {
    const length = lengths[i % lengths.length]!;
    if (body.take(bytes.subarray(from, from + length))) break;
    from += length;
  }
  return body.end();
}

describe('a kept body', () => {
  it('does not depend on the pieces, and is cut between two characters at its limit', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), lengths, fc.integer({ min: 1, max: 60 }), (text, cut, limit) => {
        const bytes = Buffer.from(text.toWellFormed());
        const body = new ResponseBody({ limit }, undefined);
        const kept = give(body, bytes, cut);
        expect(text.toWellFormed().startsWith(kept)).toBe(true);
        expect(Buffer.byteLength(kept)).toBeGreaterThan(Math.min(limit, bytes.length) - 4);
        expect(body.size).toBe(Math.min(limit, bytes.length));
      }),
    );
  });

  it('takes no more memory than its limit, in a million pieces or one', () => {
    for (const length of [1, MB]) {
      const body = new ResponseBody({ limit: 4096 }, undefined);
      expect(give(body, Buffer.alloc(MB, 'a'), [length])).toBe('a'.repeat(4096));
      expect(body.heldBytes).toBe(4096);
    }
  });
});

describe('a searched text', () => {
  it('is found at any position and for any pieces', () => {
    const before = fc.integer({ min: 0, max: 3 * WINDOW_BYTES });
    const cut = fc.array(fc.integer({ min: 1, max: 20_000 }), { minLength: 1 });
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).map((one) => one.toWellFormed());
    fc.assert(
      fc.property(before, cut, text, fc.constantFrom('x', 'ü', '€'), (count, lengths, find, filler) => {
        const bytes = Buffer.from(filler.repeat(count) + find + filler.repeat(100));
        const body = new ResponseBody({ limit: MB, find: [find] }, 'text/html; charset=utf-8');
        expect(give(body, bytes, lengths)).toBe('');
        expect(body.found).toEqual([find]);
      }),
      { numRuns: 30 },
    );
  });

  it('is not found if missing or after the limit', () => {
    const body = new ResponseBody({ limit: MB, find: ['needle'] }, undefined);
    give(body, Buffer.from(`${'need'.repeat(MB / 4)}needle`), [1000]);
    expect(body).toMatchObject({ found: [], size: MB });
  });

  it.each([1, 100, 65_536])('needs one window of memory for 1 MB in pieces of %i bytes', (length) => {
    const body = new ResponseBody({ limit: MB, find: ['needle'] }, undefined);
    give(body, Buffer.alloc(MB, 'a'), [length]);
    expect(body.size).toBe(MB);
    expect(body.heldBytes).toBeLessThanOrEqual(WINDOW_BYTES);
  });

  it('ends the reading when found', () => {
    const body = new ResponseBody({ limit: MB, find: ['needle'] }, undefined);
    give(body, Buffer.from(`needle${'a'.repeat(MB - 6)}`), [1024]);
    expect(body.size).toBe(WINDOW_BYTES);
  });
});

describe('a body in small pieces', () => {
  const hasTinyPieces = (count: number, length: number) => {
    const body = new ResponseBody({ limit: MB, find: ['needle'] }, undefined);
    for (let i = 0; i < count; i++) body.take(Buffer.alloc(length));
    return body.hasTinyPieces;
  };

  it('is recognized by the mean size of its pieces, after the first thousand', () => {
    expect(hasTinyPieces(FREE_PIECES, 1)).toBe(false);
    expect(hasTinyPieces(FREE_PIECES + 1, 1)).toBe(true);
    expect(hasTinyPieces(FREE_PIECES + 1, MEAN_PIECE_BYTES)).toBe(false);
  });
});

describe('the excerpt of a body', () => {
  it('is the same for any pieces and any other options', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
    const wants = fc.constantFrom({}, { find: ['nowhere to be found'] }, { isExcerptOnly: true });
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), lengths, fc.nat(60), wants, (text, cut, excerpt, wanted) => {
        const bytes = Buffer.from(text.toWellFormed());
        const body = new ResponseBody({ limit: MB, excerpt, ...wanted }, undefined);
        give(body, bytes, cut);
        expect(text.toWellFormed().startsWith(body.excerpt!)).toBe(true);
        expect(Buffer.byteLength(body.excerpt!)).toBeGreaterThan(Math.min(excerpt, bytes.length) - 4);
        expect(body.size).toBe(bytes.length);
      }),
    );
  });

  it('is the only part in memory if nothing else is needed', () => {
    const body = new ResponseBody({ limit: MB, excerpt: 10, isExcerptOnly: true }, undefined);
    give(body, Buffer.alloc(2 * MB, 'a'), [1000]);
    expect([body.heldBytes, body.size, body.excerpt]).toEqual([0, MB, 'aaaaaaaaaa']);
  });
});
