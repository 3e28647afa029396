/** One of many things that could not be done, and why. */
export type Failed<T> = { item: T; why: string };

/**
 * Does the same to many, six at once, and goes on past what fails.
 * @param told is called after each, with how many are done
 * @returns those that failed, in the order of `items`
 */
export async function runInBatches<T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
  told: (done: number) => void = () => {},
  atOnce = 6,
): Promise<Failed<T>[]> {
  const reasons = new Map<number, string>();
  let next = 0;
  let done = 0;
  async function worker(): Promise<void> {
    while (next < items.length) {
      const i = next++;
      await work(items[i]!).catch((error: unknown) => {
        reasons.set(i, error instanceof Error ? error.message : String(error));
      });
      told(++done);
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return items.flatMap((item, i) => (reasons.has(i) ? [{ item, why: reasons.get(i)! }] : []));
}
