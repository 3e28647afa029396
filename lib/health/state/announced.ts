import { type Policy, shown } from '#lib/alerting/policy/policy.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { Announced, AnnouncedAlert, AnnouncedState, CheckItem } from '#lib/checks/check-item.ts';

/** Alerts remembered one by one; bounds the size of a check item. */
const MOST_IN_FLIGHT = 4;
const NOTHING: Announced = { baseline: 'up', inFlight: [] };

/** What an alert about a check in a state says. */
export function announcementOf(
  state: CheckState,
  policy: Pick<Policy, 'notify_on_degraded'>,
): AnnouncedAlert['announces'] {
  const believed = shown(state, policy);
  return believed === 'unknown' ? 'up' : believed;
}

/** The state in the latest alert that did not fail; none yet counts as up (docs/CONTRACT.md#alerts). */
export const announcedState = ({ announced = NOTHING }: CheckItem['alerts']): AnnouncedState =>
  announced.inFlight.at(-1)?.announces ?? announced.baseline;

/**
 * The announced state once `alert` is planned. The oldest alert in flight may have to make room; whether it was sent is
 * not known then, so `baseline` is unknown unless both say the same.
 */
export function announce({ announced = NOTHING }: CheckItem['alerts'], alert: AnnouncedAlert): Announced {
  const inFlight = [...announced.inFlight, alert];
  const forgotten = inFlight.length > MOST_IN_FLIGHT ? inFlight.shift() : undefined;
  const isSame = forgotten === undefined || forgotten.announces === announced.baseline;
  return { baseline: isSame ? announced.baseline : 'unknown', inFlight };
}

/** The announced state once every delivery of an alert has failed; the same object when it is not in flight. */
export function retract(announced: Announced, id: string): Announced {
  return announced.inFlight.some((alert) => alert.id === id)
    ? { ...announced, inFlight: announced.inFlight.filter((alert) => alert.id !== id) }
    : announced;
}
