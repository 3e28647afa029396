import { headOf, withoutPort } from '#lib/actions/template/url-template.ts';
import { allowUrl } from '#lib/net/egress.ts';
import { NetError } from '#lib/net/net.ts';
import { invalid } from '#lib/platform/errors.ts';
import type { Ports } from '#lib/platform/ports.ts';
import { hasPlaceholder, replacePlaceholders } from '#lib/platform/template/placeholders.ts';

/** Actions go to public addresses, whatever CHECK_EGRESS says (docs/CONTRACT.md#egress). */
export const EGRESS = 'public';

/** For the look-up of a name while the caller waits; what takes longer is validated at each run. */
const LOOK_UP_MS = 3000;

/**
 * Validates what is known of an action's URL now: its scheme, and its host unless that has a placeholder. A name that
 * does not resolve today is accepted. Every run validates again. Throws VALIDATION_ERROR at `url`.
 */
export async function guardUrl({ net, settings }: Pick<Ports, 'net' | 'settings'>, template: string): Promise<void> {
  const head = headOf(template);
  if (hasPlaceholder(withoutPort(head))) return guardTemplated(head);
  // No placeholder is left that could change where it leads.
  const verdict = allowUrl(replacePlaceholders(template, '1'), EGRESS, settings.EGRESS_ALLOW);
  if (!verdict.ok) throw invalid('url', verdict.reason);
  if (hasPlaceholder(template)) mustShowItsHost(template);
  if (verdict.literal) return;
  try {
    await net.guard({ host: verdict.host, timeout_ms: LOOK_UP_MS, egress: EGRESS });
  } catch (error) {
    if (!(error instanceof NetError)) throw error;
    if (error.kind === 'egress') throw invalid('url', error.message);
  }
}

function guardTemplated(head: string): void {
  const scheme = /^([^{}:]*):/.exec(head)?.[1];
  if (head.includes('@')) throw invalid('url', 'a URL may not hold user:password@; use headers');
  if (scheme !== undefined ? !/^https?$/i.test(scheme) : !head.startsWith('{{')) {
    throw invalid('url', BEGINNING);
  }
  if (scheme !== undefined) mustShowItsHost(head);
}

const BEGINNING = 'must begin with http://, https:// or a placeholder that holds the beginning';

/** `https:/{{host}}` would have its host where a path belongs. */
function mustShowItsHost(template: string): void {
  if (!/^https?:\/\/[^/\\?#]/i.test(template)) throw invalid('url', BEGINNING);
}
