import { AppError } from '#lib/platform/errors.ts';
import {
  isServiceHost,
  isServiceOrigin,
  type ServiceAddresses,
  unknownHostError,
} from '#lib/platform/http/service-host.ts';
import type { Settings } from '#lib/settings.ts';

/** Whose pages may use MCP: our own, and those of ALLOWED_ORIGINS, whose `*` is for the API. */
type Allowed = ServiceAddresses & Pick<Settings, 'ALLOWED_ORIGINS'>;

/**
 * A page in a browser reaches MCP from the service's own origin alone, or from one that the operator names; clients
 * that are no browser send no Origin (MCP, Transports, Security: a MUST in every version). Throws FORBIDDEN.
 */
export function assertAllowedOrigin(request: Request, settings: Allowed): void {
  const origin = request.headers.get('origin');
  const { host } = new URL(request.url);
  if (origin === null || isAllowedOrigin(origin, host, settings)) return;
  if (URL.parse(origin)?.host === host && !isServiceHost(host, settings)) throw unknownHostError(origin);
  throw new AppError(
    'FORBIDDEN',
    `Pages of ${origin} may not use MCP here. The operator can add it to ALLOWED_ORIGINS.`,
  );
}

/** Whether pages of `origin` may use MCP at `host`. */
export const isAllowedOrigin = (origin: string, host: string, settings: Allowed): boolean =>
  (origin !== '*' && settings.ALLOWED_ORIGINS.includes(origin)) || isServiceOrigin(origin, host, settings);
