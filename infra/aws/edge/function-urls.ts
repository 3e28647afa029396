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

/** CORS of a function URL: only named origins, as MCP ignores `*`. DELETE is included because clients read its 405. */
const corsOf = (allowedOrigins: string[]): FunctionUrlCorsOptions => ({
  allowedOrigins,
  allowedMethods: [HttpMethod.GET, HttpMethod.POST, HttpMethod.DELETE],
  allowedHeaders: [...ALLOWED_HEADERS],
  exposedHeaders: [...EXPOSED_HEADERS],
  maxAge: Duration.hours(1),
});

/**
 * Creates the URLs of streaming functions. With CloudFront, Lambda rejects requests that CloudFront has not signed.
 * Without CloudFront, a URL is open, and the function validates the Bearer key.
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
