import { plan } from '#lib/actions/run/plan.ts';
import { envOf } from '#lib/env.ts';
import { onInserted } from '#lib/health/state/on-inserted.ts';
import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import type { Ports } from '#lib/platform/ports.ts';

/** New transitions, from the table's stream or parked on the queue `plan`: finds the actions that they fire. */
export const create = (ports: Ports) => {
  const env = envOf(ports);
  return onInserted<TransitionItem>(env, 'plan', (transition, isLast) => plan(env, transition, isLast));
};
