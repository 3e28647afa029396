import type { StateContext } from '#lib/checks/state/on-change.ts';
import type { LazyRoutes } from '#lib/platform/http/lazy-routes.ts';

/** Routes of the API except those of the function `sign-in`. The function `api` loads them by resource, on demand. */
export const apiRoutes: readonly LazyRoutes<StateContext>[] = [
  { of: ['me'], load: async () => (await import('#lib/identity/me.ts')).meRoutes },
  { of: ['account', 'auth'], load: async () => (await import('#lib/access/routes.ts')).accessRoutes },
  {
    of: ['session', 'sessions', 'settings', 'invitations'],
    load: async () => (await import('#lib/identity/routes.ts')).peopleRoutes,
  },
  { of: ['audit'], load: async () => (await import('#lib/access/audit-routes.ts')).auditRoutes },
  {
    of: ['blueprints', 'entities', 'relations'],
    load: async () => (await import('#lib/catalog/routes.ts')).catalogRoutes,
  },
  { of: ['checks'], load: async () => (await import('#lib/history/status/check-routes.ts')).checkReadRoutes },
  { of: ['checks'], load: async () => (await import('#lib/checks/change/check-routes.ts')).checkRoutes },
  { of: ['checks'], load: async () => (await import('#lib/results/pushes/push-routes.ts')).pushRoutes },
  { of: ['checks'], load: async () => (await import('#lib/results/pings/ping-routes.ts')).pingRoutes },
  { of: ['ping-keys'], load: async () => (await import('#lib/results/pings/ping-routes.ts')).pingKeyRoutes },
  { of: ['checks'], load: async () => (await import('#lib/results/manual/tester-routes.ts')).testerRoutes },
  { of: ['checks'], load: async () => (await import('#lib/history/status/routes.ts')).resultRoutes },
  {
    of: ['checks', 'blueprints', 'history'],
    load: async () => (await import('#lib/history/rollups/history-routes.ts')).historyRoutes,
  },
  { of: ['slos'], load: async () => (await import('#lib/history/slos/slo-routes.ts')).sloRoutes },
  { of: ['status', 'health'], load: async () => (await import('#lib/history/status/routes.ts')).statusRoutes },
  { of: ['checks', 'notify'], load: async () => (await import('#lib/alerting/configure/routes.ts')).alertRoutes },
  {
    of: ['monitors', 'notify', 'windows'],
    load: async () => (await import('#lib/alerting/configure/account-routes.ts')).accountAlertRoutes,
  },
  { of: ['rotas'], load: async () => (await import('#lib/alerting/configure/rotas.ts')).rotaRoutes },
  { of: ['checks'], load: async () => (await import('#lib/incidents/routes.ts')).acknowledgeRoutes },
  { of: ['incidents'], load: async () => (await import('#lib/incidents/routes.ts')).incidentRoutes },
  {
    of: ['checks', 'status', 'transitions'],
    load: async () => (await import('#lib/alerting/explain/routes.ts')).transitionRoutes,
  },
  { of: ['report'], load: async () => (await import('#lib/report/routes.ts')).reportRoutes },
  { of: ['actions'], load: async () => (await import('#lib/actions/routes.ts')).actionRoutes },
  { of: ['status-pages'], load: async () => (await import('#lib/public/pages/routes.ts')).statusPageRoutes },
  { of: ['badges'], load: async () => (await import('#lib/public/badges/routes.ts')).badgeRoutes },
  { of: ['metrics'], load: async () => (await import('#lib/metrics/routes.ts')).metricsRoutes },
  { of: ['skills'], load: async () => (await import('#lib/mcp/skills/skill-routes.ts')).skillRoutes },
  { of: ['openapi.json'], load: async () => (await import('#lib/openapi-route.ts')).openapiRoutes },
];
