import { onCycles } from '#infra/cycles.ts';
import { isStopped, MAX_CHAIN } from '#test/support/lineage.ts';
import type { Inside } from './inside.ts';

/**
 * Promise: no function recurs in a chain of messages so often that Lambda would stop it.
 * @param allowed functions on allowed cycles
 */
export const checkLineage = ({ seen }: Pick<Inside, 'seen'>, allowed = onCycles()): string[] => {
  const stopped = [...seen.runs.values()].filter((run) => isStopped(run.function, run.lineage, allowed));
  return [...new Set(stopped.map((run) => run.function))].map(
    (name) => `${name} was invoked more than ${MAX_CHAIN} times in one chain of messages`,
  );
};
