export type Failed<T> = { item: T; why: string };

/** Runs work for many items, up to `atOnce` at a time, and continues after failures. @returns failed items, in order */
export async function runConcurrently<T>(
  items: readonly T[],
  work: (item: T) => Promise<unknown>,
  onProgress: (done: number) => void = () => {},
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
      onProgress(++done);
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return items.flatMap((item, i) => (reasons.has(i) ? [{ item, why: reasons.get(i)! }] : []));
}
