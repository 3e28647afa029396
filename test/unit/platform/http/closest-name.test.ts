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

describe('the nearest known name', () => {
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
  ])('of %s is %s', (name, near) => expect(closestName(name, KNOWN)).toBe(near));

  it.each(['colour', 'message', 'is', '', '__proto__', 'ü', 'x'.repeat(100_000)])('of %s is none', (name) =>
    expect(closestName(name, KNOWN)).toBeUndefined(),
  );

  it('of nothing known is none', () => expect(closestName('a', [])).toBeUndefined());

  it('is a known one or none, whatever is asked for', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.array(fc.string()), (name, names) => {
        const near = closestName(name, names);
        expect(near === undefined || names.includes(near)).toBe(true);
      }),
    );
  });

  it('is the name itself when it is there, also in camel case or with hyphens', () => {
    fc.assert(
      fc.property(known, (name) => {
        const camel = name.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
        for (const spelt of [name, camel, name.replaceAll('_', '-')]) expect(closestName(spelt, KNOWN)).toBe(name);
      }),
    );
  });

  it('is found behind any one slip of the keyboard', () => {
    fc.assert(
      fc.property(known, fc.nat(), fc.constantFrom('drop', 'double', 'swap', 'wrong'), (name, place, slip) => {
        const at = place % (name.length - 1);
        const [before, here, next, rest] = [name.slice(0, at), name[at]!, name[at + 1]!, name.slice(at + 2)];
        const typed = {
          drop: before + next + rest,
          double: before + here + here + next + rest,
          swap: before + next + here + rest,
          wrong: `${before}q${next}${rest}`,
        }[slip];
        expect(closestName(typed, KNOWN)).toBe(name);
      }),
    );
  });
});

describe('the distance of two words', () => {
  const word = fc.string({ maxLength: 12 });

  it('is none to itself alone, the same both ways, and at most the longer word', () => {
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

  it('counts two letters that changed places once', () => expect(editDistance('form', 'from')).toBe(1));
});
