import { planExecutions } from '#lib/actions/run-message.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import { envOf, type Ports } from '#lib/env.ts';
import { onInserted } from '#lib/stream-reader.ts';

/** Finds the actions that new transitions trigger; reads the table stream and the queue `plan`. */
export const create = (ports: Ports) => {
  const env = envOf(ports);
  return onInserted<DecidedTransition>(env, 'plan', (transition, isLast) => planExecutions(env, transition, isLast));
};
