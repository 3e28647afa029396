import { blockList } from '#lib/net/address-ranges.ts';

/** Ranges that tenants never reach: Lambda uses loopback for requests, link-local for credentials. */
const NEVER: readonly [base: string, bits: number, reason: string][] = [
  ['127.0.0.0', 24, 'loopback, where Lambda passes requests to a function'],
  ['::ffff:7f00:0', 120, 'loopback, where Lambda passes requests to a function'],
  ['::1', 128, 'loopback, where Lambda passes requests to a function'],
  ['169.254.0.0', 16, 'link-local, where AWS issues credentials'],
  ['::ffff:a9fe:0', 112, 'link-local, where AWS issues credentials'],
  ['fe80::', 10, 'link-local'],
  ['fd00:ec2::', 32, 'where AWS issues credentials'],
];

/** Returns why a range of EGRESS_ALLOW is not allowed on AWS; undefined if it is. Throws if it is not a valid range. */
export function neverAllowedReason(cidr: string): string | undefined {
  const [start = ''] = cidr.split('/');
  const range = blockList([cidr]);
  const typeOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4');
  const hit = NEVER.find(
    ([base, bits]) => range.check(base, typeOf(base)) || blockList([`${base}/${bits}`]).check(start, typeOf(start)),
  );
  return hit && `${cidr} overlaps ${hit[0]}/${hit[1]}, ${hit[2]}`;
}
