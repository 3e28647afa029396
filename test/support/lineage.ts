import { onCycles } from '#infra/cycles.ts';
import type { FunctionName } from '#infra/topology.ts';

/**
 * Number of invocations of each function in a chain of messages, including the latest one. AWS carries it in a header
 * of every message (X-Amzn-Trace-Id, Lineage), and stops a function that would be invoked more than `MAX_CHAIN` times.
 */
export type Lineage = ReadonlyMap<FunctionName, number>;

export const MAX_CHAIN = 16;

/** The chain of a request, a schedule or a stream record, which no message caused. */
export const NO_LINEAGE: Lineage = new Map();

/**
 * Returns the chain of an invocation. AWS does not document which message of a batch counts; here it is the highest
 * count of each function.
 * @param batch chains of the messages in the batch
 */
export function invokedBy(name: FunctionName, batch: readonly Lineage[]): Lineage {
  const highest = new Map<FunctionName, number>();
  for (const lineage of batch) {
    for (const [one, count] of lineage) highest.set(one, Math.max(count, highest.get(one) ?? 0));
  }
  return highest.set(name, (highest.get(name) ?? 0) + 1);
}

/** Whether Lambda would stop an invocation with this chain. @param allowed functions that it never stops */
export const isStopped = (name: FunctionName, lineage: Lineage, allowed = onCycles()): boolean =>
  !allowed.has(name) && (lineage.get(name) ?? 0) > MAX_CHAIN;
