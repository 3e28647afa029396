import { Logger } from '@aws-lambda-powertools/logger';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
import type { Measure } from '#lib/aws/metrics.ts';
import { LOG_LEVELS, type LogLevel, redactField } from '#lib/platform/log.ts';
import type { Log, LogFields } from '#lib/platform/ports.ts';

/** What a function learns of its run, beside the event. */
type Invocation = Context & {
  /** Aborted shortly before the function's time-out: work that goes on after it would write beside its successor. */
  signal: AbortSignal;
};

/** How long before its time-out a run is told to end, so that it can still say how far it came. */
const GRACE_MS = 1000;

/**
 * A handler as Lambda calls it: every line of its log carries the request's id, an error is logged before Lambda sees
 * it, and `measure` looks at each run that has ended.
 */
export function lambda<Event, Answer>(
  work: (event: Event, context: Invocation) => Promise<Answer>,
  { log, measure }: { log: LambdaLog; measure?: Measure },
) {
  // Time is kept here, as middy's own time-out forgets the work and with it which records were done.
  return (
    middy<Event, Answer>({ timeoutEarlyInMillis: 0 })
      // Nothing is given back here: middy would answer that.
      .before(({ context }) => void log.begin(context.awsRequestId))
      .after(({ event, response }) => void measure?.(event, response))
      .onError(({ error }) => void log.error('a function failed', { error }))
      .handler(async (event, context) => {
        const controller = new AbortController();
        const left = Math.max(0, context.getRemainingTimeInMillis() - GRACE_MS);
        const timer = setTimeout(() => controller.abort(new Error('The function is at its time-out.')), left);
        try {
          return await work(event, Object.assign(context, { signal: controller.signal }));
        } finally {
          clearTimeout(timer);
        }
      })
  );
}

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
