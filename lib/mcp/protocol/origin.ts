import { isIP } from 'node:net';
import { AppError } from '#lib/platform/errors.ts';

/**
 * A page in a browser reaches MCP from the service's own origin alone, or from one that the operator names; clients
 * that are no browser send no Origin (MCP, Transports, Security: a MUST in every version). Throws FORBIDDEN.
 * @param allowed ALLOWED_ORIGINS; its `*` is for the API
 */
export function mustBeOwnOrigin(request: Request, allowed: readonly string[]): void {
  const origin = request.headers.get('origin');
  if (origin === null || isOwnOrigin(origin, new URL(request.url).host, allowed)) return;
  throw new AppError(
    'FORBIDDEN',
    `Pages of ${origin} may not use MCP here. The operator can add it to ALLOWED_ORIGINS.`,
  );
}

/**
 * Whether pages of `origin` may use MCP at `host`; `allowed` as above. That both are the same is not enough: the
 * owner of a name can point it at this address, and so send a browser here under it (DNS rebinding).
 */
export function isOwnOrigin(origin: string, host: string, allowed: readonly string[]): boolean {
  if (origin !== '*' && allowed.includes(origin)) return true;
  const page = URL.parse(origin);
  return page !== null && page.host === host && isOwnHost(page.hostname, allowed);
}

/** A host that no stranger can point here: an address, a name without a dot, localhost, or one the operator names. */
const isOwnHost = (name: string, allowed: readonly string[]): boolean =>
  isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 ||
  !name.includes('.') ||
  name.endsWith('.localhost') ||
  allowed.some((one) => URL.parse(one)?.hostname === name);
