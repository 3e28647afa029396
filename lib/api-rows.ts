import { auditRows } from '#lib/access/audit-routes.ts';
import type { Context } from '#lib/access/context.ts';
import { accessRows } from '#lib/access/routes.ts';
import { actionRows } from '#lib/actions/routes.ts';
import { accountAlertRows } from '#lib/alerts/account/routes.ts';
import { acknowledgeRows } from '#lib/alerts/acknowledge/routes.ts';
import { explainRows } from '#lib/alerts/explain/routes.ts';
import { incidentRows } from '#lib/alerts/incidents/routes.ts';
import { alertRows } from '#lib/alerts/policy/routes.ts';
import { meRows } from '#lib/catalog/me.ts';
import { catalogRows } from '#lib/catalog/routes.ts';
import { checkRows } from '#lib/health/checks/check-routes.ts';
import { resultRows } from '#lib/health/history/result-routes.ts';
import { pingKeyRows } from '#lib/health/pings/ping-key-routes.ts';
import { pingRows } from '#lib/health/pings/ping-routes.ts';
import { pushRows } from '#lib/health/recording/push-routes.ts';
import { testerRows } from '#lib/health/recording/tester-routes.ts';
import { historyRows } from '#lib/health/rollups/history-routes.ts';
import { statusRows } from '#lib/health/status/status-routes.ts';
import { skillRows } from '#lib/mcp/skills/skill-routes.ts';
import type { Route } from '#lib/platform/http/route.ts';
import { openapiRows } from './openapi-route.ts';

/** What the function `api` answers, one list a room. The ways to sign in have a function of their own (all-rows.ts). */
export const apiRows: Route<Context>[] = [
  ...meRows,
  ...accessRows,
  ...auditRows,
  ...catalogRows,
  ...checkRows,
  ...pushRows,
  ...pingRows,
  ...pingKeyRows,
  ...testerRows,
  ...resultRows,
  ...historyRows,
  ...statusRows,
  ...alertRows,
  ...accountAlertRows,
  ...acknowledgeRows,
  ...incidentRows,
  ...explainRows,
  ...actionRows,
  ...skillRows,
  ...openapiRows,
];
