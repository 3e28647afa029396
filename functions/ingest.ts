import { gates } from '#lib/access/authenticate.ts';
import { envOf } from '#lib/env.ts';
import { pushRows } from '#lib/health/recording/push-routes.ts';
import { PUSH_HEADERS } from '#lib/platform/http/answer-headers.ts';
import { makeRouter } from '#lib/platform/http/router.ts';
import type { Ports } from '#lib/platform/ports.ts';

/** Takes results and heartbeats: the hot path, apart from the API so that its bundle and its faults stay small. */
export const create = (ports: Ports) => makeRouter(pushRows, gates(envOf(ports)), PUSH_HEADERS);
