import { Duration } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CfnRoute,
  type CfnStage,
  CorsHttpMethod,
  HttpApi,
  HttpMethod,
  type HttpRoute,
  HttpStage,
  LogGroupLogDestination,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { type Functions, makeLogGroup } from '#infra/aws/functions.ts';
import { burstOf, corsOrigins, type DeploySettings } from '#infra/aws/settings.ts';
import { ALLOWED_HEADERS, ALLOWED_METHODS, EXPOSED_HEADERS } from '#infra/cors.ts';
import { type FunctionName, routes, functions as specs } from '#infra/topology.ts';

/** Creates the HTTP API and its access log; each function authenticates its callers. */
export function makeHttp(
  scope: Construct,
  functions: Functions,
  settings: DeploySettings,
): { api: HttpApi; accessLog: LogGroup } {
  const integrations = new Map<FunctionName, HttpLambdaIntegration>();
  const integrationOf = (name: FunctionName) => {
    const known = integrations.get(name);
    if (known) return known;
    const created = new HttpLambdaIntegration(`To-${name}`, functions[name], {
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
    });
    integrations.set(name, created);
    return created;
  };
  const all = routes.find(isCatchAll);
  const api = new HttpApi(scope, 'Api', {
    apiName: settings.STACK_NAME,
    description: 'Fleetwatch',
    createDefaultStage: false,
    corsPreflight: {
      allowOrigins: corsOrigins(settings),
      allowMethods: ALLOWED_METHODS.map((method) => CorsHttpMethod[method]),
      allowHeaders: [...ALLOWED_HEADERS],
      exposeHeaders: [...EXPOSED_HEADERS],
      maxAge: Duration.hours(1),
    },
    // Serves all other requests, including methods of `/` other than GET and HEAD, which `/{proxy+}` would not match.
    ...(all && { defaultIntegration: integrationOf(all.function) }),
  });
  const pushRoutes: HttpRoute[] = [];
  const visitorRoutes: HttpRoute[] = [];
  for (const route of routes.filter((route) => !isCatchAll(route) && !specs[route.function].streams)) {
    const methods = [HttpMethod[route.method as keyof typeof HttpMethod]];
    const created = api.addRoutes({ path: route.path, methods, integration: integrationOf(route.function) });
    if (route.function === 'ingest') pushRoutes.push(...created);
    if (route.function === 'public') visitorRoutes.push(...created);
  }
  // AWS permits delivery to groups with this prefix. Others need an entry of their own in a policy of limited size.
  const accessLog = makeLogGroup(scope, 'access', settings, `/aws/vendedlogs/${settings.STACK_NAME}/access`);
  const stage = new HttpStage(scope, 'Stage', {
    httpApi: api,
    stageName: '$default',
    autoDeploy: true,
    throttle: { rateLimit: settings.THROTTLE_RATE, burstLimit: settings.THROTTLE_BURST },
    // Requests that reached no function (throttled or rejected by the gateway) appear only here.
    accessLogSettings: {
      destination: new LogGroupLogDestination(accessLog),
      format: AccessLogFormat.custom(JSON.stringify(ACCESS)),
    },
  });
  throttle(stage, [
    { routes: pushRoutes, rate: settings.THROTTLE_PUSH_RATE },
    { routes: visitorRoutes, rate: settings.THROTTLE_PUBLIC_RATE },
  ]);
  return { api, accessLog };
}

/** Gives routes their own throttle, so that visitors and other requests never cause a rejected heartbeat. */
function throttle(stage: HttpStage, limits: { routes: HttpRoute[]; rate: number }[]): void {
  const routes = limits.flatMap((one) => one.routes);
  const { defaultChild } = stage.node;
  const settings = limits.flatMap(({ routes: own, rate }) =>
    own.map((route) => [
      (route.node.defaultChild as CfnRoute).routeKey,
      { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burstOf(rate) },
    ]),
  );
  (defaultChild as CfnStage).routeSettings = Object.fromEntries(settings);
  // A stage needs its routes before it can configure them.
  stage.node.addDependency(...routes);
}

const isCatchAll = ({ method, path }: { method: string; path: string }) => method === 'ANY' && path === '/{proxy+}';

const ACCESS = {
  request_id: '$context.requestId',
  at: '$context.requestTime',
  source_ip: '$context.identity.sourceIp',
  method: '$context.httpMethod',
  // Without the path: that of a ping, an alert link or a calendar is a secret.
  route: '$context.routeKey',
  status: '$context.status',
  // `-` if no function was called.
  integration_status: '$context.integrationStatus',
  latency_ms: '$context.responseLatency',
  error: '$context.error.message',
};
