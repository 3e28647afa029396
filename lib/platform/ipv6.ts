/** Returns the eight groups of an IPv6 address in hex without leading zeros. */
export function ipv6Groups(address: string): string[] {
  const canonical = (URL.parse(`http://[${address}]/`)?.hostname ?? '').slice(1, -1);
  const [head = '', tail = ''] = canonical.split('::');
  const left = head.split(':').filter(Boolean);
  const right = tail.split(':').filter(Boolean);
  return [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right];
}
