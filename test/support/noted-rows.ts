import { pathOf } from '#infra/docs/example-requests.ts';
import type { Places } from '#infra/docs/example-steps.ts';
import { endpointOf } from '#infra/docs/openapi.ts';
import { allRoutes } from '#lib/all-routes.ts';

/** They hand out what a way in begins with. */
const BEGINNINGS = ['/v1/sign-in/passkey/options', '/v1/sign-in/passkeys/options', '/v1/sign-in/oidc'];
/** It tries settings, and stores nothing. */
const TRIALS = ['/v1/checks/test'];

/** Every endpoint of which each success is noted in the audit log, by itself: all that change something but pushes. */
export const notedRows = allRoutes
  .filter((row) => row.method !== 'GET' && row.access !== 'push' && ![...BEGINNINGS, ...TRIALS].includes(row.path))
  .map((row) => ({ ...row, endpoint: endpointOf(row) }));

export const isNoted = (endpoint: string): boolean => notedRows.some((row) => row.endpoint === endpoint);

/** The one GET that changes something; of two with one state, the second is refused. */
export const CALLBACK = 'GET /v1/sign-in/oidc/callback';

/** What deletes all that a walk has made: what was made last goes first, and what lies under a thing before it. */
export function deletions(places: Places, rows = notedRows): { endpoint: string; path: string; status: 404 | 204 }[] {
  const made = (path: string) => {
    const parts = path.split('/');
    const at = parts.findLastIndex((part) => part.startsWith('{'));
    return Object.keys(places).indexOf(parts[at - 1]!) + (at === parts.length - 1 ? 0 : 0.5);
  };
  const entity = 'DELETE /v1/blueprints/{blueprint_slug}/entities/{slug}';
  return rows
    .filter(({ method, path }) => method === 'DELETE' && path !== '/v1/session')
    .sort((a, b) => made(b.path) - made(a.path))
    .flatMap(({ endpoint, path }) => {
      // What ends all of something has nothing to miss when it is called again.
      const call = { endpoint, path: pathOf(endpoint, places), status: path.endsWith('}') ? 404 : 204 } as const;
      const rest = pathOf('GET /v1/blueprints/{blueprint_slug}/entities', places);
      return path === '/v1/blueprints/{slug}'
        ? [{ endpoint: entity, path: `${rest}/database`, status: 404 as const }, call]
        : [call];
    });
}
