import { type FunctionUrl, FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import type { Functions } from '#infra/aws/functions.ts';
import type { DeploySettings } from '#infra/aws/settings.ts';

const FUNCTIONS_WITH_PING_URLS = ['api', 'mcp'] as const;

/**
 * Creates the URL that jobs ping: the function `ingest`, without the price of a gateway. It is open, because a ping
 * needs no key; only the rates of the service and reserved concurrency limit it. Ping URLs use it unless PING_URL is
 * set.
 */
export function makePingUrl(functions: Functions, settings: DeploySettings): FunctionUrl {
  const url = functions.ingest.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
  if (settings.PING_URL === '')
    for (const name of FUNCTIONS_WITH_PING_URLS) functions[name].addEnvironment('PING_URL', url.url);
  return url;
}
