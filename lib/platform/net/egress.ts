import { BlockList, isIP, isIPv4 } from 'node:net';
import { ipv6Groups } from './ipv6.ts';
import { type Egress, NetError } from './net.ts';

/**
 * Where outbound connections may go. Literals are checked as they stand, names after one look-up, of which every
 * address must pass; the caller connects to exactly those addresses. `allow` is EGRESS_ALLOW: CIDRs that pass always.
 */

/** All addresses of a name. Rejects with the error of the look-up, or answers [] when there is none. */
export type Resolve = (name: string) => Promise<string[]>;

/** `host` is in canonical form (`127.1` is 127.0.0.1, no brackets, no trailing dot). */
export type Verdict = { ok: true; host: string; literal: boolean } | { ok: false; reason: string };

type Range = readonly [cidr: string, what: string];

const NOT_PUBLIC_V4: readonly Range[] = [
  ['0.0.0.0/8', 'an address of "this network"'],
  ['10.0.0.0/8', 'a private address'],
  ['100.64.0.0/10', 'a shared (carrier) address'],
  ['127.0.0.0/8', 'a loopback address'],
  ['168.63.129.16/32', 'a cloud metadata address'],
  ['169.254.0.0/16', 'a link-local address'],
  ['172.16.0.0/12', 'a private address'],
  ['192.0.0.0/24', 'a reserved address'],
  ['192.0.2.0/24', 'a documentation address'],
  ['192.88.99.0/24', 'a reserved address'],
  ['192.168.0.0/16', 'a private address'],
  ['198.18.0.0/15', 'a benchmarking address'],
  ['198.51.100.0/24', 'a documentation address'],
  ['203.0.113.0/24', 'a documentation address'],
  ['224.0.0.0/3', 'a multicast or reserved address'],
];

/** Of IPv6 only 2000::/3 is public, which disposes of mapped, NAT64, local and multicast addresses at once. */
const PUBLIC_V6 = '2000::/3';
const NOT_PUBLIC_V6: readonly Range[] = [
  ['2001::/23', 'a reserved address'],
  ['2001:db8::/32', 'a documentation address'],
  ['2002::/16', 'a 6to4 address'],
  ['3fff::/20', 'a documentation address'],
];

/** Closed even to `any`: not worth monitoring, or a source of credentials (cloud metadata). */
const NEVER_V4: readonly Range[] = [
  ['0.0.0.0/8', 'an address of "this network"'],
  ['100.100.100.200/32', 'a cloud metadata address'],
  ['168.63.129.16/32', 'a cloud metadata address'],
  ['169.254.0.0/16', 'a link-local address'],
  ['192.0.0.192/32', 'a cloud metadata address'],
  ['224.0.0.0/3', 'a multicast or reserved address'],
];
const NEVER_V6: readonly Range[] = [
  ['::/128', 'an address of "this network"'],
  ['fe80::/10', 'a link-local address'],
  ['ff00::/8', 'a multicast address'],
  ['fd00:ec2::/32', 'a cloud metadata address'],
  ['fd00:42::42/128', 'a cloud metadata address'],
  ['fd00:c1::a9fe:a9fe/128', 'a cloud metadata address'],
  ['fd20:ce::254/128', 'a cloud metadata address'],
  // Both lead to IPv4 addresses that do not stand in them as they are: to any place below RFC 8215's /48 (RFC 6052), or
  // through a relay (RFC 4380).
  ['64:ff9b:1::/48', 'an address translated to IPv4'],
  ['2001::/32', 'a Teredo address'],
];

/** The machine itself, which is closed to `any-but-self`. */
const SELF_V4: readonly Range[] = [['127.0.0.0/8', 'a loopback address']];
const SELF_V6: readonly Range[] = [['::1/128', 'a loopback address']];

/** Names that no public resolver should know (RFC 6761, 8375, 9476 and common private zones). */
const PRIVATE_ZONES = new Set(
  'localhost local internal intranet lan corp home private arpa onion test invalid example'.split(' '),
);

const notPublicV4 = blockList(NOT_PUBLIC_V4.map(([cidr]) => cidr));
const publicV6 = blockList([PUBLIC_V6]);
const notPublicV6 = blockList(NOT_PUBLIC_V6.map(([cidr]) => cidr));
const closed = {
  any: closedTo(NEVER_V4, NEVER_V6),
  'any-but-self': closedTo([...NEVER_V4, ...SELF_V4], [...NEVER_V6, ...SELF_V6]),
};

