import { processLoop } from '#lib/platform/clock.ts';
import { NetError } from './net.ts';

/** One deadline for an exchange. Destroys the held connection at the timeout or end of the work. */
export class RequestTimeout {
  /** Current step for the timeout message: `connected, waiting for headers`. */
  stage = '';
  readonly timeout_ms: number;
  #isOver = false;
  readonly #startedAt = performance.now();
  #held: { destroy(): unknown } | undefined;

  constructor(timeout_ms: number) {
    this.timeout_ms = timeout_ms;
  }

  get left_ms(): number {
    return Math.max(0, this.timeout_ms - (performance.now() - this.#startedAt));
  }

  /** Takes over a connection and destroys the previous one. Throws if the time is over. */
  hold(held: { destroy(): unknown }): void {
    const previous = this.#held;
    this.#held = held;
    if (previous !== held) previous?.destroy();
    if (this.#isOver) held.destroy();
    this.check();
  }

  /** Throws if the time is over; called after steps that cannot be canceled. */
  check(): void {
    if (this.#isOver) throw this.error();
  }

  /** Releases the connection without destroying it, because the TLS socket around it is held next. */
  release(): void {
    this.#held = undefined;
  }

  end(): void {
    this.#isOver = true;
    this.#held?.destroy();
  }

  error(): NetError {
    return new NetError('timeout', `no answer within ${this.timeout_ms} ms (${this.stage})`);
  }
}

/**
 * Runs the work. At the deadline throws `NetError('timeout')` and destroys the connection. Data received by then is
 * read first: after a stall of the event loop, a response may wait in the socket. Sets `latency_ms` on a `NetError`.
 */
export async function withDeadline<T>(timeout_ms: number, work: (deadline: RequestTimeout) => Promise<T>): Promise<T> {
  const started = performance.now();
  const deadline = new RequestTimeout(timeout_ms);
  const unwatch = processLoop.watch();
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
