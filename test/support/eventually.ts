const PAUSE_MS = 25;

/** Default timeout (ms). An emulated AWS service starts a process for each of its functions. */
export const PATIENCE_MS = process.env.BASE_URL ? 30_000 : 10_000;

/**
 * Calls a function until it returns a truthy value, and returns that. After `withinMs` it throws the last error, or one
 * that shows the function.
 */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  withinMs = PATIENCE_MS,
): Promise<Exclude<T, false | undefined | null>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    let error: unknown = new Error(`Still not true after ${withinMs / 1000} s: ${probe}`);
    try {
      const value = await probe();
      if (value) return value as Exclude<T, false | undefined | null>;
    } catch (cause) {
      error = cause;
    }
    if (Date.now() >= deadline) throw error;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Waits for the next millisecond, because records of the same millisecond are unordered. */
export function nextMillisecond(): Promise<true> {
  const now = Date.now();
  return eventually(() => Date.now() > now);
}
