import { isDeepStrictEqual } from 'node:util';
import { nextReminderAt } from '#lib/alerting/deadlines/timed-decisions.ts';
import type { AlertDeadlineKind } from '#lib/alerting/decide/check-alerting.ts';
import { escalationWrite, nextStepAt, withEscalationStarted } from '#lib/alerting/decide/escalation.ts';
import { type Deadline, type DeadlineEntry, mergeDeadline } from '#lib/alerting/decide/notes.ts';
import { flappingEndsAt, lastNotifiedState } from '#lib/alerting/decide/notified-state.ts';
import { silenceRecheckAt } from '#lib/alerting/decide/quiet-rules.ts';
import { type Policy, stateForAlerting } from '#lib/alerting/policy/policy.ts';
import { type CheckItem, nextCheck, replaceCheck } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { deadlineWrites, dueDeadline } from '#lib/schedule/entries.ts';

/** Returns the writes and messages of the deadlines that a policy change moves: reminder, held and late alert. */
export async function policyDeadlines(
  { ports, keys }: Env,
  check: CheckItem,
  old: Policy,
  next: Policy,
): Promise<{ writes: Write[]; deadlines: DueDeadline[] }> {
  const { tenant_id, id: check_id } = check;
  const now = ports.clock.now();
  const writes: Write[] = [];
  const deadlines: DueDeadline[] = [];
  const set = async (kind: AlertDeadlineKind, form: (present: DeadlineEntry | undefined) => Deadline | undefined) => {
    const present = await ports.table.get<DeadlineEntry>(keys.entry(kind, tenant_id, check_id));
    const deadline = form(present);
    writes.push(...deadlineWrites(keys, kind, check, ports.ids.token(), present, deadline));
    if (deadline) deadlines.push(dueDeadline(kind, check, deadline.deadline));
  };

  if (check.state === 'down' && old.repeat_interval_seconds !== next.repeat_interval_seconds) {
    const interval = next.repeat_interval_seconds * 1000;
    const deadline = nextReminderAt(Date.parse(check.state_since), interval, now);
    await set('reminder', () => (interval > 0 ? { deadline } : undefined));
  }
  if (old.hold_for_dependencies && !next.hold_for_dependencies)
    await set('hold', (present) => present && { ...withoutKeys(present), deadline: now });
  const isLifted = old.silenced && !next.silenced;
  const endsAt = old.silenced && next.silenced ? silenceRecheckAt(next.silence, now) : undefined;
  const isSooner =
    next.cooldown_seconds < old.cooldown_seconds || (old.cooldown_on_recovery && !next.cooldown_on_recovery);
  const isReportedDifferently = stateForAlerting(check.state, old) !== stateForAlerting(check.state, next);
  const isFlappingOff = flappingEndsAt(check.alerts, old) !== undefined && next.flap_threshold === 0;
  if (next.late_alerts && (isLifted || isSooner || isReportedDifferently || isFlappingOff || !old.late_alerts))
    await set('late', (present) => mergeDeadline(present, { deadline: now }));
  else if (next.late_alerts && endsAt !== undefined)
    await set('late', (present) => mergeDeadline(present, { deadline: endsAt }));
  return { writes, deadlines };
}

const withoutKeys = ({ deadline, note }: Deadline): Deadline => ({ deadline, ...(note && { note }) });

/** Returns the writes of the escalation. A new one counts from now; a running one gets its new times. */
export function policyEscalation(
  { ports, keys }: Env,
  check: CheckItem,
  old: Policy,
  next: Policy,
): { writes: Write[]; deadlines: DueDeadline[] } {
  const checkAsRead: Write = { check: keys.check(check.tenant_id, check.id), if: { version: check.v } };
  if (isDeepStrictEqual(old.escalation, next.escalation)) return { writes: [checkAsRead], deadlines: [] };
  const now = ports.clock.now();
  const token = ports.ids.token();
  const alerts =
    lastNotifiedState(check.alerts) === 'down' ? withEscalationStarted(check.alerts, next, 'down', now) : check.alerts;
  if (!alerts.episode?.escalation) return { writes: [checkAsRead], deadlines: [] };
  const at = nextStepAt(alerts, next);
  const due = at === undefined ? undefined : Math.max(at, now);
  return {
    writes: [
      alerts === check.alerts ? checkAsRead : replaceCheck(check, nextCheck(check, token, { alerts })),
      escalationWrite(keys, check, token, due),
    ],
    deadlines: due === undefined ? [] : [dueDeadline('escalation', check, due)],
  };
}
