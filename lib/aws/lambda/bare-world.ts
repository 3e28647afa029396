import { readLogging } from '#lib/aws/environment.ts';
import type { Ports } from '#lib/env.ts';
import { readSettings } from '#lib/settings.ts';
import { type LambdaLog, lambdaLog } from './lambda.ts';

/** Returns settings and log of a function without table, queues and network. Throws for an invalid variable. */
export function bareWorld(env: Record<string, string | undefined>): Pick<Ports, 'settings'> & { log: LambdaLog } {
  const { LOG_LEVEL, POWERTOOLS_SERVICE_NAME } = readLogging(env);
  return { settings: readSettings(env), log: lambdaLog(LOG_LEVEL, POWERTOOLS_SERVICE_NAME) };
}
