import { isIP } from 'node:net';
import * as z from 'zod';
import type { ActionItem } from '#lib/actions/action-item.ts';
import type { Ports } from '#lib/env.ts';
import { allowUrl, canonicalHost } from '#lib/net/egress.ts';
import { NetError } from '#lib/net/net.ts';
import { invalid } from '#lib/platform/errors.ts';
import { hasPlaceholder, replacePlaceholders } from '#lib/platform/template.ts';
import { hasFixedHost, headOf, withoutPort } from './url-template.ts';

const MAX_HOSTS = 20;

function canonical(pattern: string): string | undefined {
  if (!pattern.startsWith('*.')) return canonicalHost(pattern);
  const name = canonicalHost(pattern.slice(2));
  // Anyone can register a name below .com.
  return name !== undefined && isIP(name) === 0 && name.includes('.') ? `*.${name}` : undefined;
}

/** Hosts that an action is allowed to call, in canonical form. */
export const AllowedHosts = z
  .array(z.string().max(255))
  .max(MAX_HOSTS, `must have at most ${MAX_HOSTS} hosts`)
  .transform((patterns, context) =>
    patterns.map((pattern, i) => {
      const host = canonical(pattern);
      if (host !== undefined) return host;
      const message =
        'must be a host such as api.example.com, or *.example.com for all names below it; no port, no path';
      context.addIssue({ code: 'custom', path: [i], message, input: pattern });
      return z.NEVER;
    }),
  );

/** Whether a URL leads to one of the hosts; true for an empty list. */
export function allows(hosts: readonly string[], url: string): boolean {
  if (hosts.length === 0) return true;
  const host = canonicalHost(URL.parse(url)?.hostname ?? '');
  return (
    host !== undefined &&
    hosts.some((one) => (one.startsWith('*.') ? isIP(host) === 0 && host.endsWith(one.slice(1)) : one === host))
  );
}

/** Throws VALIDATION_ERROR if headers, which hold secrets, could be sent to any host, or if `url` is not allowed. */
export function assertHostsLimited({
  url,
  headers,
  allowed_hosts,
}: Pick<ActionItem, 'url' | 'headers' | 'allowed_hosts'>): void {
  if (allowed_hosts.length === 0 && Object.keys(headers).length > 0 && !hasFixedHost(url)) {
    const why = 'the host in url has no fixed end such as .example.com, so headers could be sent to any host';
    throw invalid('allowed_hosts', `is required: ${why}. List the hosts, such as *.example.com`);
  }
  if (!hasPlaceholder(withoutPort(headOf(url))) && !allows(allowed_hosts, replacePlaceholders(url, '1'))) {
    throw invalid('allowed_hosts', 'does not contain the host of url, so no execution could be sent');
  }
}

/**
 * Whether a changed action can call only origins that it could call before. With a placeholder in the host, the part
 * before the path must not change, and `allowed_hosts` must not become wider.
 */
export function staysAtOrigin(
  next: Pick<ActionItem, 'url' | 'allowed_hosts'>,
  before: Pick<ActionItem, 'url' | 'allowed_hosts'>,
): boolean {
  const [head, head_before] = [headOf(next.url), headOf(before.url)];
  if (!hasPlaceholder(head) && !hasPlaceholder(head_before)) {
    return URL.parse(head)?.origin === URL.parse(head_before)?.origin;
  }
  const { allowed_hosts: hosts } = before;
  const isNarrower =
    hosts.length === 0 || (next.allowed_hosts.length > 0 && next.allowed_hosts.every((one) => hosts.includes(one)));
  return head === head_before && isNarrower;
}

/** Egress of actions: public addresses, whatever CHECK_EGRESS is (docs/develop/guarantees.md#egress). */
export const EGRESS = 'public';

/** Timeout (ms) of the DNS lookup while the caller waits; each execution validates again. */
const LOOKUP_TIMEOUT_MS = 3000;

/**
 * Validates the known part of an action's URL: its scheme, and its host unless it has a placeholder. A name that does
 * not resolve is accepted, because every execution validates again. Throws VALIDATION_ERROR at `url`.
 */
export async function guardUrl({ net, settings }: Pick<Ports, 'net' | 'settings'>, template: string): Promise<void> {
  const head = headOf(template);
  if (hasPlaceholder(withoutPort(head))) return guardTemplated(head);
  // No placeholder can change the destination.
  const verdict = allowUrl(replacePlaceholders(template, '1'), EGRESS, settings.EGRESS_ALLOW);
  if (!verdict.ok) throw invalid('url', verdict.reason);
  if (hasPlaceholder(template)) assertSchemeAndHost(template);
  if (verdict.literal) return;
  try {
    await net.guard({ host: verdict.host, timeout_ms: LOOKUP_TIMEOUT_MS, egress: EGRESS });
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    if (error.kind === 'egress') throw invalid('url', error.message);
  }
}

function guardTemplated(head: string): void {
  const scheme = /^([^{}:]*):/.exec(head)?.[1];
  if (head.includes('@')) throw invalid('url', 'a URL must not contain user:password@; use headers');
  if (scheme !== undefined ? !/^https?$/i.test(scheme) : !head.startsWith('{{')) {
    throw invalid('url', MUST_START);
  }
  if (scheme !== undefined) assertSchemeAndHost(head);
}

const MUST_START = 'must start with http://, https:// or a placeholder with such a value';

function assertSchemeAndHost(template: string): void {
  if (!/^https?:\/\/[^/\\?#]/i.test(template)) throw invalid('url', MUST_START);
}
