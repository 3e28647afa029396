import type { Ports } from '#lib/env.ts';
import { NetError } from '#lib/net/net.ts';

/** Timeout of the request in ms: a tick ends at most this much later, well before the next one. */
const TIMEOUT_MS = 5000;

/** Pings the external monitor at OUTER_PING_URL after a successful tick. Never throws. */
export async function pingOutside({ net, log, settings }: Ports): Promise<void> {
  const { OUTER_PING_URL: url } = settings;
  if (url === '') return;
  const request = { url, method: 'GET', timeout_ms: TIMEOUT_MS, max_body_bytes: 0, max_redirects: 0 };
  try {
    // The operator chose the address; redirects, which could lead to loopback, are not followed.
    const { status } = await net.http({ ...request, egress: 'any' });
    if (status >= 300) log.warn('outer ping refused', { status });
  } catch (error) {
    // The URL is a secret, which other errors may contain.
    log.warn('outer ping failed', { error: error instanceof NetError ? error.kind : 'internal' });
  }
}
