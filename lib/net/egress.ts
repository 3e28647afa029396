import { isIP } from 'node:net';
import { blockedReason } from './address-ranges.ts';
import { type Egress, NetError } from './net.ts';

/**
 * Decides allowed destinations of outbound connections. IP addresses are checked as is. A name is looked up once and
 * all its addresses must be allowed; the caller connects only to those. `allow` (EGRESS_ALLOW): always allowed CIDRs.
 */

/** Returns all addresses of a name, [] if it has none. Rejects with the error of the lookup. */
export type Resolve = (name: string) => Promise<string[]>;

/** `host` is canonical (`127.1` is 127.0.0.1, no brackets, no trailing dot). `literal`: whether it is an IP address. */
export type EgressDecision = { ok: true; host: string; literal: boolean } | { ok: false; reason: string };

/** Private zones (RFC 6761, 6762, 7686, 8375 and common names). */
const PRIVATE_ZONES = new Set(
  'localhost local internal intranet lan corp home private arpa onion test invalid example'.split(' '),
);

/** Decides about a host in any spelling: a name, an IPv4 address, an IPv6 address with or without []. */
export function allowHost(host: string, egress: Egress, allow: readonly string[]): EgressDecision {
  const canonical = canonicalHost(host);
  return canonical === undefined
    ? { ok: false, reason: `${JSON.stringify(host)} is neither a host name nor an IP address` }
    : allowCanonical(canonical, egress, allow);
}

/** Returns the canonical host: `127.1` as 127.0.0.1, `Bücher.de.` as xn--bcher-kva.de; undefined if not a host. */
export function canonicalHost(host: string): string | undefined {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  if (isIP(bare)) return bare.includes('%') ? undefined : bare;
  // With one of these characters, a URL parser could read more than a host, such as a port or path.
  if (!/^[^\s/?#@:\\[\]%]+$/.test(host)) return undefined;
  const name = URL.parse(`http://${host}/`)?.hostname.replace(/\.$/, '');
  if (!name || isIP(name)) return name || undefined;
  return name.length <= 253 && name.split('.').every((label) => LOCAL_LABEL.test(label)) ? name : undefined;
}

/** Decides about a URL: http or https, an allowed host, no user:password@, no port 0. */
export function allowUrl(url: string | URL, egress: Egress, allow: readonly string[]): EgressDecision {
  const parsed = typeof url === 'string' ? URL.parse(url) : url;
  if (!parsed) return { ok: false, reason: 'it is not an absolute URL, such as https://example.com/' };
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
    return { ok: false, reason: `only http and https are allowed, not ${parsed.protocol}` };
  }
  if (parsed.username || parsed.password)
    return { ok: false, reason: 'a URL must not contain user:password@; use headers' };
  if (parsed.port === '0') return { ok: false, reason: 'port 0 cannot be connected to' };
  const { hostname } = parsed;
  return allowCanonical(hostname.startsWith('[') ? hostname.slice(1, -1) : hostname, egress, allow);
}

/** Returns the addresses of an allowed host. Throws `NetError`: `egress` if any is refused, `dns` if it has none. */
export async function resolveAllowed(
  decision: EgressDecision,
  egress: Egress,
  allow: readonly string[],
  resolve: Resolve,
): Promise<string[]> {
  if (!decision.ok) throw new NetError('egress', `refused: ${decision.reason}`);
  if (decision.literal) return [decision.host];
  const addresses = await resolve(decision.host);
  if (addresses.length === 0) {
    throw new NetError('dns', `the name ${decision.host} has no address (neither A nor AAAA record)`);
  }
  for (const address of addresses) {
    const reason = blockedReason(address, egress, allow);
    if (reason)
      throw new NetError('egress', `refused: ${decision.host} resolves to ${resolvedText(address, reason, egress)}`);
  }
  return addresses;
}

/** Describes a refused address. If only public hosts may be reached, omits it, because it can be a private address. */
const resolvedText = (address: string, reason: string, egress: Egress): string =>
  egress === 'public' ? `an address that is not public, and ${PUBLIC_ONLY}` : `${address}; ${reason}`;

/** Whether a DNS value contains no private address or zone, and so can be shown if only public hosts may be reached. */
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
/** Names in private networks, such as container names, can contain underscores. */
const LOCAL_LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i;
