import { pageGates } from '#lib/access/sessions/session-gate.ts';
import { envOf } from '#lib/env.ts';
import { testerRows } from '#lib/health/recording/tester-routes.ts';
import { makeRouter } from '#lib/platform/http/router.ts';
import type { Ports } from '#lib/platform/ports.ts';

/** Probes at somebody's wish: apart from the API, as it waits for servers of others. */
export const create = (ports: Ports) => makeRouter(testerRows, pageGates(envOf(ports)));
