import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import type { AlertDeadline, CheckAlerting } from '#lib/alerting/decide/check-alerting.ts';
import { escalationChange } from '#lib/alerting/decide/escalation.ts';
import type { Deadline } from '#lib/alerting/decide/notes.ts';
import { joinWrites, type NotifiedFailureItem, notifiedFailureWrites } from '#lib/alerting/decide/notified-failure.ts';
import type { IncidentRef } from '#lib/catalog/entity.ts';
import { type CheckItem, nextCheck, replaceCheck } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, RETRY } from '#lib/platform/table/retry.ts';
import { deadlineWrites, dueDeadline } from '#lib/schedule/entries.ts';

/** What follows from a deadline of alerting, besides the deadline itself. */
export type Outcome = {
  /** Version of all that is written. */
  token: string;
  /** Alerts that go out. */
  items?: readonly AlertItem[];
  /** What the check remembers of its alerts from now on; an escalation begins or ends with it. */
  alerts?: CheckItem['alerts'] | undefined;
  /** The notified failure of its entity, with these recipients. */
  told?: NotifiedFailureItem | undefined;
  /** The incident that its entity becomes part of. */
  partOf?: IncidentRef | undefined;
  /** Further deadlines that begin or move. */
  deadlines?: readonly { kind: AlertDeadline; next: Deadline }[];
  /** Further writes of the same transaction, and the deadlines that begin with them. */
  beside?: readonly Write[];
  begun?: readonly DueDeadline[];
};

/** The deadline that was due, and what it becomes; without `next` it ends. */
type Own = { kind: AlertDeadline; next: Deadline | undefined };

/**
 * Commits what was decided at a deadline: the deadline is moved or ended, and all that follows is written in the same
 * transaction, on the versions that were read. So doing it twice, late or at a wrong time does no harm.
 * @returns the deadlines that come next, to be sent; RETRY if another writer was faster
 */
export function commitOutcome(
  env: Env,
  read: CheckAlerting,
  own: Own,
  outcome: Outcome,
): Promise<DueDeadline[] | typeof RETRY> {
  const { writes, begun } = consequencesOf(env, read, outcome);
  return moveDeadline(env, read, own, writes, begun);
}

/** Commits that a deadline is moved or ended, and nothing else was decided. @param beside written with it */
export async function moveDeadline(
  { ports, keys }: Env,
  { owner, deadlines }: CheckAlerting,
  { kind, next }: Own,
  beside: readonly Write[] = [],
  begun: readonly DueDeadline[] = [],
): Promise<DueDeadline[] | typeof RETRY> {
  const own = deadlineWrites(keys, kind, owner, ports.ids.token(), deadlines[kind], next);
  if (!(await commit(ports, [...own, ...beside])).ok) return RETRY;
  return [...(next ? [dueDeadline(kind, owner, next.deadline)] : []), ...begun];
}

function consequencesOf(
  { keys }: Env,
  read: CheckAlerting,
  outcome: Outcome,
): { writes: Write[]; begun: DueDeadline[] } {
  const { owner, check, entity, policy, incident, now } = read;
  const { token, items = [], alerts, told, partOf, deadlines = [], beside = [], begun = [] } = outcome;
  const before = check?.alerts ?? {};
  const escalation = policy && escalationChange(keys, owner, token, { before, after: alerts ?? before, policy });
  return {
    writes: [
      ...items.map((put): Write => ({ put, if: 'absent' })),
      ...(check && alerts ? [replaceCheck(check, nextCheck(check, token, { alerts }))] : []),
      ...(entity ? joinWrites(entity, partOf, token) : []),
      ...notifiedFailureWrites(incident, told, token, now),
      ...deadlines.flatMap((one) => deadlineWrites(keys, one.kind, owner, token, read.deadlines[one.kind], one.next)),
      ...(escalation?.writes ?? []),
      ...beside,
      read.policyAsRead,
    ],
    begun: [
      ...(escalation?.deadlines ?? []),
      ...deadlines.map((one) => dueDeadline(one.kind, owner, one.next.deadline)),
      ...begun,
    ],
  };
}
