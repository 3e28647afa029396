import '#lib/incidents/links/endpoint.ts';
import '#lib/alerting/deadlines/handle-deadlines.ts';
import '#lib/checks/assertions/evaluate-all.ts';
import '#lib/results/pings/provision-check.ts';
import '#lib/mcp/endpoint.ts';
import '#lib/report/monthly-report.ts';
import '#lib/mcp/run-bound-action.ts';
import '#lib/aws/lambda/lambda-queues.ts';
import { loadDecisions } from '#lib/alerting/on-change.ts';
import { apiRoutes } from '#lib/api-routes.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';
import { builtInTools } from '#lib/mcp/tools/registry.ts';

// The service loads these on first use. Virtual time does not wait for files, so they are loaded in advance.
await Promise.all([
  loadDecisions(),
  ...[...checkTypes.values()].map(({ probe }) => probe?.()),
  ...[...apiRoutes, ...builtInTools.values()].map(({ load }) => load()),
]);
