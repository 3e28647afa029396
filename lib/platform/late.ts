/**
 * A function whose module is loaded when it is first called: who never calls it does without. It is asked for once, as
 * each `import` of a module that is there already still takes its time.
 */
export function late<Args extends unknown[], Answer>(
  load: () => Promise<(...args: Args) => Promise<Answer>>,
): (...args: Args) => Promise<Answer> {
  let loaded: ReturnType<typeof load> | undefined;
  return async (...args) => {
    loaded ??= load();
    return (await loaded)(...args);
  };
}
