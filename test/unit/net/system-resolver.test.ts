import { promises as dns } from 'node:dns';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { allowHost, resolveAllowed } from '#lib/net/egress.ts';
import { makeNet } from '#lib/net/node-net.ts';
import { type Family, lookUpBothFamilies, parseHosts, systemResolver } from '#lib/net/system-resolver.ts';
import { type DnsReply, type DnsServer, dnsServer } from '#test/support/dns-server.ts';
import { httpTarget } from '#test/support/socket-target.ts';

const folder = mkdtempSync(join(tmpdir(), 'hosts-'));
afterAll(() => rmSync(folder, { recursive: true }));

function resolverWith(hosts: string, server?: DnsServer) {
  const file = join(folder, 'hosts');
  writeFileSync(file, hosts);
  return systemResolver({ hostsFile: file, ...(server && { servers: [server.address] }) });
}

describe('the hosts file', () => {
  it('is parsed with comments, aliases and both families, IPv4 first', () => {
    const names = parseHosts(
      [
        '# a comment',
        '',
        '::1 localhost ip6-localhost',
        '127.0.0.1\tlocalhost  Vm # more',
        '10.0.0.5 db.example.com',
        'fe80::1%lo0 localhost',
      ].join('\n'),
    );
    expect(Object.fromEntries(names)).toEqual({
      localhost: ['127.0.0.1', '::1'],
      'ip6-localhost': ['::1'],
      vm: ['127.0.0.1'],
      'db.example.com': ['10.0.0.5'],
    });
  });

  it('precedes DNS, ignoring case', async () => {
    await using server = await dnsServer(() => ({ rcode: 'SERVFAIL' }));
    expect(await resolverWith('10.0.0.5 db.example.com', server)('DB.example.com')).toEqual(['10.0.0.5']);
    expect(server.asked).toEqual([]);
  });

  it('can be missing', async () => {
    expect(await systemResolver({ hostsFile: join(folder, 'none') })('localhost')).toEqual(['127.0.0.1', '::1']);
  });

  it.each(['localhost', 'app.localhost'])('is not needed for %s', async (name) => {
    expect(await resolverWith('')(name)).toEqual(['127.0.0.1', '::1']);
  });
});

describe('a DNS name', () => {
  const resolve = async (replies: Record<string, DnsReply>): Promise<string[]> => {
    await using server = await dnsServer((_name, type) => replies[type] ?? { records: [] });
    return await resolverWith('', server)('shop.example.com');
  };
  const A: DnsReply = {
    records: [
      { type: 'A', text: '192.0.2.1' },
      { type: 'A', text: '192.0.2.2' },
    ],
  };
  const AAAA: DnsReply = { records: [{ type: 'AAAA', text: '2001:db8::1' }] };

  it('has all its addresses, IPv4 first', async () => {
    expect((await resolve({ A, AAAA })).sort()).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
    expect((await resolve({ A, AAAA })).at(-1)).toBe('2001:db8::1');
  });

  it('can have one family although the lookup of the other fails', async () => {
    expect(await resolve({ AAAA })).toEqual(['2001:db8::1']);
    expect(await resolve({ A, AAAA: { rcode: 'SERVFAIL' } })).toHaveLength(2);
  });

  it('has the addresses of one family if the server drops queries for the other', async () => {
    await using server = await dnsServer((_name, type) => (type === 'A' ? A : 'no_response'));
    const net = makeNet({ EGRESS_ALLOW: ['192.0.2.0/24'] }, resolverWith('', server));
    // The default timeout of a check; c-ares gives up a query after 6 s.
    await net.guard({ host: 'shop.example.com', timeout_ms: 5_000, egress: 'public' });
    expect(server.asked).toContain('udp AAAA shop.example.com');
  });

  it('fails if the addresses of one family are refused and the server drops queries for the other', async () => {
    await using server = await dnsServer((_name, type) => (type === 'A' ? A : 'no_response'));
    const net = makeNet({ EGRESS_ALLOW: [] }, resolverWith('', server));
    await expect(net.guard({ host: 'shop.example.com', timeout_ms: 5_000, egress: 'public' })).rejects.toMatchObject({
      kind: 'egress',
    });
  });

  it('cannot be reached without an address', async () => {
    expect(await resolve({})).toEqual([]);
    const verdict = allowHost('shop.example.com', 'any', []);
    await expect(resolveAllowed(verdict, 'any', [], async () => [])).rejects.toMatchObject({
      kind: 'dns',
      message: 'the name shop.example.com has no address (neither A nor AAAA record)',
    });
  });

  it.each([
    ['NXDOMAIN', 'the name shop.example.com does not resolve (NXDOMAIN): check its spelling and its DNS zone'],
    ['SERVFAIL', 'the name shop.example.com does not resolve (SERVFAIL): the DNS server failed'],
    ['REFUSED', 'the name shop.example.com does not resolve (REFUSED): the DNS server refused to answer'],
  ] as const)('explains a failure with %s', async (rcode, message) => {
    await using server = await dnsServer(() => ({ rcode }));
    const net = makeNet({ EGRESS_ALLOW: [] }, resolverWith('', server));
    await expect(net.guard({ host: 'shop.example.com', timeout_ms: 2_000, egress: 'public' })).rejects.toMatchObject({
      kind: 'dns',
      answered: false,
      message,
    });
  });

  it('ends at the deadline if its server does not respond, without delaying others', async () => {
    await using server = await dnsServer((name) => (name === 'dead.example.com' ? 'no_response' : A));
    const net = makeNet({ EGRESS_ALLOW: ['192.0.2.0/24'] }, resolverWith('', server));
    const dead = Array.from({ length: 50 }, () =>
      net.guard({ host: 'dead.example.com', timeout_ms: 300, egress: 'public' }).catch((error) => error.message),
    );
    await net.guard({ host: 'shop.example.com', timeout_ms: 250, egress: 'public' });
    expect(new Set(await Promise.all(dead))).toEqual(
      new Set(['no answer within 300 ms (looking up dead.example.com)']),
    );
  });
});

