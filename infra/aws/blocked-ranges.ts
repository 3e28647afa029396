import { blockList } from '#lib/net/address-ranges.ts';

/** Never reachable for tenants: Lambda hands a function its work on loopback, and machines get credentials there. */
const NEVER: readonly [base: string, bits: number, what: string][] = [
  ['127.0.0.0', 24, 'loopback, where Lambda gives a function its work'],
  ['::ffff:7f00:0', 120, 'loopback, where Lambda gives a function its work'],
  ['::1', 128, 'loopback, where Lambda gives a function its work'],
  ['169.254.0.0', 16, 'link-local, where AWS gives out credentials'],
  ['::ffff:a9fe:0', 112, 'link-local, where AWS gives out credentials'],
  ['fe80::', 10, 'link-local'],
  ['fd00:ec2::', 32, 'where AWS gives out credentials'],
];

/** Why a range of EGRESS_ALLOW cannot be allowed on AWS; undefined when it can. Throws when it is no range. */
export function neverAllowed(cidr: string): string | undefined {
  const [start = ''] = cidr.split('/');
  const given = blockList([cidr]);
  const typeOf = (address: string) => (address.includes(':') ? 'ipv6' : 'ipv4');
  const hit = NEVER.find(
    ([base, bits]) => given.check(base, typeOf(base)) || blockList([`${base}/${bits}`]).check(start, typeOf(start)),
  );
  return hit && `${cidr} holds ${hit[0]}/${hit[1]}, ${hit[2]}`;
}
