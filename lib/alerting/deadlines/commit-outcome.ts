import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import type { AlertDeadlineKind, CheckAlerting } from '#lib/alerting/decide/check-alerting.ts';
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

/** Consequences of a due deadline, without the deadline itself. */
export type Outcome = {
  token: string;
  items?: readonly AlertItem[];
  /** New notified states of the check; an escalation starts or ends with them. */
  alerts?: CheckItem['alerts'] | undefined;
  /** Notified failure of its entity, with the new recipients. */
  notifiedFailure?: NotifiedFailureItem | undefined;
  /** The incident that its entity joins. */
  incident?: IncidentRef | undefined;
  deadlines?: readonly { kind: AlertDeadlineKind; next: Deadline }[];
  /** Further writes of the same transaction, and the deadlines that they start. */
  extraWrites?: readonly Write[];
  begun?: readonly DueDeadline[];
};

/** The due deadline and its successor; without `next` it ends. */
type Own = { kind: AlertDeadlineKind; next: Deadline | undefined };

/**
 * Commits a decision in one transaction, if the versions read are unchanged: a repeated or late call does no harm.
 * @returns the next deadlines to send; RETRY after a conflict
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

/** Moves or ends a deadline without a decision. @param extraWrites further writes of the same transaction */
export async function moveDeadline(
  { ports, keys }: Env,
  { owner, deadlines }: CheckAlerting,
  { kind, next }: Own,
  extraWrites: readonly Write[] = [],
  begun: readonly DueDeadline[] = [],
): Promise<DueDeadline[] | typeof RETRY> {
  const own = deadlineWrites(keys, kind, owner, ports.ids.token(), deadlines[kind], next);
  if (!(await commit(ports, [...own, ...extraWrites])).ok) return RETRY;
  return [...(next ? [dueDeadline(kind, owner, next.deadline)] : []), ...begun];
}

function consequencesOf(
  { keys }: Env,
  read: CheckAlerting,
  outcome: Outcome,
): { writes: Write[]; begun: DueDeadline[] } {
  const { owner, check, entity, policy, now } = read;
  const {
    token,
    items = [],
    alerts,
    notifiedFailure,
    incident,
    deadlines = [],
    extraWrites = [],
    begun = [],
  } = outcome;
  const before = check?.alerts ?? {};
  const escalation = policy && escalationChange(keys, owner, token, { before, after: alerts ?? before, policy });
  return {
    writes: [
      ...items.map((put): Write => ({ put, if: 'absent' })),
      ...(check && alerts ? [replaceCheck(check, nextCheck(check, token, { alerts }))] : []),
      ...(entity ? joinWrites(entity, incident, token) : []),
      ...notifiedFailureWrites(read.notifiedFailure, notifiedFailure, token, now),
      ...deadlines.flatMap((one) => deadlineWrites(keys, one.kind, owner, token, read.deadlines[one.kind], one.next)),
      ...(escalation?.writes ?? []),
      ...extraWrites,
      read.policyUnchanged,
    ],
    begun: [
      ...(escalation?.deadlines ?? []),
      ...deadlines.map((one) => dueDeadline(one.kind, owner, one.next.deadline)),
      ...begun,
    ],
  };
}
