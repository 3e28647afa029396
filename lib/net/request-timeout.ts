import { ownLoop } from '#lib/platform/clock.ts';
import { NetError } from './net.ts';

/**
 * One deadline over everything that an exchange does, with one timer. What it holds is destroyed when the time is over
 * or the work done, whichever comes first: no connection outlives its exchange.
 */
export class RequestTimeout {
  /** What is waited for now, for the message: `connected, waiting for headers`. */
  stage = '';
  readonly timeout_ms: number;
  #over = false;
  readonly #began = performance.now();
  #held: { destroy(): unknown } | undefined;

  constructor(timeout_ms: number) {
    this.timeout_ms = timeout_ms;
  }

  /** How much of the time is left (ms). */
  get left_ms(): number {
    return Math.max(0, this.timeout_ms - (performance.now() - this.#began));
  }

  /** Takes charge of the present connection, in place of the one before. Throws when the time is over already. */
  hold(held: { destroy(): unknown }): void {
    const before = this.#held;
    this.#held = held;
    if (before !== held) before?.destroy();
    if (this.#over) held.destroy();
    this.check();
  }

  /** Throws when the time is over: called after whatever cannot be cancelled. */
  check(): void {
    if (this.#over) throw this.error();
  }

  /** Hands the connection over to something that wraps it and will be held in its place. */
  release(): void {
    this.#held = undefined;
  }

  end(): void {
    this.#over = true;
    this.#held?.destroy();
  }

  error(): NetError {
    return new NetError('timeout', `no answer within ${this.timeout_ms} ms (${this.stage})`);
  }
}

/**
 * Runs the work. Throws `NetError('timeout')` at the deadline and destroys the connection it holds. What has arrived by
 * then is read first: when our event loop stalled, an answer may be waiting in the socket. A `NetError` says how long
 * it took.
 */
export async function withDeadline<T>(timeout_ms: number, work: (deadline: RequestTimeout) => Promise<T>): Promise<T> {
  const started = performance.now();
  const deadline = new RequestTimeout(timeout_ms);
  const unwatch = ownLoop.watch();
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise<T>((resolve, reject) => {
      timer = setTimeout(() => setImmediate(() => reject(deadline.error())), timeout_ms);
      work(deadline).then(resolve, reject);
    });
  } catch (error) {
    if (error instanceof NetError) error.latency_ms = Math.round(performance.now() - started);
    throw error;
  } finally {
    clearTimeout(timer);
    deadline.end();
    unwatch();
  }
}
