import { describe, expect, it } from 'vitest';
import { blockedReason } from '#lib/net/address-ranges.ts';
import { allowHost, allowUrl, resolveAllowed } from '#lib/net/egress.ts';
import { type Vector, vectors } from '#test/support/ssrf-vectors.ts';

const inAscii = (name: string): string => (URL.parse(`http://${name}/`)?.hostname ?? name).replace(/\.$/, '');

/** Returns the addresses to which an action with this vector would connect; throws if the guard refuses them. */
async function connectsTo(vector: Vector): Promise<string[]> {
  const answers = new Map(
    Object.entries(
      vector.dnsSequence ?? Object.fromEntries(Object.entries(vector.dns ?? {}).map(([k, v]) => [k, [v]])),
    ).map(([name, sequence]) => [inAscii(name), [...sequence]]),
  );
  const resolve = async (name: string): Promise<string[]> => {
    const sequence = answers.get(name);
    return (sequence && sequence.length > 1 ? sequence.shift() : sequence?.[0]) ?? [];
  };
  const url = vector.url?.replace(/\{\{(\w+)\}\}/g, (whole, name) => vector.vars?.[name] ?? whole);
  const decision = url === undefined ? allowHost(vector.host ?? '', 'public', []) : allowUrl(url, 'public', []);
  if (vector.port === 0) throw new Error('no such port');
  const addresses =
    decision.ok && decision.literal ? [decision.host] : await resolveAllowed(decision, 'public', [], resolve);
  const remote = vector.socketRemote && blockedReason(vector.socketRemote, 'public', []);
  if (remote) throw new Error(remote);
  // An action does not follow redirects: a 3xx is a failed execution for any target.
  if (vector.redirect) throw new Error(`status ${vector.redirect.status}`);
  return addresses;
}

describe('public egress, as used by actions', () => {
  it.each(vectors)('$id: $verdict, $why', async (vector) => {
    if (vector.verdict === 'block') {
      await expect(connectsTo(vector)).rejects.toThrow();
      return;
    }
    // Never empty: a literal is its own address, and each allowed name has an entry in `dns`.
    const addresses = await connectsTo(vector);
    expect(addresses).not.toEqual([]);
    if (vector.connectsTo) expect(addresses).toEqual([vector.connectsTo]);
  });

  it.each([
    'http://168.63.129.16/machine?comp=goalstate',
    'http://100.100.100.200/',
    'http://192.0.0.192/',
    'http://[fd20:ce::254]/',
    'http://[fd00:c1::a9fe:a9fe]/',
    'http://[fd00:42::42]/',
    'http://[64:ff9b:1:fffe::a9fe:a9fe]/',
    'http://[2001:0:4136:e378:8000:63bf:5601:5601]/',
  ])('refuses the metadata address or a path to it: %s', (url) => {
    expect(allowUrl(url, 'public', [])).toMatchObject({ ok: false });
  });

  it('does not reveal the address of a name that is not public', async () => {
    const decision = allowHost('db.corp.example.com', 'public', []);
    for (const address of ['10.20.30.40', 'fd12::1', '169.254.169.254']) {
      const refused = resolveAllowed(decision, 'public', [], async () => ['93.184.215.14', address]);
      await expect(refused).rejects.toMatchObject({
        message:
          'refused: db.corp.example.com resolves to an address that is not public, and only public hosts may be reached',
      });
    }
  });

  it.each(['2001:4860::200:5efe:127.0.0.1', '2001:4860:0:0:0:5efe:7f00:1'])(
    'refuses the ISATAP address %s',
    (address) => {
      expect(blockedReason(address, 'public', [])).toContain('not a public address');
    },
  );
});

