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

/** Whether pages of `origin` may use MCP at `host`; `allowed` as above. */
export const isOwnOrigin = (origin: string, host: string, allowed: readonly string[]): boolean =>
  (origin !== '*' && allowed.includes(origin)) || (URL.canParse(origin) && new URL(origin).host === host);
