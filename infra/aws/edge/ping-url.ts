import { type FunctionUrl, FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import type { Functions } from '#infra/aws/functions.ts';
import type { DeploySettings } from '#infra/aws/settings.ts';

/** Functions that show checks with their ping URLs. */
const SHOWING = ['api', 'mcp'] as const;

/**
 * The address that jobs ping: the function `ingest` itself, without the price of a gateway. It is open, as a ping needs
 * no key, and nothing throttles it but the rates of the service and the function's reserved concurrency. Ping URLs lead
 * there, unless the operator has said where else.
 */
export function makePingUrl(functions: Functions, settings: DeploySettings): FunctionUrl {
  const url = functions.ingest.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
  if (settings.PING_URL === '') for (const name of SHOWING) functions[name].addEnvironment('PING_URL', url.url);
  return url;
}
