import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { clientAddress, trustedProxies } from '#infra/local/http/client-address.ts';
import { readHostSettings } from '#infra/local/settings.ts';

const proxies = trustedProxies(['127.0.0.0/8', '::1', '10.1.0.0/16', '2001:db8::/32']);
const asked = (remoteAddress: string, forwarded?: string) =>
  clientAddress(
    {
      headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
      socket: { remoteAddress },
    } as never as IncomingMessage,
    proxies,
  );

describe('the address of a client', () => {
  it.each([
    ['is that of its connection', '198.51.100.1', undefined, '198.51.100.1'],
    ['is that of its connection, in the form of IPv6 too', '::ffff:198.51.100.1', undefined, '198.51.100.1'],
    ['is no other that it claims', '198.51.100.1', '203.0.113.9', '198.51.100.1'],
    ['is what a trusted proxy says', '127.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['is the last that no proxy wrote of itself', '127.0.0.1', '1.1.1.1, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['may be of IPv6', '::1', '2a00:1450::7', '2a00:1450::7'],
    ['may come with a port', '127.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['may come in brackets', '127.0.0.1', '[2a00:1450::7]:4711', '2a00:1450::7'],
    ['is the proxy’s own when it says nothing', '127.0.0.1', undefined, '127.0.0.1'],
    ['is the proxy’s own when it says nonsense', '127.0.0.1', '203.0.113.9, unknown', '127.0.0.1'],
    ['is the first when all are proxies', '127.0.0.1', '10.1.0.1, 10.1.0.2', '10.1.0.1'],
    ['is unknown when the connection is gone', '', '203.0.113.9', ''],
  ])('%s', (_what, peer, forwarded, address) => {
    expect(asked(peer, forwarded)).toBe(address);
  });
});

describe('TRUSTED_PROXIES', () => {
  const trusted = (TRUSTED_PROXIES?: string) => readHostSettings({ TRUSTED_PROXIES }).host.TRUSTED_PROXIES;

  it('are those on this machine, those that are named, or none', () => {
    expect(['127.0.0.1', '::1', '10.0.0.1'].map(trusted().has)).toEqual([true, true, false]);
    expect(['127.0.0.1', '10.9.9.9'].map(trusted('10.0.0.0/8').has)).toEqual([false, true]);
    expect(trusted('none').has('127.0.0.1')).toBe(false);
  });

  it.each(['proxy.example.com', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/x', '10.0.0.1,,'])('are not "%s"', (text) => {
    expect(() => trusted(text)).toThrow(/^Settings are wrong. TRUSTED_PROXIES: ".*" is no address and no range/);
  });
});
