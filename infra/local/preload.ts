import { loadDecisions } from '#lib/alerting/on-change.ts';
import { apiRoutes } from '#lib/api-routes.ts';
import { builtInTools } from '#lib/mcp/tools/registry.ts';
import type { Log } from '#lib/platform/ports.ts';

/**
 * Endpoints, tools, pages and changes of state. Not sign-in, nor the libraries of rare probes: they would take memory
 * for good.
 */
const PARTS: readonly (() => Promise<unknown>)[] = [
  ...[...apiRoutes, ...builtInTools.values()].map(({ load }) => load),
  loadDecisions,
  () => import('#lib/mcp/run-bound-action.ts'),
  () => import('#lib/incidents/links/endpoint.ts'),
];

/**
 * Loads what a function on AWS leaves to the first request that needs it. A machine runs for months: so no request
 * waits for a file, or finds one of a newer version; and the next start finds all of it as JavaScript, and can do
 * without the 20 MB of what makes that of TypeScript.
 */
export async function loadRest(log: Log): Promise<void> {
  try {
    for (const load of PARTS) await load();
  } catch (error) {
    log.warn('a part could not be loaded; it is tried again with the first request that needs it', { error });
  }
}
