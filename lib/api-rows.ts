import type { Context } from '#lib/access/context.ts';
import { accessRows } from '#lib/access/routes.ts';
import { actionRows } from '#lib/actions/routes.ts';
import { alertRows } from '#lib/alerts/routes.ts';
import { catalogRows } from '#lib/catalog/routes.ts';
import { checkRows } from '#lib/health/check-routes.ts';
import { pushRows } from '#lib/health/push-routes.ts';
import { resultRows } from '#lib/health/result-routes.ts';
import { statusRows } from '#lib/health/status-routes.ts';
import { skillRows } from '#lib/mcp/skill-routes.ts';
import type { Route } from '#lib/platform/route.ts';
import { openapiRows } from './openapi-route.ts';

/** Every endpoint of the API, one list a room. */
export const apiRows: Route<Context>[] = [
  ...accessRows,
  ...catalogRows,
  ...checkRows,
  ...pushRows,
  ...resultRows,
  ...statusRows,
  ...alertRows,
  ...actionRows,
  ...skillRows,
  ...openapiRows,
];
