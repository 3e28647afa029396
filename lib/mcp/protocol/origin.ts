import { AppError } from '#lib/platform/errors.ts';
import {
  isServiceHost,
  isServiceOrigin,
  type ServiceAddresses,
  unknownHostError,
} from '#lib/platform/http/service-host.ts';
import type { Settings } from '#lib/settings.ts';

/** Origins whose pages may use MCP: the service, and ALLOWED_ORIGINS except `*`, which opens only the API. */
type OriginSettings = ServiceAddresses & Pick<Settings, 'ALLOWED_ORIGINS'>;

/** Throws FORBIDDEN for disallowed origins, as MCP requires (Transports, Security). Only browsers send `Origin`. */
export function assertAllowedOrigin(request: Request, settings: OriginSettings): void {
  const origin = request.headers.get('origin');
  const { host } = new URL(request.url);
  if (origin === null || isAllowedOrigin(origin, host, settings)) return;
  if (URL.parse(origin)?.host === host && !isServiceHost(host, settings)) throw unknownHostError(origin);
  throw new AppError(
    'FORBIDDEN',
    `Pages of ${origin} are not allowed to use MCP. The operator can add it to ALLOWED_ORIGINS.`,
  );
}

/** Whether pages of `origin` may use MCP at `host`. */
export const isAllowedOrigin = (origin: string, host: string, settings: OriginSettings): boolean =>
  (origin !== '*' && settings.ALLOWED_ORIGINS.includes(origin)) || isServiceOrigin(origin, host, settings);
