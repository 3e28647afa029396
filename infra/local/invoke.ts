import { randomUUID } from 'node:crypto';
import { type FunctionName, functions } from '#infra/topology.ts';

/** What a function learns of its run, beside the event: Lambda's context as far as it is used, and an abort signal. */
export type Invocation = {
  awsRequestId: string;
  functionName: FunctionName;
  getRemainingTimeInMillis(): number;
  /** Aborted at the function's time-out: work that goes on after it would write beside its successor. */
  signal: AbortSignal;
};

/** Each source knows the event and the answer of the functions it feeds. */
export type Handler = (event: never, context: Invocation) => Promise<unknown>;

/** A function ran longer than the topology allows. */
export class TimedOut extends Error {}

/** How long an aborted run may take to say how far it came. */
const GRACE_MS = 1000;

/**
 * Runs a function once, as Lambda does: under its time-out of the topology.
 * @param controller of the signal it is given: whoever else may end its work aborts it too
 * @throws what the function throws, or TimedOut when it has not ended one second after its time-out
 */
export function invoke<Event, Answer>(
  name: FunctionName,
  handler: Handler,
  event: Event,
  controller = new AbortController(),
): Promise<Answer> {
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
      controller.abort(new TimedOut(`${name} ran longer than its ${limit / 1000} s.`));
      timer = setTimeout(reject, GRACE_MS, controller.signal.reason);
    }, limit);
    const run = async () => (await handler(event as never, context)) as Answer;
    run()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
