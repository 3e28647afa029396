import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blockedReason, blockList } from '#lib/net/address-ranges.ts';
import { allowHost, allowUrl, resolveAllowed } from '#lib/net/egress.ts';

describe('allowHost', () => {
  it.each([
    ['127.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0x7f000001', '127.0.0.1'],
    ['[::1]', '::1'],
    ['::1', '::1'],
    ['Example.COM.', 'example.com'],
    ['bücher.de', 'xn--bcher-kva.de'],
  ])('converts %s to %s', (host, canonical) => {
    expect(allowHost(host, 'any', [])).toMatchObject({ ok: true, host: canonical });
  });

  it.each([
    '',
    ' ',
    'a b',
    'a/b',
    'a@b',
    'a:80',
    'a?b',
    '-x.dev',
    'x-.dev',
    'x..dev',
    '%31',
    'fe80::1%eth0',
    '[::1',
    'a\nb',
    `${'a'.repeat(64)}.dev`,
    `${'a.'.repeat(127)}dev`,
  ])('rejects %j', (host) => {
    expect(allowHost(host, 'any', [])).toMatchObject({ ok: false });
  });
});

describe('EGRESS_ALLOW', () => {
  const allow = ['127.77.0.0/16', 'fd00:1::/32', '169.254.10.10'];

  it.each(['http://127.77.3.4/', 'http://[fd00:1::9]/', 'http://169.254.10.10/'])('allows %s', (url) => {
    expect(allowUrl(url, 'public', allow)).toMatchObject({ ok: true });
    expect(allowUrl(url, 'any', allow)).toMatchObject({ ok: true });
  });

  it('still refuses the rest of 127.0.0.0/8', () => {
    expect(allowUrl('http://127.0.0.1/', 'public', allow)).toMatchObject({ ok: false });
    expect(allowUrl('http://127.78.0.0/', 'public', allow)).toMatchObject({ ok: false });
  });

  it.each(['10.0.0.0/33', 'fd00::/129', 'example.com', '10.0.0.0/8/8', '10.0.0.0/', ''])('rejects %j', (cidr) => {
    expect(() => blockList([cidr])).toThrow(`"${cidr}" is not a range of addresses`);
  });
});

describe('names', () => {
  const decision = allowHost('api.example.com', 'public', []);

  it('are allowed if all their addresses are, and the connection uses these addresses', async () => {
    const resolve = async () => ['93.184.215.14', '2606:4700::1111'];
    expect(await resolveAllowed(decision, 'public', [], resolve)).toEqual(['93.184.215.14', '2606:4700::1111']);
  });

  it('are refused if any address is not allowed', async () => {
    const resolve = async () => ['93.184.215.14', '10.0.0.1'];
    await expect(resolveAllowed(decision, 'public', [], resolve)).rejects.toMatchObject({
      kind: 'egress',
      message:
        'refused: api.example.com resolves to an address that is not public, and only public hosts may be reached',
    });
  });

  it('are resolved once', async () => {
    let lookups = 0;
    await resolveAllowed(decision, 'public', [], async () => [['93.184.215.14'], ['127.0.0.1']][lookups++] ?? []);
    expect(lookups).toBe(1);
  });
});

describe('egress guard', () => {
  const v4 = fc.tuple(...Array.from({ length: 4 }, () => fc.nat(255))).map((parts) => parts.join('.'));

  it('decides each spelling of an IPv4 address like its plain form', () => {
    fc.assert(
      fc.property(v4, fc.constantFrom('any', 'any-but-self', 'public'), (address, egress) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
        const number = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
        const plain = allowHost(address, egress, []).ok;
        for (const spelling of [
          `${number}`,
          `0x${number.toString(16)}`,
          `0${a.toString(8)}.${b}.${c}.${d}`,
          `${a}.${((b << 16) | (c << 8) | d) >>> 0}`,
          `${address}.`,
        ]) {
          expect(allowHost(spelling, egress, []).ok).toBe(plain);
        }
      }),
    );
  });

  it('refuses IPv6 forms of blocked IPv4 addresses, and of all IPv4 addresses with public egress', () => {
    const near = fc.oneof(
      v4,
      v4.map((address) => address.replace(/^\d+/, '127')),
      fc.constantFrom('100.100.100.200', '168.63.129.16', '192.0.0.192'),
    );
    fc.assert(
      fc.property(near, fc.constantFrom('any', 'any-but-self'), (address, egress) => {
        const refused = blockedReason(address, egress, []) !== undefined;
        for (const form of [`::ffff:${address}`, `64:ff9b::${address}`]) {
          expect(blockedReason(form, egress, []) !== undefined).toBe(refused);
          expect(blockedReason(form, 'public', [])).toBeDefined();
        }
      }),
    );
  });

  it('allows each public address with any egress setting', () => {
    fc.assert(
      fc.property(fc.oneof(v4, fc.ipV6()), (address) => {
        if (blockedReason(address, 'public', []) !== undefined) return;
        expect(blockedReason(address, 'any', [])).toBeUndefined();
        expect(blockedReason(address, 'any-but-self', [])).toBeUndefined();
      }),
    );
  });
});