describe('egress of an installation that monitors its own network', () => {
  it.each([
    'http://127.0.0.1:8080/',
    'http://10.1.2.3/',
    'http://192.168.1.1/',
    'http://172.20.0.2/',
    'http://100.64.0.9/',
    'http://[::1]/',
    'http://[fd12::1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://router/',
    'http://printer.local/',
    'http://my_service:3000/',
    'http://db.internal/',
    'http://localhost/',
    'https://example.com/',
    'http://2130706433/',
  ])('allows %s', (url) => {
    expect(allowUrl(url, 'any', [])).toMatchObject({ ok: true });
  });

  it.each([
    'http://169.254.169.254/',
    'http://169.254.1.1/',
    'http://0.0.0.0/',
    'http://0.1.2.3/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://240.0.0.1/',
    'http://[::]/',
    'http://[fe80::1]/',
    'http://[ff02::1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::169.254.169.254]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[64:ff9b:1::169.254.169.254]/',
    'http://[2002:a9fe:a9fe::1]/',
    'http://[::ffff:0:169.254.169.254]/',
    'http://[::ffff:0.0.0.0]/',
    'http://[::ffff:224.0.0.1]/',
    'http://[64:ff9b::]/',
    'http://[fd00:ec2::254]/',
    'http://[fd00:42::42]/',
    'http://[fd00:c1::a9fe:a9fe]/',
    'http://[fd20:ce::254]/',
    'http://100.100.100.200/',
    'http://192.0.0.192/',
    'http://168.63.129.16/',
    'http://[::ffff:168.63.129.16]/',
    'http://[2002:6464:64c8::1]/',
    'http://[64:ff9b:1::1]/',
    'http://[64:ff9b:1:fffe::a9fe:a9fe]/',
    'http://[64:ff9b:1:a9fe:a9:fe00::]/',
    'http://[2001:0:4136:e378:8000:63bf:5601:5601]/',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'http://user:pass@10.0.0.1/',
    'ftp://10.0.0.1/',
    'http://10.0.0.1:0/',
  ])('rejects %s', (url) => {
    expect(allowUrl(url, 'any', [])).toMatchObject({ ok: false });
  });

  it('describes the address in the reason', () => {
    expect(allowUrl('http://169.254.169.254/latest', 'any', [])).toEqual({
      ok: false,
      reason:
        '169.254.169.254 is a link-local address, to which connections are not allowed; the operator can allow it with EGRESS_ALLOW (docs/operate/settings.md)',
    });
  });
});

describe('any-but-self', () => {
  it.each([
    'http://127.0.0.1:9001/2018-06-01/runtime/invocation/next',
    'http://127.255.255.254/',
    'http://127.1:9001/',
    'http://2130706433/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::127.0.0.1]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[64:ff9b:1::7f00:1]/',
    'http://[2002:7f00:1::1]/',
    'http://0.0.0.0/',
    'http://[::]/',
    'http://169.254.100.1:9001/',
  ])('rejects %s', (url) => {
    expect(allowUrl(url, 'any-but-self', [])).toMatchObject({ ok: false });
  });

  it.each(['http://10.0.0.1/', 'http://[fd12::1]/', 'http://db.internal/', 'http://router/', 'http://128.0.0.1/'])(
    'allows %s',
    (url) => {
      expect(allowUrl(url, 'any-but-self', [])).toMatchObject({ ok: true });
    },
  );

  it('refuses a name that resolves to the machine itself', async () => {
    const decision = allowHost('localhost', 'any-but-self', []);
    await expect(resolveAllowed(decision, 'any-but-self', [], async () => ['::1'])).rejects.toMatchObject({
      message:
        'refused: localhost resolves to ::1; ::1 is a loopback address, to which connections are not allowed; the operator can allow it with EGRESS_ALLOW (docs/operate/settings.md)',
    });
  });

  it('allows loopback addresses only in the ranges of EGRESS_ALLOW', () => {
    const allow = ['127.77.0.0/16'];
    expect(allowUrl('http://127.77.3.4/', 'any-but-self', allow)).toMatchObject({ ok: true });
    expect(allowUrl('http://127.0.0.1/', 'any-but-self', allow)).toMatchObject({ ok: false });
  });
});
