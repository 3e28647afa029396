import { expect, it } from 'vitest';
import { type FunctionName, functions, queues, routes, streams } from '#infra/topology.ts';

const repeating = (Object.keys(functions) as FunctionName[]).filter((name) => functions[name].repeats);

it('lets only functions repeat their work that begin with a message or a change, and answer no request', () => {
  const fed = [...Object.values(queues).map(({ consumer }) => consumer), ...streams.map((stream) => stream.function)];
  for (const name of repeating) expect(fed).toContain(name);
  for (const route of routes) expect(repeating).not.toContain(route.function);
});

it('lets no function repeat its work that calls actions, which are sent once', () => {
  expect(repeating).toContain('notifier');
  expect(repeating).not.toContain('action-runner');
});
