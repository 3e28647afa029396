import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { clientAddress, trustedProxies } from '#infra/local/http/client-address.ts';
import { readHostSettings } from '#infra/local/settings.ts';

const proxies = trustedProxies(['127.0.0.0/8', '::1', '10.1.0.0/16', '2001:db8::/32']);
const addressOf = (remoteAddress: string, forwarded?: string) =>
  clientAddress(
    {
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
      socket: { remoteAddress },
    } as never as IncomingMessage,
    proxies,
  );

describe('clientAddress', () => {
  it.each([
    ['address of the connection', '198.51.100.1', undefined, '198.51.100.1'],
    ['address of the connection, mapped to IPv6', '::ffff:198.51.100.1', undefined, '198.51.100.1'],
    [
      'address of the connection of an untrusted client that claims another',
      '198.51.100.1',
      '203.0.113.9',
      '198.51.100.1',
    ],
    ['address from a trusted proxy', '127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['last address that is not a proxy', '127.0.0.1', '1.1.1.1, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['IPv6 address', '::1', '2a00:1450::7', '2a00:1450::7'],
    ['address with a port', '127.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['address in brackets', '127.0.0.1', '[2a00:1450::7]:4711', '2a00:1450::7'],
    ['address of a proxy that sends no header', '127.0.0.1', undefined, '127.0.0.1'],
    ['address of a proxy that sends an invalid header', '127.0.0.1', '203.0.113.9, unknown', '127.0.0.1'],
    ['first address if all are proxies', '127.0.0.1', '10.1.0.1, 10.1.0.2', '10.1.0.1'],
    ['empty text for a closed connection', '', '203.0.113.9', ''],
  ])('returns the client address: %s', (_what, peer, forwarded, address) => {
    expect(addressOf(peer, forwarded)).toBe(address);
  });
});

describe('TRUSTED_PROXIES', () => {
  const trusted = (TRUSTED_PROXIES?: string) => readHostSettings({ TRUSTED_PROXIES }).host.TRUSTED_PROXIES;

  it('accepts the default, named proxies, or none', () => {
    expect(['127.0.0.1', '::1', '10.0.0.1'].map(trusted().has)).toEqual([true, true, false]);
    expect(['127.0.0.1', '10.9.9.9'].map(trusted('10.0.0.0/8').has)).toEqual([false, true]);
    expect(trusted('none').has('127.0.0.1')).toBe(false);
  });

  it.each(['proxy.example.com', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/x', '10.0.0.1,,'])('rejects "%s"', (text) => {
    expect(() => trusted(text)).toThrow(/^Settings are wrong. TRUSTED_PROXIES: ".*" is not an address or a range/);
  });
});
