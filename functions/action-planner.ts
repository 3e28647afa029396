import { plan } from '#lib/actions/plan.ts';
import { onTransitions } from '#lib/health/on-transitions.ts';
import { keyTable } from '#lib/keys.ts';
import type { Ports } from '#lib/platform/ports.ts';

/** New transitions, from the table's stream or parked on the queue `plan`: finds the actions that they fire. */
export const create = (ports: Ports) => {
  const world = { ports, keys: keyTable(ports.settings) };
  return onTransitions(world, 'plan', (transition, isLast) => plan(world, transition, isLast));
};
