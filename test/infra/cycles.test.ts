import { expect, it } from 'vitest';
import { onCycles } from '#infra/cycles.ts';
import { type FunctionName, functions, queues } from '#infra/topology.ts';
import type { QueueName } from '#lib/messages.ts';

/** Returns all functions, which send only to these queues. */
const sending = (sends: Partial<Record<FunctionName, readonly QueueName[]>>) =>
  Object.fromEntries(Object.keys(functions).map((name) => [name, { sends: sends[name as FunctionName] ?? [] }]));
/** Returns all queues, with these consumers instead of their own. */
const fed = (consumers: Partial<Record<QueueName, FunctionName>>) =>
  Object.fromEntries(
    Object.entries(queues).map(([name, spec]) => [name, { consumer: consumers[name as QueueName] ?? spec.consumer }]),
  ) as Record<QueueName, { consumer: FunctionName }>;

it('finds a function that sends to itself or to a function that leads back to it', () => {
  expect(onCycles(sending({ deliverer: ['delivery'] }))).toEqual(new Set(['deliverer']));
  const pair = fed({ job: 'prober', action: 'action-runner' });
  expect(onCycles(sending({ prober: ['action'], 'action-runner': ['job'] }), pair)).toEqual(
    new Set(['prober', 'action-runner']),
  );
});

it('ignores a function that only leads to a cycle or only follows one', () => {
  const sends = sending({ api: ['delivery'], deliverer: ['delivery', 'deadline'], prober: [] });
  expect(onCycles(sends)).toEqual(new Set(['deliverer']));
  expect(onCycles(sending({}))).toEqual(new Set());
});

it('finds functions of the service that retry or continue later, and none that only serves requests', () => {
  const cyclic = onCycles();
  for (const name of ['prober', 'deliverer', 'action-runner', 'housekeeper'] as const) expect(cyclic).toContain(name);
  for (const name of ['api', 'ingest', 'mcp'] as const) expect(cyclic).not.toContain(name);
});
