import type { Context } from '#lib/access/context.ts';
import { accountAlertRoutes } from '#lib/alerting/configure/account-routes.ts';
import { alertRoutes } from '#lib/alerting/configure/routes.ts';
import { makeRouter } from '#lib/platform/http/router.ts';

/** Sends a request of the caller `context` to the routes of alerting. */
export async function callAlerts(context: Context, method: string, path: string, body?: unknown) {
  const router = makeRouter([...alertRoutes, ...accountAlertRoutes], {
    authenticate: async () => context,
    anonymous: () => context,
    spend: async () => ({}),
    restrict: () => {},
    chargeCost: async () => {},
    withReadPermit: (_context, read) => read(),
    log: context.ports.log,
  });
  const [rawPath = '', rawQueryString = ''] = path.split('?');
  const answer = await router({
    rawPath,
    rawQueryString,
    headers: {},
    body: body === undefined ? undefined : JSON.stringify(body),
    isBase64Encoded: false,
    requestContext: { requestId: 'r1', http: { method, path: rawPath } },
  });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: answer.body === '' ? undefined : JSON.parse(answer.body),
  };
}
