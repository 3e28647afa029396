const PAUSE_MS = 25;

/** So long one waits for something. A service on AWS that is emulated starts a process for each of its functions. */
export const PATIENCE_MS = process.env.BASE_URL ? 30_000 : 10_000;

/**
 * Asks again and again until the answer is truthy, and answers it. After `withinMs` it throws what stood in the
 * way: the last error, or a sentence.
 */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  withinMs = PATIENCE_MS,
): Promise<Exclude<T, false | undefined | null>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    let error: unknown = new Error(`Still not so after ${withinMs / 1000} s: ${ask}`);
    try {
      const answer = await ask();
      if (answer) return answer as Exclude<T, false | undefined | null>;
    } catch (cause) {
      error = cause;
    }
    if (Date.now() >= deadline) throw error;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** What happens next is of another millisecond than what was before: within one, nothing has an order. */
export function nextMillisecond(): Promise<true> {
  const now = Date.now();
  return eventually(() => Date.now() > now);
}
