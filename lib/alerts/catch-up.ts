import type { CheckItem } from '#lib/checks/check-item.ts';
import { toldState } from '#lib/health/told.ts';
import type { Keys } from '#lib/keys.ts';
import type { Timer } from '#lib/messages.ts';
import type { Ports } from '#lib/platform/ports.ts';
import type { Deadline } from '#lib/schedule/entries.ts';
import { actOnDeadline, type Decision, type Situation } from './timed-alert.ts';

/** After all deliveries of an alert have failed, its check is looked at again after these times (ms). */
export const RETRIES_MS = [60_000, 5 * 60_000, 15 * 60_000];

/** Compares what the channels believe with what is, and tells them if it differs. */
export const catchUp = (ports: Ports, keys: Keys, timer: Timer): Promise<Timer[]> =>
  actOnDeadline(ports, keys, timer, 'catch_up', decideCatchUp);

/**
 * Pure: an alert that was skipped is skipped, but nobody is left with a false belief (decisions.md, Alerts, catch_up).
 * Waits for the end of a cooldown, unless a failure of all deliveries, or of their order, is being made good.
 */
export function decideCatchUp({ check, policy, entry, now }: Situation): Decision {
  if (!policy.catch_up || policy.silenced || policy.channels.length === 0) return 'end';
  const told = toldState(check.alerts);
  const repairs = isRepair(check, entry) || entry.note?.misled === true;

  if (!check.enabled) {
    return told === 'down'
      ? { tell: { kind: 'closed', tells: 'up', starts_cooldown: false }, next: nextTry(entry, now) }
      : 'end';
  }
  const { state } = check;
  if (state === 'unknown' || (state === told && entry.note?.misled !== true)) return 'end';
  if (state === 'up' && !policy.notify_on_recovery) return 'end';
  const free = (check.alerts.last_planned_at ?? 0) + policy.cooldown_seconds * 1000;
  if (!repairs && now < free) return { later: { deadline: free } };
  return { tell: { kind: 'catch_up', tells: state, starts_cooldown: true }, next: nextTry(entry, now) };
}

/** All deliveries of an alert have failed, and no try since then was sent or may yet be. */
function isRepair({ alerts }: CheckItem, { note }: Deadline): boolean {
  return note?.failed_at !== undefined && !alerts.told?.open.some(({ id }) => id === note.tried);
}

/** In a series after a failure, the next look: should this alert fail as well, which takes a while, it is told again. */
function nextTry({ note }: Deadline, now: number): Deadline | undefined {
  if (note?.failed_at === undefined) return undefined;
  const tries = (note.tries ?? 0) + 1;
  const wait = RETRIES_MS[tries];
  return wait === undefined
    ? undefined
    : { deadline: Math.max(note.failed_at + wait, now + RETRIES_MS[0]!), note: { failed_at: note.failed_at, tries } };
}
