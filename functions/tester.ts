import { onChange } from '#lib/alerting/on-change.ts';
import { envOf, type Ports } from '#lib/env.ts';
import { pageGates } from '#lib/identity/sessions/session-gate.ts';
import { makeRouter } from '#lib/platform/http/router.ts';
import { testerRoutes } from '#lib/results/manual/tester-routes.ts';

/** Probes at somebody's wish: apart from the API, as it waits for servers of others. */
export const create = (ports: Ports) => makeRouter(testerRoutes, pageGates({ ...envOf(ports), onChange }));
