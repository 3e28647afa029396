import { gates } from '#lib/access/authenticate.ts';
import { apiRows } from '#lib/api-rows.ts';
import { keyTable } from '#lib/keys.ts';
import type { ApiEvent, ApiResult } from '#lib/platform/api-event.ts';
import type { Ports } from '#lib/platform/ports.ts';
import { makeRouter } from '#lib/platform/router.ts';

/** Answers every endpoint but those of functions that scale by themselves (infra/topology.ts, routes). */
export function create(ports: Ports): (event: ApiEvent) => Promise<ApiResult> {
  return makeRouter(apiRows, gates(ports, keyTable(ports.settings)));
}
