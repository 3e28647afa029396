import { onCycles } from '#infra/cycles.ts';
import type { FunctionName } from '#infra/topology.ts';

/**
 * How often each function was invoked in the chain of messages that led here. AWS carries it in a header of every
 * message (X-Amzn-Trace-Id, Lineage), and stops a function that is to be invoked once more than `MAX_CHAIN`
 * times.
 */
export type Lineage = ReadonlyMap<FunctionName, number>;

export const MAX_CHAIN = 16;

/** Nobody's message led to it: a request, a schedule, a record of the stream. */
export const NO_LINEAGE: Lineage = new Map();

/**
 * The chain of an invocation. Which of a batch's messages counts is written nowhere: here the longest of each.
 * @param batch of the messages that it is given
 */
export function invokedBy(name: FunctionName, batch: readonly Lineage[]): Lineage {
  const longest = new Map<FunctionName, number>();
  for (const lineage of batch) {
    for (const [one, count] of lineage) longest.set(one, Math.max(count, longest.get(one) ?? 0));
  }
  return longest.set(name, (longest.get(name) ?? 0) + 1);
}

/** Whether Lambda would refuse an invocation with this chain. */
export const isStopped = (name: FunctionName, lineage: Lineage, allowed = onCycles()): boolean =>
  !allowed.has(name) && (lineage.get(name) ?? 0) > MAX_CHAIN;
