import type { ChannelType } from '#lib/channels/channel-type.ts';
import { type Redact, redactorOf } from '#lib/platform/secrets/redact-secrets.ts';

/** Shorter parts of an address, such as /api, are no secrets and would riddle a text. */
const SHORTEST_PART = 6;

/**
 * What takes every secret of a channel out of a text, also where a receiver quotes only the path of its address, or
 * writes it in another way than it was sent. Use it before a text is cut off.
 */
export const channelRedactor = (type: ChannelType, config: Record<string, string>): Redact =>
  redactorOf(type.secrets.flatMap((key) => (config[key] ? secretsIn(config[key]) : [])));

/** A token or a subject is one; of an address, all but its origin, and each part of that. */
function secretsIn(value: string): string[] {
  const url = URL.parse(value);
  if (!url?.host) return [value];
  const { pathname, search, hash } = url;
  const parts = [pathname, search, hash, ...pathname.split('/'), ...search.split(/[?&]/), ...search.split(/[?&=]/)];
  return [pathname + search + hash, ...parts].filter((part) => part.length >= SHORTEST_PART);
}