/** What is closed, by family of addresses; the IPv4 ranges in every IPv6 form of theirs too. */
function closedTo(v4: readonly Range[], v6: readonly Range[]) {
  const forms = v4.flatMap(([cidr, what]) => ipv6FormsOf(cidr).map((form): Range => [form, what]));
  const of = (ranges: readonly Range[]) => ({ ranges, list: blockList(ranges.map(([cidr]) => cidr)) });
  return { ipv4: of(v4), ipv6: of([...v6, ...forms]) };
}

/** Verdicts on addresses, by EGRESS_ALLOW and egress: each probe of a fleet asks again for the same few. */
const judged = new WeakMap<readonly string[], Record<Egress, Map<string, string | undefined>>>();
const MOST_JUDGED = 1_000;

/** Why an IP address may not be reached; undefined when it may. */
export function refusalOf(address: string, egress: Egress, allow: readonly string[]): string | undefined {
  const known = verdictsOf(allow)[egress];
  if (known.has(address)) return known.get(address);
  if (known.size >= MOST_JUDGED) known.clear();
  const refusal = judge(address, egress, allow);
  known.set(address, refusal);
  return refusal;
}

function verdictsOf(allow: readonly string[]) {
  let verdicts = judged.get(allow);
  if (!verdicts) {
    verdicts = { any: new Map(), 'any-but-self': new Map(), public: new Map() };
    judged.set(allow, verdicts);
  }
  return verdicts;
}

function judge(address: string, egress: Egress, allow: readonly string[]): string | undefined {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return `${address} is not a plain IP address`;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  if (allow.length > 0 && allowList(allow).check(address, type)) return undefined;
  if (egress !== 'public') {
    const { list, ranges } = closed[egress][type];
    return list.check(address, type) ? explain(address, ranges) : undefined;
  }
  if (family === 4) return notPublicV4.check(address, type) ? explain(address, NOT_PUBLIC_V4) : undefined;
  if (!publicV6.check(address, type) || isIsatap(address)) return `${address} is not a public address`;
  return notPublicV6.check(address, type) ? explain(address, NOT_PUBLIC_V6) : undefined;
}

/** Judges a host as a person writes it: a name, an IPv4 address in any spelling, an IPv6 address with or without []. */
export function allowHost(host: string, egress: Egress, allow: readonly string[]): Verdict {
  const canonical = canonicalHost(host);
  return canonical === undefined
    ? { ok: false, reason: `${JSON.stringify(host)} is neither a host name nor an IP address` }
    : allowCanonical(canonical, egress, allow);
}

