/**
 * Something that is loaded when it is first asked for, and once: an `import` of what is there still takes its time. A
 * load that failed, such as for want of file descriptors, is tried again.
 */
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

/** A function whose module is loaded when it is first called: who never calls it does without. */
export function lazyFunction<Args extends unknown[], Answer>(
  load: () => Promise<(...args: Args) => Promise<Answer>>,
): (...args: Args) => Promise<Answer> {
  const loaded = lazy(load);
  return async (...args) => (await loaded())(...args);
}
