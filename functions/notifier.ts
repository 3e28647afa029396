import { fanOut } from '#lib/alerts/plan/fan-out.ts';
import { envOf } from '#lib/env.ts';
import { onTransitions } from '#lib/health/state/on-transitions.ts';
import type { Ports } from '#lib/platform/ports.ts';

/** New transitions, from the table's stream or parked on the queue `notify`: makes their deliveries. */
export const create = (ports: Ports) => {
  const env = envOf(ports);
  return onTransitions(env, 'notify', (transition, isLast) => fanOut(env, transition, isLast));
};
