import type { QueueName } from '#lib/messages.ts';
import { functions as allFunctions, queues as allQueues, type FunctionName } from './topology.ts';

type Sends = Record<string, { sends: readonly QueueName[] }>;
type Consumed = Record<QueueName, { consumer: FunctionName }>;

/** Finds functions on a cycle of queues. Lambda stops a cycle after some 16 invocations, unless it is allowed. */
export function onCycles(functions: Sends = allFunctions, queues: Consumed = allQueues): Set<FunctionName> {
  const next = (name: FunctionName) => functions[name]!.sends.map((queue) => queues[queue].consumer);
  const isOnCycle = (start: FunctionName): boolean => {
    const reached = new Set<FunctionName>();
    const pending = next(start);
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      if (reached.has(name)) continue;
      reached.add(name);
      pending.push(...next(name));
    }
    return reached.has(start);
  };
  return new Set((Object.keys(functions) as FunctionName[]).filter(isOnCycle));
}
