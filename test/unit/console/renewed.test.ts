import { describe, expect, it } from 'vitest';
import { renewed } from '#console/rules/renewed.ts';

describe('a list that is read again from its beginning', () => {
  const items = (...ids: number[]) => ids.map((id) => ({ id: `${id}` }));
  const old = items(5, 4, 3, 2, 1);

  it('has what is new in front, and what is older behind', () => {
    expect(renewed(old, items(7, 6, 5, 4), false)).toEqual(items(7, 6, 5, 4, 3, 2, 1));
  });

  it('drops what is not there any more', () => {
    expect(renewed(old, items(6, 5, 3), false)).toEqual(items(6, 5, 3, 2, 1));
    expect(renewed(old, items(6), true)).toEqual(items(6));
  });

  it('is read anew where there is a gap', () => {
    expect(renewed(old, items(9, 8), false)).toBeUndefined();
  });
});
