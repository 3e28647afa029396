import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import type { Functions } from '#infra/aws/functions.ts';
import type { DeploySettings } from '#infra/aws/settings.ts';

const FUNCTIONS_THAT_SHOW_PING_URLS = ['api', 'mcp'] as const;

/**
 * Sets and returns the base of ping URLs: PING_URL, or the domain of the service, or the API. These have a throttle,
 * and all but the API can move to another stack. `PING_URL=function` creates an open URL of the function `ingest`,
 * which has no throttle and cannot move; only the rates of the service and reserved concurrency limit it.
 */
export function makePingUrl(functions: Functions, api: HttpApi, settings: DeploySettings): string {
  const { PING_URL, DOMAIN_NAME } = settings;
  const base =
    PING_URL === 'function'
      ? functions.ingest.addFunctionUrl({ authType: FunctionUrlAuthType.NONE }).url
      : PING_URL || (DOMAIN_NAME === '' ? api.apiEndpoint : `https://${DOMAIN_NAME}`);
  for (const name of FUNCTIONS_THAT_SHOW_PING_URLS) functions[name].addEnvironment('PING_URL', base);
  return base;
}
