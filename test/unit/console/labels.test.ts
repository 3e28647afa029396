import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { labelChanges, labelChoices, labelTerm } from '#console/rules/labels.ts';
import { LabelFilter } from '#lib/catalog/labels.ts';

const labels = fc.dictionary(fc.constantFrom('team', 'tier', 'area'), fc.constantFrom('', 'a', 'a,b'));

describe('labelChanges', () => {
  it('returns the changes between two label sets, without unchanged labels', () => {
    fc.assert(
      fc.property(labels, labels, (before, after) => {
        const changes = labelChanges(before, after);
        const merged = Object.entries({ ...before, ...changes }).filter(([, value]) => value !== null);
        expect(Object.fromEntries(merged)).toEqual(after);
        for (const [key, value] of Object.entries(changes)) expect(before[key]).not.toBe(value);
      }),
    );
  });
});

describe('labelTerm and labelChoices', () => {
  it('writes a term that the API parses', () => {
    fc.assert(
      fc.property(fc.constantFrom('team', 'a.b'), fc.constantFrom('x', 'a,b', 'a:b', ''), (key, value) => {
        expect(LabelFilter.parse([labelTerm(key, value)])).toEqual([[{ key, value }]]);
      }),
    );
  });

  it('lists each term once, sorted, including the chosen one', () => {
    const all = [{ labels: { team: 'b' } }, { labels: { team: 'a', tier: '1' } }, { labels: { team: 'b' } }];
    expect(labelChoices(all, 'team:gone')).toEqual(['team:a', 'team:b', 'team:gone', 'tier:1']);
    expect(labelChoices([], '')).toEqual([]);
  });
});
