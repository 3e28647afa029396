import { loadDecisions } from '#lib/alerting/on-change.ts';
import { apiRoutes } from '#lib/api-routes.ts';
import { builtInTools } from '#lib/mcp/tools/registry.ts';
import type { Log } from '#lib/platform/ports.ts';

/** Lazy parts except sign-in and the libraries of rare probes, which would take memory permanently. */
const PARTS: readonly (() => Promise<unknown>)[] = [
  ...[...apiRoutes, ...builtInTools.values()].map(({ load }) => load),
  loadDecisions,
  () => import('#lib/mcp/run-bound-action.ts'),
  () => import('#lib/incidents/links/endpoint.ts'),
];

/** Loads lazy parts, so that no request waits, changed files have no effect, and the next start finds compiled code. */
export async function loadLazyParts(log: Log): Promise<void> {
  try {
    for (const load of PARTS) await load();
  } catch (error) {
    log.warn('lazy part not loaded, will be retried on the first request that needs it', { error });
  }
}
