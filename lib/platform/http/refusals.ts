import { type AppError, asAppError } from '#lib/platform/errors.ts';
import type { Log } from '#lib/platform/ports.ts';

/** Not to be served for want of a key, of rights or of room. */
const REFUSED = [401, 403, 429];

/** The end of a long list of addresses: what stands at its right was written by whom we know. */
const MOST = 200;

type Refused = {
  request_id: string;
  method: string;
  path: string;
  headers: Record<string, string | undefined>;
  /** Address of who was connected: the caller, or the last proxy before us. */
  source_ip?: string | undefined;
};

/**
 * The error that a request is answered with. Says in the log what failed, and who was refused and why: behind a proxy
 * no other log names the caller.
 */
export function refuse(log: Log, error: unknown, { headers, source_ip, ...request }: Refused): AppError {
  const shown = asAppError(error);
  const { status, code } = shown;
  if (status >= 500) log.error('request failed', { ...request, error: shown.cause ?? shown });
  if (REFUSED.includes(status)) {
    const forwarded_for = headers['x-forwarded-for']?.slice(-MOST);
    log.info('request refused', { ...request, source_ip, status, code, forwarded_for });
  }
  return shown;
}
