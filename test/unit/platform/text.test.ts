import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Email } from '#lib/access/account.ts';
import { notFound } from '#lib/platform/errors.ts';
import { refusal } from '#lib/platform/http/validation.ts';
import { Name, shorten } from '#lib/platform/text.ts';

describe('a name', () => {
  it.each(['Web shop (EU)', 'Bücher & Co. <b>', '数据库', 'می‌خواهم', '👩‍👩‍👧 family', '🏳️‍🌈', '❤️', 'e\u0301', '-'])(
    'can be %s',
    (name) => {
      expect(Name.safeParse(name).success).toBe(true);
    },
  );

  it.each([
    ['a line break', 'a\nb'],
    ['a line separator', 'a\u2028b'],
    ['NUL', 'a\0'],
    ['a control character of Latin-1', 'a\u0085'],
    ['reversed text', 'db-\u202enimda'],
    ['an isolate', '\u2066db\u2069'],
    ['a zero-width space', 'db\u200b'],
    ['a byte order mark', '\ufeffdb'],
    ['invisible tags', `db${String.fromCodePoint(0xe0069, 0xe0067)}`],
    ['half a character', 'a\ud800'],
    ['a character of private use', 'a\ue000'],
    ['joiners alone', '\u200d\u200c'],
  ])('must not contain %s', (_what, name) => {
    expect(Name.safeParse(name).success).toBe(false);
  });
});

describe('an e-mail address', () => {
  it.each(['ann@example.com', 'admin@localhost', "o'neil+fleet@example.com", 'jürgen@bücher.example'])(
    'can be %s',
    (email) => {
      expect(Email.safeParse(email).success).toBe(true);
    },
  );

  it.each([
    '"><script>@x',
    'a@x>',
    'a\0@x.test',
    'nimda\u202e@x.test',
    'a\u200d@x.test',
    'a\u200b@x.test',
    'Ann <ann@example.com>',
    'ann@example.com,bob@example.com',
    'a(b)@x.test',
    'a@x.test;b',
    'a\\@x.test',
    'a@b@c',
  ])('must not be %j', (email) => {
    expect(Email.safeParse(email).success).toBe(false);
  });
});

describe('shorten', () => {
  it('never exceeds its limit, keeps short texts, and cuts between characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.integer({ min: 2, max: 40 }), (text, max) => {
        const short = shorten(text, max);
        expect(short.length).toBeLessThanOrEqual(max);
        expect(short.isWellFormed()).toBe(true);
        if (text.length <= max) expect(short).toBe(text);
        else expect(text.startsWith(short.slice(0, -1))).toBe(true);
      }),
    );
  });

  it('cuts the name or path in an error between characters at any length', () => {
    for (let length = 295; length < 505; length++) {
      const name = `${'x'.repeat(length)}💾💾💾`;
      const { details } = refusal([{ path: name, message: 'is not known' }]);
      expect(`${notFound(name).message}${details?.[0]?.path}`.isWellFormed()).toBe(true);
    }
  });
});
