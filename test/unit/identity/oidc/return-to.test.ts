import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { ReturnTo } from '#lib/identity/oidc/begin.ts';

const ORIGIN = 'https://status.example.com';
const isAccepted = (text: string) => ReturnTo.safeParse(text).success;

/** Texts that look like URLs, with characters that browsers ignore or read as a slash. */
const address = fc
  .array(
    fc.constantFrom(
      '/',
      '\\',
      '\t',
      '\n',
      '\r',
      ' ',
      '.',
      '@',
      ':',
      '#',
      '?',
      'evil.example',
      'https:',
      '%2f',
      '\u3000',
    ),
  )
  .map((parts) => parts.join(''));

it('accepts only paths of this service, as a browser reads them', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        address,
        address.map((text) => `/${text}`),
        fc.webPath(),
        fc.string(),
      ),
      (text) => {
        if (isAccepted(text)) expect(new URL(text, ORIGIN).origin).toBe(ORIGIN);
      },
    ),
  );
});

it.each(['/', '/#/checks', '/#/invitation', '/v1/health?a=b&c=%20', `/${'x'.repeat(499)}`])('accepts %s', (text) => {
  expect(isAccepted(text)).toBe(true);
});

it.each([
  '',
  'checks',
  '//evil.example',
  '/\\evil.example',
  '\\/evil.example',
  '/\t/evil.example',
  '/ä',
  'https://a.example',
])('rejects %j', (text) => {
  expect(isAccepted(text)).toBe(false);
});
