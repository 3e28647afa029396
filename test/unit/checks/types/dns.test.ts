import { describe, expect, it } from 'vitest';
import type { ProbeInput } from '#lib/checks/types/check-type.ts';
import { readSettings } from '#lib/settings.ts';
import { type DnsReply, type DnsType, dnsServer } from '#test/support/dns-server.ts';
import { probeCheck } from '#test/support/probe-check.ts';
import { probeWorld } from '#test/support/probe-world.ts';

const LONG = `v=spf1 ${'include:x.example '.repeat(40)}-all`;
const ZONE: Record<string, DnsReply> = {
  'A example.com': {
    records: [
      { type: 'A', text: '192.0.2.1' },
      { type: 'A', text: '192.0.2.2' },
    ],
  },
  'AAAA example.com': { records: [{ type: 'AAAA', text: '2001:db8::1' }] },
  'CNAME www.example.com': { records: [{ type: 'CNAME', text: 'Web.Example.COM' }] },
  'MX example.com': {
    records: [
      { type: 'MX', text: '10 mail.example.com' },
      { type: 'MX', text: '20 mail2.example.com' },
    ],
  },
  'NS example.com': { records: [{ type: 'NS', text: 'ns1.example.com' }] },
  'TXT example.com': {
    records: [
      { type: 'TXT', text: LONG },
      { type: 'TXT', text: 'Case Matters' },
    ],
  },
  'SRV _sip._tcp.example.com': { records: [{ type: 'SRV', text: '10 5 5060 sip.example.com' }] },
  'SOA example.com': {
    records: [{ type: 'SOA', text: 'ns1.example.com admin.example.com 2026112101 7200 3600 1209600 300' }],
  },
  'CAA example.com': {
    records: [
      { type: 'CAA', text: '0 issue "ca.example.net"' },
      { type: 'CAA', text: '128 iodef "mailto:a@example.com"' },
    ],
  },
  'PTR 1.2.0.192.in-addr.arpa': { records: [{ type: 'PTR', text: 'host.example.com' }] },
  'PTR 1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa': {
    records: [{ type: 'PTR', text: 'six.example.com' }],
  },
  'A big.example.com': { records: [{ type: 'A', text: '192.0.2.9' }], truncate_udp: true },
  'A empty.example.com': { records: [] },
  'A broken.example.com': { rcode: 'SERVFAIL' },
  'A refused.example.com': { rcode: 'REFUSED' },
  'A silent.example.com': 'no_response',
  'A garbage.example.com': 'garbage',
};
const answer = (name: string, type: DnsType): DnsReply => ZONE[`${type} ${name}`] ?? { rcode: 'NXDOMAIN' };

const probe = (resolver: string, config: object, world = probeWorld()) =>
  probeCheck({ check_type: 'dns', config: { resolver, ...config } }, world);