describe('lookUpBothFamilies', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const BOTH = ['IPv4', 'IPv6'] as const;
  const FOUR = ['192.0.2.1'];
  const SIX = ['2001:db8::1'];

  /** Starts a lookup per family, each ending on demand. `stateAfter`: `open`, the addresses, or the error code. */
  const lookUps = (families: readonly Family[] = BOTH) => {
    const asked = { IPv4: Promise.withResolvers<string[]>(), IPv6: Promise.withResolvers<string[]>() };
    const state: { is: unknown } = { is: 'open' };
    lookUpBothFamilies(asked.IPv4.promise, asked.IPv6.promise, families).then(
      (addresses) => {
        state.is = addresses;
      },
      (error) => {
        state.is = error.code;
      },
    );
    const stateAfter = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      return state.is;
    };
    return { asked, stateAfter };
  };
  const failed = (code: string) => Object.assign(new Error(code), { code });

  it.each([
    ['IPv4', 'IPv6'],
    ['IPv6', 'IPv4'],
  ] as const)('waits up to 250 ms for the other family after %s, and uses it', async (first, second) => {
    const { asked, stateAfter } = lookUps();
    asked[first].resolve(first === 'IPv4' ? FOUR : SIX);
    expect(await stateAfter(240)).toBe('open');
    asked[second].resolve(second === 'IPv4' ? FOUR : SIX);
    expect(await stateAfter(0)).toEqual([...FOUR, ...SIX]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['IPv4', FOUR],
    ['IPv6', SIX],
  ] as const)('resolves with the addresses of %s if the other family does not respond', async (first, addresses) => {
    const { asked, stateAfter } = lookUps();
    asked[first].resolve([...addresses]);
    expect(await stateAfter(250)).toEqual(addresses);
  });

  it.each(['ESERVFAIL', 'ENODATA'])(
    'waits for the other family without a limit after a failure (%s), and uses it',
    async (code) => {
      const { asked, stateAfter } = lookUps();
      asked.IPv6.reject(failed(code));
      expect(await stateAfter(5_000)).toBe('open');
      asked.IPv4.resolve([...FOUR]);
      expect(await stateAfter(0)).toEqual(FOUR);
    },
  );

  it('does not shorten the wait for IPv4 if the machine cannot use IPv6', async () => {
    const { asked, stateAfter } = lookUps(['IPv4']);
    asked.IPv6.resolve([...SIX]);
    expect(await stateAfter(2_500)).toBe('open');
    asked.IPv4.resolve([...FOUR]);
    expect(await stateAfter(0)).toEqual([...FOUR, ...SIX]);
  });

  it('rejects with the IPv4 error if both fail', async () => {
    const { asked, stateAfter } = lookUps();
    asked.IPv6.reject(failed('ETIMEOUT'));
    asked.IPv4.reject(failed('ESERVFAIL'));
    expect(await stateAfter(0)).toBe('ESERVFAIL');
  });
});

describe('a name of one label', () => {
  it('is resolved by the operating system, once for concurrent callers', async () => {
    const resolve = resolverWith('');
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => resolve('no-such-host-here')));
    expect(
      new Set(outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'found'))),
    ).toHaveLength(1);
  });

  it('waits while two others use a thread each, and is resolved after one of them', async () => {
    const asked: { name: string; end: () => void }[] = [];
    const lookup = vi
      .spyOn(dns, 'lookup')
      .mockImplementation((name) => new Promise((resolve) => asked.push({ name, end: () => resolve([] as never) })));
    const resolve = resolverWith('');
    const all = Promise.all(['one', 'two', 'three', 'four'].map((name) => resolve(name)));
    const names = () => asked.map(({ name }) => name);
    await vi.waitFor(() => expect(names()).toEqual(['one', 'two']));
    asked[0]!.end();
    await vi.waitFor(() => expect(names()).toEqual(['one', 'two', 'three']));
    for (const { end } of asked) end();
    await vi.waitFor(() => expect(names()).toHaveLength(4));
    asked[3]!.end();
    await all;
    lookup.mockRestore();
  });
});

it('reaches a server of this machine by localhost', async () => {
  await using target = await httpTarget((_req, res) => res.end('home'), '127.0.0.1');
  const net = makeNet({ EGRESS_ALLOW: [] });
  const request = { method: 'GET', timeout_ms: 2_000, max_body_bytes: 100, max_redirects: 0 };
  expect(await net.http({ ...request, url: `http://localhost:${target.port}/`, egress: 'any' })).toMatchObject({
    body: 'home',
  });
  await expect(
    net.http({ ...request, url: `http://localhost:${target.port}/`, egress: 'public' }),
  ).rejects.toMatchObject({ kind: 'egress' });
});
