import { describe, expect, it } from 'vitest';
import { mergeDeadline } from '#lib/alerting/decide/notes.ts';

describe('a wanted deadline merged with a stored one', () => {
  it('is the earlier of both', () => {
    expect(mergeDeadline({ deadline: 5 }, { deadline: 9 })).toEqual({ deadline: 5 });
    expect(mergeDeadline({ deadline: 9 }, { deadline: 5 })).toEqual({ deadline: 5 });
    expect(mergeDeadline(undefined, { deadline: 7 })).toEqual({ deadline: 7 });
  });

  it('keeps both notes', () => {
    const stored = { deadline: 5, note: { failed_at: 1, tries: 2 } };
    expect(mergeDeadline(stored, { deadline: 3, note: { out_of_order: true } })).toEqual({
      deadline: 3,
      note: { failed_at: 1, tries: 2, out_of_order: true },
    });
  });

  it('has the later of two retry series, whether it is stored or wanted', () => {
    const earlier = { deadline: 303, note: { failed_at: 3, tries: 1 } };
    const later = { deadline: 328, note: { failed_at: 268, tries: 0 } };
    const both = { deadline: 303, note: { failed_at: 268, tries: 0 } };
    expect(mergeDeadline(earlier, later)).toEqual(both);
    expect(mergeDeadline(later, earlier)).toEqual(both);
    const second = { deadline: 900, note: { failed_at: 3, tries: 2 } };
    expect(mergeDeadline(second, earlier)).toEqual({ deadline: 303, note: { failed_at: 3, tries: 2 } });
  });

  it('keeps a series when the wanted one has none', () => {
    const series = { deadline: 328, note: { failed_at: 268, tries: 0 } };
    expect(mergeDeadline(series, { deadline: 300 })).toEqual({ ...series, deadline: 300 });
  });
});
