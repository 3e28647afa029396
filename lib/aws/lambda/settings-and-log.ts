import { readLogging } from '#lib/aws/environment.ts';
import type { Ports } from '#lib/env.ts';
import { readSettings, type Settings } from '#lib/settings.ts';
import { type LambdaLog, lambdaLog } from './lambda.ts';

/** Returns settings and log of a function without table, queues and network. Throws for an invalid variable. */
export function settingsAndLog(env: Record<string, string | undefined>): Pick<Ports, 'settings'> & { log: LambdaLog } {
  const { LOG_LEVEL, POWERTOOLS_SERVICE_NAME } = readLogging(env);
  return { settings: readLambdaSettings(env), log: lambdaLog(LOG_LEVEL, POWERTOOLS_SERVICE_NAME) };
}

/** Parses the settings. Hosts are proven, because CloudFront and API Gateway reject requests to other hosts. */
export const readLambdaSettings = (env: Record<string, string | undefined>): Settings => ({
  ...readSettings(env),
  are_hosts_proven: true,
});
