import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maskSecrets } from '#lib/results/pings/mask-secrets.ts';

describe('the output of a job', () => {
  it.each([
    ['password=hunter2 host=db1', 'password=******** host=db1'],
    ['DB_PASSWORD: hunter2', 'DB_PASSWORD: ********'],
    ['PGPASSWORD="a b" pg_dump', 'PGPASSWORD="********" pg_dump'],
    ["passwd => 'hunter2'", "passwd => '********'"],
    ['{"password": "hun\\"ter2", "user": "ann"}', '{"password": "********", "user": "ann"}'],
    ['{\\"client_secret\\": \\"hunter2\\", \\"user\\": 1}', '{\\"client_secret\\": \\"********\\", \\"user\\": 1}'],
    ['https://api.example.com/?token=hunter2&page=2', 'https://api.example.com/?token=********&page=2'],
    ['X-Api-Key: hunter2', 'X-Api-Key: ********'],
    ['the api key: hunter2', 'the api key: ********'],
    ['Authorization: Basic aHVudGVyMg==\nAccept: */*', 'Authorization: ********\nAccept: */*'],
    ['curl -H "Authorization: Bearer hunter2" x', 'curl -H "Authorization: ********" x'],
    ['sent Bearer hunter2.abc', 'sent Bearer ********'],
    ['mysqldump --password hunter2 shop', 'mysqldump --password ******** shop'],
    ['mysqldump --password=hunter2 shop', 'mysqldump --password=******** shop'],
    ['postgres://shop:hunter2@db1/shop', 'postgres://shop:********@db1/shop'],
    ['redis://:hunt@er2@db1', 'redis://:********@db1'],
    ['key AKIAIOSFODNN7EXAMPLE is old', 'key ******** is old'],
    [
      'a\n-----BEGIN OPENSSH PRIVATE KEY-----\nhunter2\nhunter2\n-----END OPENSSH PRIVATE KEY-----\nb',
      'a\n********\nb',
    ],
    ['-----BEGIN RSA PRIVATE KEY-----\nhunter2 and it was cut', '********'],
  ])('%s', (text, masked) => expect(maskSecrets(text)).toBe(masked));

  it.each([
    'pg_dump: error: connection to server at "db1" failed: Connection refused',
    'copied 3 tables, 1.2 GB in 14:03',
    'token expired, see https://example.com:8443/docs',
    'password authentication failed for user "shop"',
    'grün: 日本語',
  ])('is unchanged without a secret: %s', (text) => expect(maskSecrets(text)).toBe(text));
});

/** Realistic values without separators. */
const secret = fc
  .string({ minLength: 6, maxLength: 40 })
  .filter((text) => /^[\w.~+/=-]+$/.test(text) && !text.startsWith('-'));
const prose = fc
  .string({ maxLength: 60 })
  .filter((text) => !/pass|secret|token|api|key|auth|cred|bearer|:\/\/|["'\\]/i.test(text));
const name = fc.constantFrom('password', 'DB_PASSWD', 'clientSecret', 'access_token', 'API-KEY', 'apikey');
const form = fc.constantFrom(
  (name: string, value: string) => `${name}=${value}`,
  (name: string, value: string) => `${name}: ${value}`,
  (name: string, value: string) => `"${name}": "${value}"`,
  (name: string, value: string) => `--${name} ${value}`,
  (_: string, value: string) => `Authorization: Basic ${value}`,
  (_: string, value: string) => `https://ann:${value.replaceAll('/', 'x')}@db1/x`,
);

it('masks a secret in any of these forms, in any context, idempotently', () => {
  fc.assert(
    fc.property(prose, name, secret, form, prose, (before, name, value, write, after) => {
      fc.pre(!before.includes(value) && !after.includes(value));
      const written = write(name, value);
      const masked = maskSecrets(`${before} ${written}\n${after}`);
      expect(masked).toContain('********');
      expect(masked.slice(before.length)).not.toContain(written.includes(value) ? value : value.replaceAll('/', 'x'));
      expect(maskSecrets(masked)).toBe(masked);
    }),
  );
});

it('masks any text idempotently', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 2000, unit: 'binary' }), (text) => {
      const masked = maskSecrets(text);
      expect(maskSecrets(masked)).toBe(masked);
    }),
  );
});
