import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changedLabels, hasLabels, LabelFilter, Labels } from '#lib/catalog/labels.ts';
import { isFoundIn } from '#lib/platform/text.ts';

const key = fc.constantFrom('team', 'tier', 'a.b-c_9');
const value = fc.oneof(fc.constantFrom('', 'payments', 'a,b', 'a:b', 'x\\'), fc.string({ maxLength: 20 }));
const labels = fc.dictionary(key, value);
const term = fc.record({ key, value });

/** Formats terms as in a query. */
const format = (terms: { key: string; value: string }[]): string =>
  terms.map(({ key, value }) => `${key}:${value.replaceAll(',', '\\,')}`).join(',');

describe('label filters', () => {
  it('are parsed for any values', () => {
    // A value that ends with a backslash cannot be followed by another term.
    const plain = term.filter(({ value }) => !value.endsWith('\\'));
    fc.assert(
      fc.property(fc.array(fc.array(plain, { minLength: 1, maxLength: 3 }), { maxLength: 3 }), (wanted) => {
        expect(LabelFilter.parse(wanted.map(format))).toEqual(wanted);
      }),
    );
  });

  it('match when one term of each list matches', () => {
    fc.assert(
      fc.property(labels, fc.array(fc.array(term, { minLength: 1, maxLength: 3 }), { maxLength: 3 }), (has, wanted) => {
        const expected = wanted.every((some) =>
          some.some((one) => Object.hasOwn(has, one.key) && has[one.key] === one.value),
        );
        expect(hasLabels(has, wanted)).toBe(expected);
      }),
    );
  });

  it('match more with more terms in a list, and less with more lists', () => {
    fc.assert(
      fc.property(labels, fc.array(fc.array(term, { minLength: 1 }), { minLength: 1 }), term, (has, wanted, more) => {
        const before = hasLabels(has, wanted);
        if (before) expect(hasLabels(has, [[...wanted[0]!, more], ...wanted.slice(1)])).toBe(true);
        else expect(hasLabels(has, [...wanted, [more]])).toBe(false);
      }),
    );
  });
});

describe('changes of labels', () => {
  const changes = fc.dictionary(key, fc.option(value.filter((text) => Labels.safeParse({ a: text }).success)));
  const stored = fc.dictionary(
    key,
    value.filter((text) => Labels.safeParse({ a: text }).success),
  );

  it('set and remove the named keys, and keep the others', () => {
    fc.assert(
      fc.property(stored, changes, (before, patch) => {
        const after = changedLabels(before, patch);
        for (const name of new Set([...Object.keys(before), ...Object.keys(patch)])) {
          const expected = Object.hasOwn(patch, name) ? (patch[name] ?? undefined) : before[name];
          expect(after[name]).toBe(expected);
        }
        expect(changedLabels(after, patch)).toEqual(after);
      }),
    );
  });
});

describe('text filters', () => {
  it('ignore case, and match anywhere in any of the texts', () => {
    fc.assert(
      fc.property(fc.string(), fc.string({ minLength: 1 }), fc.string(), (before, words, after) => {
        const text = before + words.toUpperCase() + after;
        // Context-dependent case, such as a final sigma, is not relevant for searches.
        fc.pre(/^[\x20-\x7e]*$/.test(text));
        expect(isFoundIn(words, ['', undefined, text])).toBe(true);
        expect(isFoundIn(words.toLowerCase(), [text.toLowerCase()])).toBe(true);
      }),
    );
    expect(isFoundIn('GRÜSSE', ['schöne grüsse'])).toBe(true);
    // An accented letter is one character, or a letter and a combining accent.
    expect(isFoundIn('caf\u00e9', ['Cafe\u0301 du nord'])).toBe(true);
    expect(isFoundIn('shop', [undefined, 'mail'])).toBe(false);
  });
});
