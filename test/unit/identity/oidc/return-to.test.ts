import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { ReturnTo } from '#lib/identity/oidc/begin.ts';

const ORIGIN = 'https://status.example.com';
const isTaken = (text: string) => ReturnTo.safeParse(text).success;

/** Texts that look like addresses, with what browsers leave out or take for a slash. */
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

it('what is taken leads nowhere but to this service, as a browser reads it', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        address,
        address.map((text) => `/${text}`),
        fc.webPath(),
        fc.string(),
      ),
      (text) => {
        if (isTaken(text)) expect(new URL(text, ORIGIN).origin).toBe(ORIGIN);
      },
    ),
  );
});

it.each(['/', '/#/checks', '/#/invitation', '/v1/health?a=b&c=%20', `/${'x'.repeat(499)}`])('%s is taken', (text) => {
  expect(isTaken(text)).toBe(true);
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
])('%j is not', (text) => {
  expect(isTaken(text)).toBe(false);
});
