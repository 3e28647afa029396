import { BlockList, isIP, isIPv4 } from 'node:net';
import { ipv6Groups } from '#lib/platform/ipv6.ts';
import type { Egress } from './net.ts';

type Range = readonly [cidr: string, kind: string];

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

/** Only 2000::/3 is public in IPv6, which excludes mapped, NAT64, local and multicast addresses. */
const PUBLIC_V6 = '2000::/3';
const NOT_PUBLIC_V6: readonly Range[] = [
  ['2001::/23', 'a reserved address'],
  ['2001:db8::/32', 'a documentation address'],
  ['2002::/16', 'a 6to4 address'],
  ['3fff::/20', 'a documentation address'],
];

/** Blocked even for `any`: not worth monitoring, or a source of credentials (cloud metadata). */
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
  // Both contain IPv4 addresses that `ipv6FormsOf` does not cover: NAT64 with a local prefix (RFC 8215) splits the
  // address (RFC 6052, 2.2), and Teredo inverts it (RFC 4380, 4).
  ['64:ff9b:1::/48', 'an address translated to IPv4'],
  ['2001::/32', 'a Teredo address'],
];

/** Blocked for `any-but-self`, in addition to the ranges above. */
const SELF_V4: readonly Range[] = [['127.0.0.0/8', 'a loopback address']];
const SELF_V6: readonly Range[] = [['::1/128', 'a loopback address']];

const notPublicV4 = blockList(NOT_PUBLIC_V4.map(([cidr]) => cidr));
const publicV6 = blockList([PUBLIC_V6]);
const notPublicV6 = blockList(NOT_PUBLIC_V6.map(([cidr]) => cidr));
const closed = {
  any: closedTo(NEVER_V4, NEVER_V6),
  'any-but-self': closedTo([...NEVER_V4, ...SELF_V4], [...NEVER_V6, ...SELF_V6]),
};

function closedTo(v4: readonly Range[], v6: readonly Range[]) {
  const forms = v4.flatMap(([cidr, kind]) => ipv6FormsOf(cidr).map((form): Range => [form, kind]));
  const of = (ranges: readonly Range[]) => ({ ranges, list: blockList(ranges.map(([cidr]) => cidr)) });
  return { ipv4: of(v4), ipv6: of([...v6, ...forms]) };
}

/** Results by EGRESS_ALLOW and egress, cached because the probes of a fleet repeat the same few addresses. */
const cache = new WeakMap<readonly string[], Record<Egress, Map<string, string | undefined>>>();
const MAX_CLASSIFIED = 1_000;

/** Returns why an IP address must not be reached; undefined if it may. */
export function blockedReason(address: string, egress: Egress, allow: readonly string[]): string | undefined {
  const known = cacheOf(allow)[egress];
  if (known.has(address)) return known.get(address);
  if (known.size >= MAX_CLASSIFIED) known.clear();
  const reason = findBlockedReason(address, egress, allow);
  known.set(address, reason);
  return reason;
}

function cacheOf(allow: readonly string[]) {
  let cached = cache.get(allow);
  if (!cached) {
    cached = { any: new Map(), 'any-but-self': new Map(), public: new Map() };
    cache.set(allow, cached);
  }
  return cached;
}

function findBlockedReason(address: string, egress: Egress, allow: readonly string[]): string | undefined {
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

const REMEDY = 'the operator can allow it with EGRESS_ALLOW (docs/operate/settings.md)';

function explain(address: string, ranges: readonly Range[]): string {
  const type = isIPv4(address) ? 'ipv4' : 'ipv6';
  const kind = ranges.find(([cidr]) => blockList([cidr]).check(address, type))?.[1];
  return `${address} is ${kind ?? 'a reserved address'}, to which connections are not allowed; ${REMEDY}`;
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

/** Builds a list. Throws an error that names the first invalid CIDR. */
export function blockList(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', bits, ...rest] = cidr.split('/');
    const family = isIP(address);
    const maxBits = family === 4 ? 32 : 128;
    if (
      family === 0 ||
      rest.length > 0 ||
      (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits))
    ) {
      throw new Error(`"${cidr}" is not a range of addresses, such as 10.0.0.0/8 or fd00::/8.`);
    }
    list.addSubnet(address, bits === undefined ? maxBits : Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

/** Returns the IPv6 forms of an IPv4 range: compatible, mapped, translated, NAT64 (well-known prefix) and 6to4. */
function ipv6FormsOf(cidr: string): string[] {
  const [address = '', bits = ''] = cidr.split('/');
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  const prefixes = ['::ffff:', '::ffff:0:', '64:ff9b::'];
  // ::1, loopback, is the IPv4-compatible form of 0.0.0.1.
  if (a !== 0) prefixes.push('::');
  return [...prefixes.map((prefix) => `${prefix}${hex}/${96 + Number(bits)}`), `2002:${hex}::/${16 + Number(bits)}`];
}

/** Whether the interface identifier contains an IPv4 tunnel address (RFC 5214), with any prefix. */
function isIsatap(address: string): boolean {
  const groups = ipv6Groups(address);
  return (groups[4] === '0' || groups[4] === '200') && groups[5] === '5efe';
}
