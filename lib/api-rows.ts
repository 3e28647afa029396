import type { StateContext } from '#lib/checks/state/on-change.ts';
import type { LateRows } from '#lib/platform/http/late-rows.ts';

/**
 * What the function `api` answers: each list with the resources whose first request loads it. A test holds `of` to the
 * rows. The ways to sign in have a function of their own (all-rows.ts).
 */
export const apiRows: readonly LateRows<StateContext>[] = [
  { of: ['me'], load: async () => (await import('#lib/identity/me.ts')).meRows },
  { of: ['account', 'auth'], load: async () => (await import('#lib/access/routes.ts')).accessRows },
  {
    of: ['session', 'sessions', 'settings', 'invitations'],
    load: async () => (await import('#lib/identity/routes.ts')).peopleRows,
  },
  { of: ['audit'], load: async () => (await import('#lib/access/audit-routes.ts')).auditRows },
  {
    of: ['blueprints', 'entities', 'relations'],
    load: async () => (await import('#lib/catalog/routes.ts')).catalogRows,
  },
  { of: ['checks'], load: async () => (await import('#lib/history/status/check-routes.ts')).checkReadRows },
  { of: ['checks'], load: async () => (await import('#lib/checks/change/check-routes.ts')).checkRows },
  { of: ['checks'], load: async () => (await import('#lib/results/pushes/push-routes.ts')).pushRows },
  { of: ['checks'], load: async () => (await import('#lib/results/pings/ping-routes.ts')).pingRows },
  { of: ['ping-keys'], load: async () => (await import('#lib/results/pings/ping-routes.ts')).pingKeyRows },
  { of: ['checks'], load: async () => (await import('#lib/results/by-hand/tester-routes.ts')).testerRows },
  { of: ['checks'], load: async () => (await import('#lib/history/status/routes.ts')).resultRows },
  {
    of: ['checks', 'blueprints', 'history'],
    load: async () => (await import('#lib/history/rollups/history-routes.ts')).historyRows,
  },
  { of: ['status', 'health'], load: async () => (await import('#lib/history/status/routes.ts')).statusRows },
  { of: ['checks', 'notify'], load: async () => (await import('#lib/alerting/configure/routes.ts')).alertRows },
  {
    of: ['notify', 'windows'],
    load: async () => (await import('#lib/alerting/configure/account-routes.ts')).accountAlertRows,
  },
  { of: ['checks'], load: async () => (await import('#lib/incidents/routes.ts')).acknowledgeRows },
  { of: ['incidents'], load: async () => (await import('#lib/incidents/routes.ts')).incidentRows },
  {
    of: ['checks', 'status', 'transitions'],
    load: async () => (await import('#lib/alerting/explain/routes.ts')).transitionRows,
  },
  { of: ['actions'], load: async () => (await import('#lib/actions/routes.ts')).actionRows },
  { of: ['skills'], load: async () => (await import('#lib/mcp/skills/skill-routes.ts')).skillRows },
  { of: ['openapi.json'], load: async () => (await import('#lib/openapi-route.ts')).openapiRows },
];
