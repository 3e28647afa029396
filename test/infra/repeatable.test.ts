import { expect, it } from 'vitest';
import { functions, queues, routes, streams } from '#infra/topology.ts';
import { namesOf } from '#lib/platform/plain-data.ts';

const repeatable = namesOf(functions).filter((name) => functions[name].repeatable);

it('marks only functions as repeatable that start from a message or a change and serve no request', () => {
  const fed = [...Object.values(queues).map(({ consumer }) => consumer), ...streams.map((stream) => stream.function)];
  for (const name of repeatable) expect(fed).toContain(name);
  for (const route of routes) expect(repeatable).not.toContain(route.function);
});

it('marks no function as repeatable that runs actions, which are sent once', () => {
  expect(repeatable).toContain('notifier');
  expect(repeatable).not.toContain('action-runner');
});
