import { describe, expect, it } from 'vitest';
import { type DnsReply, type DnsType, dnsServer } from '#test/support/dns-server.ts';
import { probeCheck } from '#test/support/probe-check.ts';
import { probeWorld } from '#test/support/probe-world.ts';

const records = (type: DnsType, ...texts: string[]): DnsReply => ({ records: texts.map((text) => ({ type, text })) });
const MANY = Array.from({ length: 200 }, (_, i) => ({ type: 'A' as const, text: `192.0.2.${i}` }));
const ZONE: Record<string, DnsReply> = {
  'A example.com': records('A', '192.0.2.2', '192.0.2.1'),
  'MX example.com': records('MX', '10 Mail.example.com'),
  'TXT example.com': records('TXT', 'v=spf1 -all', 'other'),
  'A many.example.com': { records: MANY, truncate_udp: true },
  'A empty.example.com': { records: [] },
  'A broken.example.com': { rcode: 'SERVFAIL' },
  'A refused.example.com': { rcode: 'REFUSED' },
  'A silent.example.com': 'no_response',
};
const answer = (name: string, type: DnsType): DnsReply => ZONE[`${type} ${name}`] ?? { rcode: 'NXDOMAIN' };

async function probe(question: string, assertions: object[], more: object = {}, world = probeWorld()) {
  await using server = await dnsServer(answer);
  const [record_type, hostname] = question.split(' ');
  const config = { hostname, record_type, resolver: server.address, assertions, ...more };
  return await probeCheck({ check_type: 'dns', config }, world);
}
const is = (source: string, operator: string, value: unknown, severity = 'fail') => ({
  source,
  operator,
  value,
  severity,
});

