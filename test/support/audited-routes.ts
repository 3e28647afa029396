import { pathOf } from '#infra/docs/example-requests.ts';
import type { PathIds } from '#infra/docs/example-steps.ts';
import { endpointOf } from '#infra/docs/openapi.ts';
import { allRoutes } from '#lib/all-routes.ts';

/** Routes that return the parameters of a sign-in or registration. */
const BEGINNINGS = ['/v1/sign-in/passkey/options', '/v1/sign-in/passkeys/options', '/v1/sign-in/oidc'];
/** Routes that test settings or preview a page, and store nothing. */
const DRY_RUNS = ['/v1/checks/test', '/v1/status-pages/{id}/preview'];

/** Routes whose every success is recorded in the audit log: all routes that change something, except pushes. */
export const auditedRoutes = allRoutes
  .filter(
    (route) => route.method !== 'GET' && route.access !== 'push' && ![...BEGINNINGS, ...DRY_RUNS].includes(route.path),
  )
  .map((route) => ({ ...route, endpoint: endpointOf(route) }));

/** Returns the number of audit entries that a success adds. A monitor consists of an entity, a check and a channel. */
export const entriesOf = (endpoint: string): number =>
  endpoint === 'POST /v1/monitors' ? 3 : Number(auditedRoutes.some((route) => route.endpoint === endpoint));

/** The only GET that changes something; a second call with the same state is rejected. */
export const CALLBACK = 'GET /v1/sign-in/oidc/callback';

/** Slugs of the other entities that the walk over the API creates: `pathIds` has only one slug. */
const OTHER_ENTITIES = ['database', 'pay-example-com'];

/**
 * Returns the requests that delete everything that a walk created: the newest first, and children before parents.
 * `status` is the response to a repeated request.
 */
export function deletions(
  pathIds: PathIds,
  routes = auditedRoutes,
): { endpoint: string; path: string; status: 404 | 204 }[] {
  const creationOrderOf = (path: string) => {
    const parts = path.split('/');
    const at = parts.findLastIndex((part) => part.startsWith('{'));
    return Object.keys(pathIds).indexOf(parts[at - 1]!) + (at === parts.length - 1 ? 0 : 0.5);
  };
  const entity = 'DELETE /v1/blueprints/{blueprint_slug}/entities/{slug}';
  return routes
    .filter(({ method, path }) => method === 'DELETE' && path !== '/v1/session')
    .sort((a, b) => creationOrderOf(b.path) - creationOrderOf(a.path))
    .flatMap(({ endpoint, path }) => {
      // An endpoint that deletes all records of a kind succeeds again when it is repeated.
      const call = { endpoint, path: pathOf(endpoint, pathIds), status: path.endsWith('}') ? 404 : 204 } as const;
      const rest = pathOf('GET /v1/blueprints/{blueprint_slug}/entities', pathIds);
      return path === '/v1/blueprints/{slug}'
        ? [...OTHER_ENTITIES.map((slug) => ({ endpoint: entity, path: `${rest}/${slug}`, status: 404 as const })), call]
        : [call];
    });
}
