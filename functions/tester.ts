import { onChange } from '#lib/alerting/on-change.ts';
import { envOf, type Ports } from '#lib/env.ts';
import { sessionGates } from '#lib/identity/sessions/session-gate.ts';
import { makeRouter } from '#lib/platform/http/router.ts';
import { testerRoutes } from '#lib/results/manual/tester-routes.ts';

/** Serves settings tests and manual runs: separate from the API because it waits for targets. */
export const create = (ports: Ports) => makeRouter(testerRoutes, sessionGates({ ...envOf(ports), onChange }));
