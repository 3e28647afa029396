import { publishEvent } from '#lib/alerts/deliver/event.ts';
import { fanOut } from '#lib/alerts/plan/fan-out.ts';
import { envOf } from '#lib/env.ts';
import { type AlertItem, isAlert } from '#lib/health/alerting/alert-item.ts';
import { onInserted } from '#lib/health/state/on-inserted.ts';
import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import type { Ports } from '#lib/platform/ports.ts';

/**
 * New alerts and transitions, from the table's stream or parked on the queue `notify`: makes the deliveries of an
 * alert, and publishes the event of a transition.
 */
export const create = (ports: Ports) => {
  const env = envOf(ports);
  return onInserted<AlertItem | TransitionItem>(env, 'notify', (item, isLast) =>
    isAlert(item) ? fanOut(env, item, isLast) : publishEvent(env, item),
  );
};
