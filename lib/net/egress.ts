import { isIP } from 'node:net';
import { blockedReason } from './address-ranges.ts';
import { type Egress, NetError } from './net.ts';

/**
 * Where outbound connections may go. Literals are checked as they stand, names after one look-up, of which every
 * address must pass; the caller connects to exactly those addresses. `allow` is EGRESS_ALLOW: CIDRs that pass always.
 */

/** All addresses of a name. Rejects with the error of the look-up, or answers [] when there is none. */
export type Resolve = (name: string) => Promise<string[]>;

/** `host` is in canonical form (`127.1` is 127.0.0.1, no brackets, no trailing dot). */
export type EgressDecision = { ok: true; host: string; literal: boolean } | { ok: false; reason: string };

/** Names that no public resolver should know (RFC 6761, 8375, 9476 and common private zones). */
const PRIVATE_ZONES = new Set(
  'localhost local internal intranet lan corp home private arpa onion test invalid example'.split(' '),
);

/** Judges a host as a person writes it: a name, an IPv4 address in any spelling, an IPv6 address with or without []. */
export function allowHost(host: string, egress: Egress, allow: readonly string[]): EgressDecision {
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
export function allowUrl(url: string | URL, egress: Egress, allow: readonly string[]): EgressDecision {
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
  verdict: EgressDecision,
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
    const reason = blockedReason(address, egress, allow);
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
    if (isIP(word)) return blockedReason(word, 'public', allow) === undefined;
    return !PRIVATE_ZONES.has(word.replace(/\.$/, '').split('.').at(-1)?.toLowerCase() ?? '');
  });

function allowCanonical(host: string, egress: Egress, allow: readonly string[]): EgressDecision {
  if (isIP(host)) {
    const reason = blockedReason(host, egress, allow);
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
