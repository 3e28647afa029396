import { Logger } from '@aws-lambda-powertools/logger';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { Measure } from '#lib/aws/metrics.ts';
import { LOG_LEVELS, type LogLevel, redactField } from '#lib/platform/log.ts';
import type { Log, LogFields } from '#lib/platform/ports.ts';

type Invocation = Context & {
  /** Aborted shortly before the timeout: later work would overlap with the next attempt. */
  signal: AbortSignal;
};

/** Time before the timeout at which an invocation is aborted, so that it can still return its progress. */
const ABORT_BEFORE_MS = 1000;

/** Returns a Lambda handler that logs request id and errors; `measure` receives each completed invocation. */
export function lambda<Event, Result>(
  work: (event: Event, context: Invocation) => Promise<Result>,
  { log, measure }: { log: LambdaLog; measure?: Measure },
) {
  // middy's own timeout would discard the response, which names the records that failed.
  return (
    middy<Event, Result>({ timeoutEarlyInMillis: 0 })
      // Returns nothing, because middy would use a returned value as the response.
      .before(({ context }) => void log.begin(context.awsRequestId))
      .after(({ event, response }) => void measure?.(event, response))
      .onError(({ error }) => void log.error('function failed', { error }))
      .handler(async (event, context) => {
        const controller = new AbortController();
        const left = Math.max(0, context.getRemainingTimeInMillis() - ABORT_BEFORE_MS);
        const timer = setTimeout(() => controller.abort(new Error('The function has timed out.')), left);
        try {
          return await work(event, Object.assign(context, { signal: controller.signal }));
        } finally {
          clearTimeout(timer);
        }
      })
  );
}

export type LambdaLog = Log & {
  begin(requestId: string): void;
};

/** Returns the log of a function: one JSON object per line, to CloudWatch, without secrets. */
export function lambdaLog(level: LogLevel, service: string): LambdaLog {
  const logger = new Logger({
    serviceName: service,
    logLevel: level.toUpperCase() as Uppercase<LogLevel>,
    jsonReplacerFn: redactField,
  });
  // Filtered here, because the logger prefers a level that is set on the Lambda function.
  const minimum = LOG_LEVELS.indexOf(level);
  const writerOf = (name: 'info' | 'warn' | 'error') => {
    if (LOG_LEVELS.indexOf(name) < minimum) return () => {};
    return (message: string, fields: LogFields = {}) => logger[name](message, fields);
  };
  return {
    info: writerOf('info'),
    warn: writerOf('warn'),
    error: writerOf('error'),
    begin: (requestId) => logger.appendKeys({ request_id: requestId }),
  };
}