/** `127.1` to 127.0.0.1, `[::1]` to ::1, `Bücher.de.` to xn--bcher-kva.de; undefined when it is no host at all. */
export function canonicalHost(host: string): string | undefined {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (isIP(bare)) return bare.includes('%') ? undefined : bare;
  // The characters that would make a URL parser see something else than a host.
  if (!/^[^\s/?#@:\\[\]%]+$/.test(host)) return undefined;
  const name = URL.parse(`http://${host}/`)?.hostname.replace(/\.$/, '');
  if (!name || isIP(name)) return name || undefined;
  return name.length <= 253 && name.split('.').every((label) => LOCAL_LABEL.test(label)) ? name : undefined;
}

/** Judges a URL: http or https, no user:password@, and its host. */
export function allowUrl(url: string | URL, egress: Egress, allow: readonly string[]): Verdict {
  const parsed = typeof url === 'string' ? URL.parse(url) : url;
  if (!parsed) return { ok: false, reason: 'it is not an absolute URL, such as https://example.com/' };
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
    return { ok: false, reason: `only http and https are possible, not ${parsed.protocol}` };
  }
  if (parsed.username || parsed.password)
    return { ok: false, reason: 'a URL may not hold user:password@; use headers' };
  if (parsed.port === '0') return { ok: false, reason: 'port 0 cannot be connected to' };
  const { hostname } = parsed;
  return allowCanonical(hostname.startsWith('[') ? hostname.slice(1, -1) : hostname, egress, allow);
}

/**
 * The addresses that a host of a good verdict may be connected to: its own when it is one, else those of one look-up.
 * Throws `NetError`: `egress` when any address may not be reached, `dns` when there is none.
 */
export async function resolveAllowed(
  verdict: Verdict,
  egress: Egress,
  allow: readonly string[],
  resolve: Resolve,
): Promise<string[]> {
  if (!verdict.ok) throw new NetError('egress', `refused: ${verdict.reason}`);
  if (verdict.literal) return [verdict.host];
  const addresses = await resolve(verdict.host);
  if (addresses.length === 0) {
    throw new NetError('dns', `the name ${verdict.host} has no address (neither A nor AAAA record)`);
  }
  for (const address of addresses) {
    const reason = refusalOf(address, egress, allow);
    if (reason) throw new NetError('egress', `refused: ${verdict.host} resolves to ${shown(address, reason, egress)}`);
  }
  return addresses;
}

/** Where only public hosts may be reached, private addresses that our resolver knows are not shown. */
const shown = (address: string, reason: string, egress: Egress): string =>
  egress === 'public' ? `an address that is not public, and ${PUBLIC_ONLY}` : `${address}; ${reason}`;

/** Whether a DNS value may be shown where only public hosts may be reached: it names no private address or zone. */
export const isPublicValue = (value: string, allow: readonly string[]): boolean =>
  value.split(/\s+/).every((word) => {
    if (isIP(word)) return refusalOf(word, 'public', allow) === undefined;
    return !PRIVATE_ZONES.has(word.replace(/\.$/, '').split('.').at(-1)?.toLowerCase() ?? '');
  });

function allowCanonical(host: string, egress: Egress, allow: readonly string[]): Verdict {
  if (isIP(host)) {
    const reason = refusalOf(host, egress, allow);
    return reason ? { ok: false, reason } : { ok: true, host, literal: true };
  }
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  const labels = name.split('.');
  const label = egress === 'public' ? LABEL : LOCAL_LABEL;
  if (name.length > 253 || !labels.every((part) => label.test(part))) {
    return { ok: false, reason: `${JSON.stringify(host.slice(0, 260))} is not a valid host name` };
  }
  if (egress === 'public') {
    const zone = labels.at(-1)!;
    if (labels.length === 1) return { ok: false, reason: `${name} is not a full name, and ${PUBLIC_ONLY}` };
    if (PRIVATE_ZONES.has(zone)) return { ok: false, reason: `.${zone} is a private zone, and ${PUBLIC_ONLY}` };
  }
  return { ok: true, host: name, literal: false };
}

const PUBLIC_ONLY = 'only public hosts may be reached';
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
/** People's own networks hold names with underscores (containers). */
const LOCAL_LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i;

function explain(address: string, ranges: readonly Range[]): string {
  const type = isIPv4(address) ? 'ipv4' : 'ipv6';
  const what = ranges.find(([cidr]) => blockList([cidr]).check(address, type))?.[1];
  return `${address} is ${what ?? 'a reserved address'}, which may not be reached from here`;
}

const allowLists = new WeakMap<readonly string[], BlockList>();

function allowList(cidrs: readonly string[]): BlockList {
  let list = allowLists.get(cidrs);
  if (!list) {
    list = blockList(cidrs);
    allowLists.set(cidrs, list);
  }
  return list;
}

/** Throws a sentence that names the first entry that is no CIDR. */
export function blockList(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', bits, ...rest] = cidr.split('/');
    const family = isIP(address);
    const most = family === 4 ? 32 : 128;
    if (family === 0 || rest.length > 0 || (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most))) {
      throw new Error(`"${cidr}" is not a range of addresses, such as 10.0.0.0/8 or fd00::/8.`);
    }
    list.addSubnet(address, bits === undefined ? most : Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** An IPv4 range as IPv6 knows it: compatible, mapped, translated, NAT64 (its well-known prefix) and 6to4. */
function ipv6FormsOf(cidr: string): string[] {
  const [address = '', bits = ''] = cidr.split('/');
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  const prefixes = ['::ffff:', '::ffff:0:', '64:ff9b::'];
  // ::1, loopback, would be the IPv4-compatible 0.0.0.1.
  if (a !== 0) prefixes.push('::');
  return [...prefixes.map((prefix) => `${prefix}${hex}/${96 + Number(bits)}`), `2002:${hex}::/${16 + Number(bits)}`];
}

/** An interface identifier that holds an IPv4 address to tunnel to (RFC 5214), whatever the prefix. */
function isIsatap(address: string): boolean {
  const groups = ipv6Groups(address);
  return (groups[4] === '0' || groups[4] === '200') && groups[5] === '5efe';
}
