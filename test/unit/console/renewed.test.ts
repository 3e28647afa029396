import { describe, expect, it } from 'vitest';
import { renewed } from '#console/rules/renewed.ts';

describe('renewed', () => {
  const items = (...ids: number[]) => ids.map((id) => ({ id: `${id}` }));
  const old = items(5, 4, 3, 2, 1);

  it('puts new items before older ones', () => {
    expect(renewed(old, items(7, 6, 5, 4), false)).toEqual(items(7, 6, 5, 4, 3, 2, 1));
  });

  it('drops items that no longer exist', () => {
    expect(renewed(old, items(6, 5, 3), false)).toEqual(items(6, 5, 3, 2, 1));
    expect(renewed(old, items(6), true)).toEqual(items(6));
  });

  it('returns undefined if the new items do not reach the older ones', () => {
    expect(renewed(old, items(9, 8), false)).toBeUndefined();
  });
});
