import type { AlertChannel, Policy } from '#lib/alerting/policy/policy.ts';
import type { CheckItem, NotifiedAlert } from '#lib/checks/check-item.ts';
import type { Keys } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { deadlineEntry, dueDeadline } from '#lib/schedule/entries.ts';
import type { DeadlineNote } from './notes.ts';

/**
 * Steps of an escalation. They count from the first alert of a failure; how far they have come stands on the check, and
 * when the next is due is the deadline `escalation`. Whoever begins, ends or moves it writes the check in the same
 * transaction, so that the deadline itself needs no read before.
 */

type Alerts = CheckItem['alerts'];

/** Pure: with the first alert that says down, or would if somebody were to hear it, the steps begin to count. */
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

/** When the next step is due by its time (epoch ms); undefined where none is left, or they do not count yet. */
export function nextStepAt({ episode }: Alerts, { escalation }: Pick<Policy, 'escalation'>): number | undefined {
  const running = episode?.escalation;
  const step = running && escalation[running.steps];
  return step && running.from + step.after_seconds * 1000;
}

/** Pure: one step further, its channels told. */
export function withStepTaken(alerts: Alerts, told: readonly Pick<AlertChannel, 'id'>[]): Alerts {
  const { episode, escalated = [] } = alerts;
  if (!episode?.escalation) return alerts;
  const { from, steps } = episode.escalation;
  return {
    ...alerts,
    episode: { ...episode, escalation: { from, steps: steps + 1 } },
    ...(told.length > 0 && { escalated: [...new Set([...escalated, ...told.map(({ id }) => id)])] }),
  };
}

type Of = Pick<CheckItem, 'tenant_id' | 'entity_id' | 'id'>;

/** The deadline as it becomes (epoch ms; undefined: none). The check must be written, or checked, beside it. */
export const escalationWrite = (
  keys: Keys,
  check: Of,
  token: string,
  at: number | undefined,
  note?: DeadlineNote,
): Write =>
  at === undefined
    ? { delete: keys.entry('escalation', check.tenant_id, check.id) }
    : { put: deadlineEntry(keys, 'escalation', check, token, at, note) };

/** Pure: its next step is due now, whatever its time, if one is left. The check must be written beside it. */
export function nextStepNow(
  keys: Keys,
  check: Of & Pick<CheckItem, 'alerts'>,
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

/** Pure: the deadline of an escalation that begins or ends between two views of a check, if it does. */
export function escalationChange(
  keys: Keys,
  check: Of,
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
