import type { AppError } from '#lib/platform/errors.ts';
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

/** Says in the log who was refused, and why. Behind a proxy no other log names the caller. */
export function logRefusal(log: Log, { status, code }: AppError, { headers, ...request }: Refused): void {
  if (!REFUSED.includes(status)) return;
  log.info('request refused', { ...request, status, code, forwarded_for: headers['x-forwarded-for']?.slice(-MOST) });
}
