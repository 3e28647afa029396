import { randomUUID } from 'node:crypto';
import { type FunctionName, functions } from '#infra/topology.ts';

/** Context of an invocation: the used part of the Lambda context, and an abort signal. */
export type Invocation = {
  awsRequestId: string;
  functionName: FunctionName;
  getRemainingTimeInMillis(): number;
  /** Aborted at the timeout, because later work would write concurrently with the retry of the invocation. */
  signal: AbortSignal;
};

/** Handler of a function; its event and result depend on the event source. */
export type Handler = (event: never, context: Invocation) => Promise<unknown>;

export class TimedOut extends Error {}

/** Time (ms) for an aborted function to report its progress. */
const GRACE_MS = 1000;

/** Invokes a function with its timeout, as Lambda does. @throws its error, or TimedOut 1 s after the timeout */
export function invoke<Event, Result>(
  name: FunctionName,
  handler: Handler,
  event: Event,
  controller = new AbortController(),
): Promise<Result> {
  const limit = functions[name].timeout_seconds * 1000;
  const deadline = performance.now() + limit;
  const context: Invocation = {
    awsRequestId: randomUUID(),
    functionName: name,
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
    signal: controller.signal,
  };
  return new Promise((resolve, reject) => {
    let timer = setTimeout(() => {
      controller.abort(new TimedOut(`${name} exceeded its timeout of ${limit / 1000} s.`));
      timer = setTimeout(reject, GRACE_MS, controller.signal.reason);
    }, limit);
    const run = async () => (await handler(event as never, context)) as Result;
    run()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
