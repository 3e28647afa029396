import type { AlertDeadline } from '#lib/alerting/deadlines/timed-alert.ts';
import { toldAgainAt } from '#lib/alerting/decide/memory.ts';
import { type Policy, shown } from '#lib/alerting/policy/policy.ts';
import { nextRepeat } from '#lib/alerts/plan/repeat.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import { silenceLook } from '#lib/health/alerting/rules/silenced.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { type DeadlineEntry, deadlineWrites, dueDeadline, mergeDeadline } from '#lib/schedule/deadlines.ts';
import type { Deadline } from '#lib/schedule/entries.ts';

/**
 * The deadlines that a change of policy begins or ends: repeats of a check that is down get their new rhythm, and the
 * end of what held alerts back, or another view of degraded, is a moment to compare what the channels believe with what
 * is.
 */
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
  const set = async (
    kind: AlertDeadline | 'hold',
    form: (present: DeadlineEntry | undefined) => Deadline | undefined,
  ) => {
    const present = await ports.table.get<DeadlineEntry>(keys.entry(kind, tenant_id, check_id));
    const deadline = form(present);
    writes.push(...deadlineWrites(keys, kind, check, ports.ids.token(), present, deadline));
    if (deadline) deadlines.push(dueDeadline(kind, check, deadline.deadline));
  };

  if (check.state === 'down' && old.repeat_interval_seconds !== next.repeat_interval_seconds) {
    const interval = next.repeat_interval_seconds * 1000;
    const deadline = nextRepeat(Date.parse(check.state_since), interval, now);
    await set('repeat', () => (interval > 0 ? { deadline } : undefined));
  }
  if (old.hold_for_dependencies && !next.hold_for_dependencies)
    await set('hold', (present) => present && { ...noted(present), deadline: now });
  const isLifted = old.silenced && !next.silenced;
  const endsAt = old.silenced && next.silenced ? silenceLook(next.silence, now) : undefined;
  const isSooner = next.cooldown_seconds < old.cooldown_seconds;
  const isSeenOtherwise = shown(check.state, old) !== shown(check.state, next);
  const isSteadyAgain = toldAgainAt(check.alerts, old) !== undefined && next.flap_threshold === 0;
  if (next.catch_up && (isLifted || isSooner || isSeenOtherwise || isSteadyAgain || !old.catch_up))
    await set('catch_up', (present) => mergeDeadline(present, { deadline: now }));
  else if (next.catch_up && endsAt !== undefined)
    await set('catch_up', (present) => mergeDeadline(present, { deadline: endsAt }));
  return { writes, deadlines };
}

/** A deadline with what it is for. */
const noted = ({ deadline, note }: Deadline): Deadline => ({ deadline, ...(note && { note }) });
