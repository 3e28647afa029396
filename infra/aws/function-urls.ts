import { type FunctionUrl, FunctionUrlAuthType, InvokeMode } from 'aws-cdk-lib/aws-lambda';
import { type FunctionName, routes, functions as specs } from '#infra/topology.ts';
import type { Functions } from './functions.ts';

export type Streamed = { name: FunctionName; paths: string[]; url: FunctionUrl };

/**
 * An address that streams for each function that does. Open as the API is: who calls is judged inside, by the Bearer
 * key (signing at CloudFront would take the place of that very header).
 */
export function makeFunctionUrls(functions: Functions): Streamed[] {
  return (Object.keys(specs) as FunctionName[])
    .filter((name) => specs[name].streams)
    .map((name) => ({
      name,
      paths: routes.filter((route) => route.function === name).map((route) => route.path),
      url: functions[name].addFunctionUrl({
        authType: FunctionUrlAuthType.NONE,
        invokeMode: InvokeMode.RESPONSE_STREAM,
      }),
    }));
}
