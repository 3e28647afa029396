import { fanOut } from '#lib/alerts/fan-out.ts';
import { onTransitions } from '#lib/health/on-transitions.ts';
import { keyTable } from '#lib/keys.ts';
import type { Ports } from '#lib/platform/ports.ts';

/** New transitions, from the table's stream or parked on the queue `notify`: makes their deliveries. */
export const create = (ports: Ports) => {
  const world = { ports, keys: keyTable(ports.settings) };
  return onTransitions(world, 'notify', (transition, isLast) => fanOut(world, transition, isLast));
};
