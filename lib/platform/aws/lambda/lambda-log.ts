import { Logger } from '@aws-lambda-powertools/logger';
import { LOG_LEVELS, type LogLevel, redactField } from '#lib/platform/log.ts';
import type { Log, LogFields } from '#lib/platform/ports.ts';

export type LambdaLog = Log & {
  /** Every line from here on carries this request's id. */
  begin(requestId: string): void;
};

/** The log of a function: one JSON object a line, to CloudWatch. What is a secret by its name is never shown. */
export function lambdaLog(level: LogLevel, service: string): LambdaLog {
  const logger = new Logger({
    serviceName: service,
    logLevel: level.toUpperCase() as Uppercase<LogLevel>,
    jsonReplacerFn: redactField,
  });
  // Judged here: where Lambda has a level of its own, the logger goes by that one.
  const lowest = LOG_LEVELS.indexOf(level);
  const at = (name: 'info' | 'warn' | 'error') => {
    if (LOG_LEVELS.indexOf(name) < lowest) return () => {};
    return (message: string, fields: LogFields = {}) => logger[name](message, fields);
  };
  return {
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    begin: (requestId) => logger.appendKeys({ request_id: requestId }),
  };
}