describe('a dns check', () => {
  it.each([
    ['A', 'example.com', '192.0.2.2'],
    ['a', 'EXAMPLE.com.', '192.0.2.1'],
    ['AAAA', 'example.com', '2001:0DB8:0:0::1'],
    ['CNAME', 'www.example.com', 'web.example.com.'],
    ['MX', 'example.com', '10 Mail.example.com.'],
    ['Ns', 'example.com', 'NS1.example.com'],
    ['TXT', 'example.com', LONG],
    ['SRV', '_sip._tcp.example.com', '10 5 5060 sip.example.com'],
    ['SOA', 'example.com', 'ns1.example.com. admin.example.com. 2026112101 7200 3600 1209600 300'],
    ['CAA', 'example.com', '0 issue "ca.example.net"'],
    ['caa', 'example.com', '128 iodef mailto:a@example.com'],
    ['PTR', '1.2.0.192.in-addr.arpa', 'host.example.com'],
    ['PTR', '192.0.2.1', 'host.example.com'],
    ['PTR', '2001:db8::1', 'six.example.com'],
  ])('finds the %s record of %s', async (record_type, hostname, expected_value) => {
    await using server = await dnsServer(answer);
    expect(await probe(server.address, { hostname, record_type })).toMatchObject({ success: true, error_message: '' });
    expect(await probe(server.address, { hostname, record_type, expected_value })).toMatchObject({
      success: true,
      error_kind: null,
      status_code: 0,
    });
  });

  it.each([
    ['A', '192.0.2.3', 'no A record of example.com is "192.0.2.3"; got 192.0.2.1, 192.0.2.2'],
    [
      'MX',
      'mail.example.com',
      'no MX record of example.com is "mail.example.com"; got 10 mail.example.com, 20 mail2.example.com',
    ],
    ['TXT', 'case matters', null],
    ['SOA', '2026112101', null],
  ])('fails if no %s record is %s', async (record_type, expected_value, message) => {
    await using server = await dnsServer(answer);
    const outcome = await probe(server.address, { hostname: 'example.com', record_type, expected_value });
    expect(outcome).toMatchObject({ success: false, error_kind: 'dns' });
    expect(outcome.unanswered).toBeUndefined();
    if (message) expect(outcome.error_message).toBe(message);
  });

  it.each([
    [
      'missing.example.com',
      (at: string) => `the name missing.example.com does not exist (NXDOMAIN), says ${at}`,
      undefined,
    ],
    ['empty.example.com', (at: string) => `empty.example.com has no A record, says ${at}`, undefined],
    ['broken.example.com', (at: string) => `${at} failed to answer (SERVFAIL) for A of broken.example.com`, true],
    ['refused.example.com', (at: string) => `${at} refused to answer (REFUSED) for A of refused.example.com`, true],
  ])('fails for %s', async (hostname, message, unanswered) => {
    await using server = await dnsServer(answer);
    const outcome = await probe(server.address, { hostname, record_type: 'A' });
    expect(outcome).toMatchObject({ success: false, error_kind: 'dns', error_message: message(server.address) });
    expect(outcome.unanswered).toBe(unanswered);
  });

  it('queries again over TCP if the response is too long for UDP', async () => {
    await using server = await dnsServer(answer);
    expect(
      await probe(server.address, { hostname: 'big.example.com', record_type: 'A', expected_value: '192.0.2.9' }),
    ).toMatchObject({ success: true });
    expect(server.asked).toEqual(['udp A big.example.com', 'tcp A big.example.com']);
  });

  it('queries again at each probe', async () => {
    await using server = await dnsServer(answer);
    await probe(server.address, { hostname: 'example.com', record_type: 'A' });
    await probe(server.address, { hostname: 'example.com', record_type: 'A' });
    expect(server.asked).toHaveLength(2);
  });

  it.each(['silent.example.com', 'garbage.example.com'])('fails by its deadline for %s', async (hostname) => {
    await using server = await dnsServer(answer);
    const started = performance.now();
    const outcome = await probe(server.address, { hostname, record_type: 'A' }, probeWorld({ timeout_ms: 200 }));
    expect(outcome.success).toBe(false);
    expect(['timeout', 'dns']).toContain(outcome.error_kind);
    expect(performance.now() - started).toBeLessThan(1_500);
  });

  it('reports a query without any response as unanswered', async () => {
    await using server = await dnsServer(answer);
    expect(
      await probe(
        server.address,
        { hostname: 'silent.example.com', record_type: 'A' },
        probeWorld({ timeout_ms: 200 }),
      ),
    ).toMatchObject({
      error_kind: 'timeout',
      unanswered: true,
    });
  });

  it.each<[string, string[], string]>([
    ['A', ['10.0.0.5', '93.184.215.14', '192.168.1.1'], 'got 93.184.215.14 and 2 more'],
    ['A', ['10.0.0.5'], 'got one value, not shown because possibly private'],
    ['AAAA', ['fd12::1', 'fd12::2'], 'got 2 values, not shown because possibly private'],
    ['CNAME', ['db1.corp.internal'], 'got one value, not shown because possibly private'],
    ['MX', ['10 mail.corp', '20 mail.example.com'], 'got 20 mail.example.com and 1 more'],
    ['PTR', ['db1.example.com'], 'got one value, not shown because possibly private'],
  ])(
    'hides private records that the DNS server of the service returns, if only public hosts are allowed: %s %s',
    async (record_type, values, got) => {
      const config = { hostname: 'a.example.com', record_type, expected_value: 'x' };
      const shown = async (world: ProbeInput) =>
        (await probeCheck({ check_type: 'dns', config }, world)).error_message.split('; ')[1];
      const { net, ...own } = probeWorld();
      const answering = { ...net, resolve: async () => ({ values, latency_ms: 1 }) };
      expect(await shown({ ...own, net: answering })).toBe(got);
      const settings = readSettings({ CHECK_EGRESS: 'any' });
      expect(await shown({ ...own, net: answering, settings })).toBe(`got ${values.join(', ')}`);
    },
  );

  it('never confirms an expected value that it must not show', async () => {
    const config = { hostname: 'db.example.com', record_type: 'A', expected_value: '10.0.0.5' };
    const { net, ...own } = probeWorld();
    const answering = { ...net, resolve: async () => ({ values: ['10.0.0.5'], latency_ms: 1 }) };
    const guessed = await probeCheck({ check_type: 'dns', config }, { ...own, net: answering });
    expect(guessed).toMatchObject({ success: false, error_kind: 'dns' });
    const wrong = { ...config, expected_value: '10.0.0.6' };
    const { error_message } = await probeCheck({ check_type: 'dns', config: wrong }, { ...own, net: answering });
    expect(guessed.error_message).toBe(error_message.replace('10.0.0.6', '10.0.0.5'));
    const settings = readSettings({ CHECK_EGRESS: 'any' });
    const any = await probeCheck({ check_type: 'dns', config }, { ...own, net: answering, settings });
    expect(any.success).toBe(true);
  });

  it('never queries a server that checks must not reach', async () => {
    const outcome = await probe('127.0.0.1:53', { hostname: 'example.com', record_type: 'A' });
    expect(outcome).toMatchObject({
      success: false,
      error_kind: 'egress',
      error_message:
        'refused: 127.0.0.1 is a loopback address, to which connections are not allowed; the operator can allow it with EGRESS_ALLOW (docs/operate/settings.md)',
    });
  });
});
