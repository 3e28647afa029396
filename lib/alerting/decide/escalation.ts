import type { AlertChannel, Policy } from '#lib/alerting/policy/policy.ts';
import type { CheckItem, NotifiedAlert } from '#lib/checks/check-item.ts';
import type { Keys } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { deadlineEntry, dueDeadline } from '#lib/schedule/entries.ts';
import type { DeadlineNote } from './notes.ts';

// Times of escalation steps count from the first alert. The check stores the number of steps taken, and the deadline
// the time of the next step. The writes below need no read of it: their transactions require the check version.

type Alerts = CheckItem['alerts'];

/** Starts the steps with the first alert for down, even if that has no recipients yet. Pure. */
export function withEscalationStarted(
  alerts: Alerts,
  { escalation }: Pick<Policy, 'escalation'>,
  reports_state: NotifiedAlert['reports_state'],
  now: number,
): Alerts {
  const { episode } = alerts;
  if (!episode || episode.escalation || escalation.length === 0 || reports_state !== 'down') return alerts;
  return { ...alerts, episode: { ...episode, escalation: { from: now, steps: 0 } } };
}

/** Returns the time of the next step (epoch ms); undefined after the last one or before the start. */
export function nextStepAt({ episode }: Alerts, { escalation }: Pick<Policy, 'escalation'>): number | undefined {
  const running = episode?.escalation;
  const step = running && escalation[running.steps];
  return step && running.from + step.after_seconds * 1000;
}

/** Takes one step and records its recipients. Pure. @param isMissed whether it does not reach a person on call */
export function withStepTaken(
  alerts: Alerts,
  notified: readonly Pick<AlertChannel, 'id'>[],
  isMissed: boolean,
): Alerts {
  const { episode, escalated = [] } = alerts;
  if (!episode?.escalation) return alerts;
  const { steps, unreached = [] } = episode.escalation;
  const missed = isMissed && { unreached: [...unreached, steps] };
  return {
    ...alerts,
    episode: { ...episode, escalation: { ...episode.escalation, steps: steps + 1, ...missed } },
    ...(notified.length > 0 && { escalated: [...new Set([...escalated, ...notified.map(({ id }) => id)])] }),
  };
}

type CheckRef = Pick<CheckItem, 'tenant_id' | 'entity_id' | 'id'>;

/** Returns the write of the deadline (epoch ms; undefined: none). Its transaction must require the check version. */
export const escalationWrite = (
  keys: Keys,
  check: CheckRef,
  token: string,
  at: number | undefined,
  note?: DeadlineNote,
): Write =>
  at === undefined
    ? { delete: keys.entry('escalation', check.tenant_id, check.id) }
    : { put: deadlineEntry(keys, 'escalation', check, token, at, note) };

/** Makes the next step due now, if one is left. The transaction must require the check version. Pure. */
export function nextStepNow(
  keys: Keys,
  check: CheckRef & Pick<CheckItem, 'alerts'>,
  token: string,
  policy: Pick<Policy, 'escalation'>,
  now: number,
): { writes: Write[]; deadlines: DueDeadline[] } {
  if (nextStepAt(check.alerts, policy) === undefined) return { writes: [], deadlines: [] };
  return {
    writes: [escalationWrite(keys, check, token, now, { at_once: true })],
    deadlines: [dueDeadline('escalation', check, now)],
  };
}

/** Returns the writes and the deadline for an escalation that starts or ends between two versions of a check. Pure. */
export function escalationChange(
  keys: Keys,
  check: CheckRef,
  token: string,
  { before, after, policy }: { before: Alerts; after: Alerts; policy: Pick<Policy, 'escalation'> },
): { writes: Write[]; deadlines: DueDeadline[] } {
  const [was, is] = [before.episode?.escalation, after.episode?.escalation];
  if (is && !was) {
    const at = nextStepAt(after, policy)!;
    return { writes: [escalationWrite(keys, check, token, at)], deadlines: [dueDeadline('escalation', check, at)] };
  }
  return { writes: was && !is ? [escalationWrite(keys, check, token, undefined)] : [], deadlines: [] };
}
