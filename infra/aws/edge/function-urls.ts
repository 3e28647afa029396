import { Duration } from 'aws-cdk-lib';
import {
  type FunctionUrl,
  FunctionUrlAuthType,
  type FunctionUrlCorsOptions,
  HttpMethod,
  InvokeMode,
} from 'aws-cdk-lib/aws-lambda';
import type { Functions } from '#infra/aws/functions.ts';
import { type DeploySettings, namedOrigins } from '#infra/aws/settings.ts';
import { ALLOWED_HEADERS, EXPOSED_HEADERS } from '#infra/cors.ts';
import { type FunctionName, routes, streaming } from '#infra/topology.ts';

export type Streamed = { name: FunctionName; paths: string[]; url: FunctionUrl };

/**
 * What pages may do there: nobody but the URL itself answers a preflight. Origins are those that MCP answers to, so
 * named ones alone. A DELETE is answered (405), and clients want to see that.
 */
const corsOf = (allowedOrigins: string[]): FunctionUrlCorsOptions => ({
  allowedOrigins,
  allowedMethods: [HttpMethod.GET, HttpMethod.POST, HttpMethod.DELETE],
  allowedHeaders: [...ALLOWED_HEADERS],
  exposedHeaders: [...EXPOSED_HEADERS],
  maxAge: Duration.hours(1),
});

/**
 * A function URL for each function that streams. Behind CloudFront it takes only requests that CloudFront has signed:
 * Lambda refuses all others before it runs the function. Without CloudFront it is as open as the API, and the function
 * judges the Bearer key.
 */
export function makeFunctionUrls(functions: Functions, settings: DeploySettings): Streamed[] {
  const origins = namedOrigins(settings);
  return streaming.map((name) => ({
    name,
    paths: routes.filter((route) => route.function === name).map((route) => route.path),
    url: functions[name].addFunctionUrl({
      authType: settings.CDN ? FunctionUrlAuthType.AWS_IAM : FunctionUrlAuthType.NONE,
      invokeMode: InvokeMode.RESPONSE_STREAM,
      ...(origins.length > 0 && { cors: corsOf(origins) }),
    }),
  }));
}
