import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { derivedId, makeIds, timeOf } from '#lib/platform/ids.ts';

describe('ids', () => {
  it('sort by time', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 45), fc.nat(2 ** 45), (a, b) => {
        fc.pre(a !== b);
        expect(derivedId('res', a, 'x') < derivedId('res', b, 'x')).toBe(a < b);
      }),
    );
  });

  it('contain their time', () => {
    fc.assert(
      fc.property(fc.nat(2 ** 45), (at) => {
        expect(timeOf(derivedId('dlv', at, 'x'))).toBe(at);
      }),
    );
  });

  it('are derived from their parts', () => {
    expect(derivedId('dlv', 1, 'a', 'b')).toBe(derivedId('dlv', 1, 'a', 'b'));
    expect(derivedId('dlv', 1, 'a', 'b')).not.toBe(derivedId('dlv', 1, 'ab'));
  });

  it('never repeat, nor do versions and secrets', () => {
    const ids = makeIds({ now: () => 1 });
    for (const make of [() => ids.id('chk'), ids.token, ids.secret]) {
      expect(new Set(Array.from({ length: 1000 }, make)).size).toBe(1000);
    }
  });

  it.each([
    ['all low', new Uint8Array(16)],
    ['all high except the first, so that an increment changes each digit', new Uint8Array(16).fill(31, 1)],
  ])('sort in order of creation within a millisecond (drawn: %s)', (_, drawn) => {
    const ids = makeIds({ now: () => 1 }, () => drawn);
    const made = Array.from({ length: 1100 }, () => ids.id('aud'));
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(1100);
  });

  it('draw new random bytes in another millisecond', () => {
    let now = 1;
    const ids = makeIds({ now: () => now });
    const first = ids.id('aud');
    now = 2;
    expect(ids.id('aud').slice(-8)).not.toBe(first.slice(-8));
  });

  it('create secrets of 43 letters and digits', () => {
    expect(makeIds({ now: () => 1 }).secret()).toMatch(/^[0-9A-Za-z]{43}$/);
  });
});
