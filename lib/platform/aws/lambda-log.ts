import { Logger } from '@aws-lambda-powertools/logger';
import { type LogLevel, veil } from '#lib/platform/log.ts';
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
    jsonReplacerFn: veil,
  });
  const at =
    (name: 'info' | 'warn' | 'error') =>
    (message: string, fields: LogFields = {}) =>
      logger[name](message, fields);
  return {
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    begin: (requestId) => logger.appendKeys({ request_id: requestId }),
  };
}