describe('a dns check with assertions', () => {
  it.each<[string, object, boolean]>([
    ['A example.com', is('any_record', 'equals', '192.0.2.1'), true],
    ['A example.com', is('all_records', 'equals', '192.0.2.1'), false],
    ['A example.com', is('any_record', 'not_equals', '192.0.2.1'), true],
    ['A example.com', is('all_records', 'not_equals', '192.0.2.3'), true],
    ['A example.com', is('all_records', 'one_of', ['192.0.2.1', '192.0.2.2']), true],
    ['A example.com', is('any_record', 'not_one_of', ['192.0.2.1', '192.0.2.2']), false],
    ['A example.com', is('all_records', 'matches', '^192\\.0\\.2\\.\\d+$'), true],
    ['A example.com', is('any_record', 'not_matches', '1$'), true],
    ['A example.com', is('all_records', 'contains', '192.'), true],
    ['A example.com', is('any_record', 'not_contains', '192.'), false],
    ['A example.com', is('record_count', 'equals', 2), true],
    ['A example.com', is('record_count', 'less_than', 2), false],
    ['A example.com', is('rcode', 'equals', 'NOERROR'), true],
    ['A example.com', is('latency_ms', 'less_than', 2_000), true],
    ['MX example.com', is('any_record', 'equals', '10 mail.EXAMPLE.com.'), true],
    ['TXT example.com', is('any_record', 'equals', 'V=SPF1 -all'), false],
    ['TXT example.com', is('any_record', 'contains', 'spf1'), true],
    ['A many.example.com', is('record_count', 'equals', 200), true],
    ['A many.example.com', is('all_records', 'contains', '192.0.2.'), true],
    ['A many.example.com', is('all_records', 'not_equals', '192.0.2.199'), false],
  ])('evaluates for the records %s the assertion %o: %s', async (question, assertion, holds) => {
    const outcome = await probe(question, [assertion]);
    expect(outcome).toMatchObject({ success: holds, error_kind: holds ? null : 'dns' });
  });

  it('monitors an exact set of records', async () => {
    const set = (...values: string[]) => [
      is('all_records', 'one_of', values),
      is('record_count', 'equals', values.length),
    ];
    expect(await probe('A example.com', set('192.0.2.1', '192.0.2.2'))).toMatchObject({ success: true });
    expect(await probe('A example.com', set('192.0.2.1'))).toMatchObject({
      error_message: 'expected all_records to be one of "192.0.2.1", got 192.0.2.2, 192.0.2.1 (and 1 more)',
    });
    expect(await probe('A example.com', set('192.0.2.1', '192.0.2.2', '192.0.2.3'))).toMatchObject({ success: false });
  });

  it.each([
    ['missing.example.com', 'NXDOMAIN'],
    ['empty.example.com', 'NOERROR'],
    ['broken.example.com', 'SERVFAIL'],
    ['refused.example.com', 'REFUSED'],
  ])('evaluates for %s the response code %s', async (name, rcode) => {
    expect(await probe(`A ${name}`, [is('rcode', 'equals', rcode)])).toMatchObject({ success: true, records: [] });
    expect(await probe(`A ${name}`, [is('rcode', 'not_equals', rcode)])).toMatchObject({
      error_kind: 'dns',
      error_message: `expected rcode not to equal ${rcode}, got ${rcode}`,
    });
    expect(await probe(`A ${name}`, [is('record_count', 'equals', 0)])).toMatchObject({ success: true });
  });

  it('fails without records unless an assertion on rcode or record_count has severity fail', async () => {
    const gone = { error_kind: 'dns', error_message: expect.stringMatching(/does not exist \(NXDOMAIN\)/) };
    expect(await probe('A missing.example.com', [is('any_record', 'not_equals', 'x')])).toMatchObject(gone);
    expect(await probe('A missing.example.com', [is('rcode', 'equals', 'NXDOMAIN', 'warn')])).toMatchObject(gone);
  });

  it('applies expected_value in addition to assertions', async () => {
    expect(
      await probe('A missing.example.com', [is('rcode', 'equals', 'NXDOMAIN')], { expected_value: '192.0.2.1' }),
    ).toMatchObject({ error_message: 'no A record of missing.example.com is "192.0.2.1"; got none' });
  });

  it('reports SERVFAIL as unanswered, and a server that does not respond as a timeout', async () => {
    const outcome = await probe('A broken.example.com', [is('rcode', 'equals', 'NOERROR')]);
    expect(outcome).toMatchObject({ success: false, unanswered: true });
    const silent = await probe(
      'A silent.example.com',
      [is('rcode', 'equals', 'NXDOMAIN')],
      {},
      probeWorld({ timeout_ms: 200 }),
    );
    expect(silent).toMatchObject({ success: false, error_kind: 'timeout' });
  });

  it('shows up to ten sorted records, and none without assertions', async () => {
    expect(await probe('A example.com', [is('rcode', 'equals', 'NOERROR')])).toMatchObject({
      records: ['192.0.2.1', '192.0.2.2'],
    });
    expect((await probe('A many.example.com', [is('record_count', 'equals', 200)])) as object).toHaveProperty(
      'records.length',
      10,
    );
    expect(await probe('A example.com', [])).not.toHaveProperty('records');
  });

  it("evaluates only visible records if the service's DNS server knows private ones", async () => {
    const { net, ...own } = probeWorld();
    const values = ['10.0.0.5', '93.184.215.14'];
    const answering = { ...own, net: { ...net, resolve: async () => ({ values, latency_ms: 1 }) } };
    const probeOwn = (...assertions: object[]) =>
      probeCheck({ check_type: 'dns', config: { hostname: 'a.example.com', record_type: 'A', assertions } }, answering);
    expect(await probeOwn(is('any_record', 'matches', '^10'))).toMatchObject({
      success: false,
      error_message: 'expected any_record to match "^10", got 93.184.215.14',
      records: ['93.184.215.14'],
    });
    expect(await probeOwn(is('record_count', 'equals', 1))).toMatchObject({ success: true });
  });
});
