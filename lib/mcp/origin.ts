import { AppError } from '#lib/platform/errors.ts';

/**
 * A page in a browser reaches MCP from the service's own origin alone, or from one that the operator names: any page
 * could otherwise use a service on its visitor's machine (MCP, Security; DNS rebinding). Clients that are no browser
 * send no Origin. Throws FORBIDDEN.
 * @param allowed ALLOWED_ORIGINS; its `*` is for the API, where a key is needed that no browser adds by itself
 */
export function mustBeOwnOrigin(request: Request, allowed: readonly string[]): void {
  const origin = request.headers.get('origin');
  if (origin === null || allowed.includes(origin)) return;
  if (URL.canParse(origin) && new URL(origin).host === new URL(request.url).host) return;
  throw new AppError(
    'FORBIDDEN',
    `Pages of ${origin} may not use MCP here. The operator can add it to ALLOWED_ORIGINS.`,
  );
}
