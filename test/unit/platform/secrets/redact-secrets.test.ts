import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headerSecrets } from '#lib/platform/secrets/header-secrets.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import { decodingsOf, redactorOf } from '#lib/platform/secrets/redact-secrets.ts';
import { ENCODINGS } from '#test/support/encodings.ts';

const PUNCTUATION = `+/=&<>"'%.*?()[]{}|^$\\-_~`;
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const secrets = fc.string({ unit: fc.constantFrom(...LETTERS, ...PUNCTUATION), minLength: 8, maxLength: 60 });
const ways = fc.constantFrom(...Object.values(ENCODINGS));

/** Returns the number of characters outside of masks. */
const unmasked = (text: string): number => text.replaceAll('*', '').length;

describe('a secret', () => {
  it.each(Object.keys(ENCODINGS))('is found %s in any surrounding text', (way) => {
    fc.assert(
      fc.property(secrets, fc.constantFrom('', ' ', 'a', 'id: "', '{\n  "x": "'), (secret, before) => {
        const text = `${before}${ENCODINGS[way]!(secret)}" and so on`;
        // May remain: padding of base64, and a digit that contains bits of the character next to the secret.
        expect(unmasked(redactorOf([secret])(text)) - unmasked(before) - unmasked('" and so on')).toBeLessThanOrEqual(
          3,
        );
      }),
    );
  });

  it('is found in two nested encodings', () => {
    // May remain: padding of base64 in the second encoding.
    fc.assert(
      fc.property(secrets, ways, ways, (secret, first, second) => {
        const left = redactorOf([secret])(`got ${second(first(secret))}`);
        expect(unmasked(left)).toBeLessThanOrEqual('got '.length + second('==').length + 2);
      }),
      { numRuns: 1000 },
    );
  });

  it('is found at the end of a truncated text that contains at least its first four characters', () => {
    fc.assert(
      fc.property(secrets, ways, fc.nat(), (secret, write, at) => {
        const whole = write(secret);
        const least = write(secret.slice(0, 4)).replace(/=+$/, '').length + 2;
        fc.pre(whole.length > least);
        const text = `got ${whole.slice(0, least + (at % (whole.length - least)))}`;
        // May remain after `got `: a part of an escape or of a digit, which reveals less than a character.
        const left = redactorOf([secret])(text, true);
        expect(unmasked(left)).toBeLessThanOrEqual('got '.length + 12);
        expect(left).toContain(REDACTED);
      }),
    );
  });

  it('is found by any sixteen of its characters', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 16, maxLength: 99 }), fc.nat(), (secret, at) => {
        const start = at % (secret.length - 15);
        expect(redactorOf([secret])(`<<${secret.slice(start, start + 16)}>>`)).toContain(REDACTED);
      }),
    );
  });

  it('is found in each encoding if it is not ASCII', () => {
    for (const write of Object.values(ENCODINGS)) {
      expect(redactorOf(['pässwörd-ß'])(`got ${write('pässwörd-ß')} `)).toContain(REDACTED);
    }
    expect(redactorOf(['pässwörd-ß'])('p%E4ssw%F6rd-%DF')).toBe(REDACTED);
  });

  it('is found in another letter case', () => {
    expect(redactorOf(['SecretToken'])('GET /SECRETTOKEN, secrettoken')).toBe(`GET /${REDACTED}, ${REDACTED}`);
  });

  it('is found in a text shortened with an ellipsis', () => {
    expect(redactorOf(['SECRETTOKEN0123'])('redirected to /SECRETT…')).toBe(`redirected to /${REDACTED}…`);
  });
});

describe('text without secrets', () => {
  it('stays unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(redactorOf(['\u{1F511}'.repeat(8)])(text)).toBe(text);
        expect(redactorOf([])(text)).toBe(text);
      }),
    );
  });

  it.each([
    ['a value of one or two characters', '1', '{"id": 1, "n": 11}', '{"id": 1, "n": 11}'],
    ['a short value inside a word', 'prod', 'product of prod', `product of ${REDACTED}`],
    ['a short value in a number', '2026', '120260 2026-01', `120260 ${REDACTED}-01`],
    ['the beginning of a secret at the end of a complete text', 'services/T0', 'no service', 'no service'],
    ['an empty value', '', 'a  b', 'a  b'],
  ])('redacts only the secret: %s', (_what, secret, text, left) => {
    expect(redactorOf([secret])(text)).toBe(left);
  });
});

describe('secrets in request headers', () => {
  const basic = `Basic ${Buffer.from('ops:hush').toString('base64')}`;
  it.each([
    ['a value', { 'X-Key': 'sk_live_9' }, '{"x-key":"sk_live_9"}', `{"x-key":"${REDACTED}"}`],
    ['a token sent with a scheme', { Authorization: 'Bearer abcdef' }, 'no token abcdef', `no token ${REDACTED}`],
    [
      'a token after its scheme, which remains',
      { Authorization: 'Bearer abcdef' },
      'Bearer abcdef',
      `Bearer ${REDACTED}`,
    ],
    ['Basic as it was sent', { authorization: basic }, `got ${basic}`, `got Basic ${REDACTED}`],
    ['user and password of Basic', { authorization: basic }, 'no user ops:hush', `no user ${REDACTED}`],
    ['the password of Basic', { authorization: basic }, 'wrong: "hush"', `wrong: "${REDACTED}"`],
    ['one of several cookies', { Cookie: 'theme=dark1; sid=abc123' }, '{"sid":"abc123"}', `{"sid":"${REDACTED}"}`],
  ])('are found: %s', (_what, headers, text, left) => {
    expect(redactorOf(headerSecrets(headers as Record<string, string>))(text)).toBe(left);
  });
});

it('takes linear time for any text', () => {
  const layers = (text: string): string => {
    let whole = text;
    for (let i = 0; i < 6; i++) whole = Buffer.from(whole).toString('base64').slice(0, 4096);
    return whole;
  };
  const texts = ['a', '\\', '%25', '&amp;', '%2525', 'ab12', '\\\\u005c'].map((unit) =>
    unit.repeat(4096 / unit.length),
  );
  for (const text of [...texts, layers('x'.repeat(4096))]) {
    const lengths = [...decodingsOf(text)].map((reading) => reading.text.length);
    expect(lengths.reduce((sum, length) => sum + length)).toBeLessThanOrEqual(36 * text.length);
  }
});
