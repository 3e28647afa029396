/** Returns a function that calls `load` on its first call and keeps the result; after a failure, it loads again. */
export function lazy<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loaded: Promise<Loaded> | undefined;
  return () => {
    loaded ??= load().catch((error) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
}

export function lazyFunction<Args extends unknown[], Result>(
  load: () => Promise<(...args: Args) => Promise<Result>>,
): (...args: Args) => Promise<Result> {
  const loaded = lazy(load);
  return async (...args) => (await loaded())(...args);
}
