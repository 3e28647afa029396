import type { QueueName } from '#lib/messages.ts';
import { functions as allFunctions, queues as allQueues, type FunctionName } from './topology.ts';

type Sends = Record<string, { sends: readonly QueueName[] }>;
type Consumed = Record<QueueName, { consumer: FunctionName }>;

/**
 * The functions that a chain of messages can lead back to: each sends to a queue whose consumer it can be reached from.
 * Lambda stops a function after some 16 invocations in one chain unless it is told that this is meant.
 */
export function onCycles(functions: Sends = allFunctions, queues: Consumed = allQueues): Set<FunctionName> {
  const next = (name: FunctionName) => functions[name]!.sends.map((queue) => queues[queue].consumer);
  const isOnCycle = (start: FunctionName): boolean => {
    const reached = new Set<FunctionName>();
    const ahead = next(start);
    for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
      if (reached.has(name)) continue;
      reached.add(name);
      ahead.push(...next(name));
    }
    return reached.has(start);
  };
  return new Set((Object.keys(functions) as FunctionName[]).filter(isOnCycle));
}
