import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Instant, parseInstant } from '#lib/platform/instant.ts';
import { iso } from '#lib/platform/time.ts';

const AT = Date.UTC(2026, 10, 21, 5, 16, 40);

describe('parseInstant', () => {
  it.each([
    ['with Z', '2026-11-21T05:16:40Z', AT],
    ['with milliseconds', '2026-11-21T05:16:40.123Z', AT + 123],
    ['with nanoseconds, cut to milliseconds', '2026-11-21T05:16:40.123999999Z', AT + 123],
    ['without a zone, in UTC', '2026-11-21T05:16:40', AT],
    ['with an offset', '2026-11-21T07:16:40+02:00', AT],
    ['with a negative offset', '2026-11-20T23:46:40-05:30', AT],
    ['without seconds, in UTC', '2026-11-21T05:16', AT - 40_000],
    ['that is only a date, as the start of the day', '2026-11-21', Date.UTC(2026, 10, 21)],
    ['on a leap day', '2028-02-29T00:00:00Z', Date.UTC(2028, 1, 29)],
  ])('parses a time %s', (_name, text, ms) => {
    expect(parseInstant(text)).toBe(ms);
  });

  it.each([
    ['an empty text', ''],
    ['a word', 'yesterday'],
    ['epoch seconds', '1795238200'],
    ['a time without a date', '05:16:40'],
    ['a year and month', '2026-11'],
    ['month 13', '2026-13-01T00:00:00Z'],
    ['February 30', '2026-02-30T00:00:00Z'],
    ['a leap day in a common year', '2026-02-29'],
    ['hour 25', '2026-11-21T25:00:00Z'],
    ['minute 60', '2026-11-21T05:60:00Z'],
    ['second 60', '2026-11-21T05:16:60Z'],
    ['an offset of 24 hours', '2026-11-21T05:16:40+24:00'],
    ['an offset of 60 minutes', '2026-11-21T05:16:40+01:60'],
    ['midnight as hour 24', '2026-11-21T24:00:00Z'],
    ['the basic form', '20261121T051640Z'],
    ['a trailing space', '2026-11-21T05:16:40Z '],
    ['the American form', '11/21/2026'],
  ])('rejects %s', (_name, text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  it('parses each time that is returned by the API', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) }), (ms) => {
        expect(parseInstant(iso(ms))).toBe(ms);
      }),
    );
  });

  it('parses the same instant at each offset', () => {
    const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e12 }), offset, (ms, minutes) => {
        const local = iso(ms + minutes * 60_000).slice(0, -1);
        const [h, m] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
        const zone = `${minutes < 0 ? '-' : '+'}${String(h).padStart(2, '0')}:${String(m).padStart(2, '0')}`;
        fc.pre(!local.startsWith('-') && !local.startsWith('+'));
        expect(parseInstant(local + zone)).toBe(ms);
      }),
    );
  });
});

describe('Instant', () => {
  it('names the expected format in its error', () => {
    expect(Instant.safeParse('soon').error?.issues[0]?.message).toContain('ISO 8601');
  });
});
