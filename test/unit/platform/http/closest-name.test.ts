import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closestName, editDistance } from '#lib/platform/http/closest-name.ts';

const KNOWN = [
  'label',
  'is_read_only',
  'target_url',
  'expected_status',
  'body_contains',
  'interval_seconds',
  'timeout_ms',
  'cooldown_seconds',
  'check_type',
];
const known = fc.constantFrom(...KNOWN);

describe('closestName', () => {
  it.each([
    ['read_only', 'is_read_only'],
    ['readOnly', 'is_read_only'],
    ['isReadOnly', 'is_read_only'],
    ['lable', 'label'],
    ['url', 'target_url'],
    ['expected_statuss', 'expected_status'],
    ['body_not_contains', 'body_contains'],
    ['cooldown', 'cooldown_seconds'],
    ['check-type', 'check_type'],
    ['TIMEOUT_MS', 'timeout_ms'],
  ])('returns for %s: %s', (name, near) => expect(closestName(name, KNOWN)).toBe(near));

  it.each(['shade', 'message', 'is', '', '__proto__', 'ü', 'x'.repeat(100_000)])('returns undefined for %s', (name) =>
    expect(closestName(name, KNOWN)).toBeUndefined(),
  );

  it('returns undefined without known names', () => expect(closestName('a', [])).toBeUndefined());

  it('returns a known name or undefined for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.string()), (name, names) => {
        const near = closestName(name, names);
        expect(near === undefined || names.includes(near)).toBe(true);
      }),
    );
  });

  it('ignores camel case and hyphens', () => {
    fc.assert(
      fc.property(known, (name) => {
        const camel = name.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
        for (const spelt of [name, camel, name.replaceAll('_', '-')]) expect(closestName(spelt, KNOWN)).toBe(name);
      }),
    );
  });

  it('finds the name after any single typing mistake', () => {
    fc.assert(
      fc.property(known, fc.nat(), fc.constantFrom('drop', 'double', 'swap', 'wrong'), (name, place, mistake) => {
        const at = place % (name.length - 1);
        const [before, here, next, rest] = [name.slice(0, at), name[at]!, name[at + 1]!, name.slice(at + 2)];
        const typed = {
          drop: before + next + rest,
          double: before + here + here + next + rest,
          swap: before + next + here + rest,
          wrong: `${before}q${next}${rest}`,
        }[mistake];
        expect(closestName(typed, KNOWN)).toBe(name);
      }),
    );
  });
});

describe('editDistance', () => {
  const word = fc.string({ maxLength: 12 });

  it('is symmetric, 0 only for equal words, and at most the length of the longer word', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const distance = editDistance(a, b);
        expect(distance === 0).toBe(a === b);
        expect(distance).toBe(editDistance(b, a));
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length));
        expect(distance).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
      }),
    );
  });

  it('counts two swapped letters once', () => expect(editDistance('form', 'from')).toBe(1));
});
