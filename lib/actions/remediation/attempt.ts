import type { ActionItem } from '#lib/actions/action-item.ts';
import type { ExecutionItem } from '#lib/actions/execution.ts';
import { giveUpAt, newExecution, type RunEnv } from '#lib/actions/run/claim.ts';
import { firesOn } from '#lib/actions/run/fires-on.ts';
import { stopAwaiting } from '#lib/alerting/decide/awaited-remediation.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { FeedItem } from '#lib/checks/state/transition.ts';
import type { Env } from '#lib/env.ts';
import { after, stamp } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import { derivedId } from '#lib/platform/ids.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import { deadlineWrites } from '#lib/schedule/entries.ts';
import { sendDeadlines, sendRemediation } from '#lib/schedule/jobs.ts';
import { type AttemptContext, guardInputOf, readAttemptContext } from './attempt-context.ts';
import { takeLimits } from './attempt-limits.ts';
import { failureAlertOf } from './conclude.ts';
import { firstToStop, type Stopped } from './guards.ts';
import { type AttemptSeriesItem, nextSeries } from './series.ts';
import { firstRecheckAt, maxVerificationMs } from './verdict.ts';

/** Time (ms) before and after a failure within which checks that go down can be a storm. */
const STORM_MS = 60_000;
/** Maximum number of transitions read per partition of the feed. */
const MAX_TRANSITIONS = 20;

/** Returns the number of checks that went down within a minute of a failure (epoch ms), including the failed check. */
async function countWentDownNear({ ports, keys }: Env, tenant: string, at: number): Promise<number> {
  const pages = await Promise.all(
    keys.buckets.map((bucket) =>
      ports.table.query<FeedItem>({
        partition: keys.feed(tenant, bucket),
        from: stamp(at - STORM_MS),
        to: after(stamp(at + STORM_MS)),
        limit: MAX_TRANSITIONS,
      }),
    ),
  );
  const entries = pages.flatMap(({ items }) => items);
  const transitions = await ports.table.getMany<DecidedTransition>(
    entries.map(({ check_id, transition_sk: sk }) => ({ pk: keys.ofCheck(tenant, check_id), sk })),
  );
  const down = transitions.flatMap((one) => (one?.check_to_state === 'down' ? [one.check_id] : []));
  return new Set(down).size;
}

export type RemediationAttempt =
  | { is: 'claimed'; action: ActionItem; execution: ExecutionItem }
  | { is: 'taken'; execution: ExecutionItem }
  /** Stopped by a guard, or no longer needed. */
  | { is: 'none' };

/**
 * Claims a remediation attempt, or records the guard that stopped it. The claim is conditional on the versions of all
 * inputs (lock, account limits, series, deadline, action, check): attempts never share a lock, and none is made twice.
 * @param byTransition whether the transition requested the attempt and determines its id; else the deadline did
 */
export async function attemptRemediation(
  env: RunEnv,
  action_id: string,
  transition: DecidedTransition,
  byTransition: boolean,
): Promise<RemediationAttempt> {
  const { ports, keys } = env;
  const { tenant_id } = transition;
  let due: number | undefined;
  let deadlines: DueDeadline[] = [];
  const made = await retryOnConflict(ports, async (): Promise<RemediationAttempt | typeof RETRY> => {
    [due, deadlines] = [undefined, []];
    const known = byTransition
      ? await ports.table.get<ExecutionItem>(keys.execution(tenant_id, firstId(transition, action_id)))
      : undefined;
    if (known) return { is: 'taken', execution: known };
    const context = await readAttemptContext(env, action_id, transition);
    if (!context || !firesOn(context.action, transition)) return { is: 'none' };
    if (!byTransition && !isDue(context, ports.clock.now())) return { is: 'none' };
    const stopped = await stoppedBy(env, context);
    const decided = stopped
      ? await recordStopped(env, context, stopped, byTransition)
      : claimAttempt(env, context, byTransition);
    if (decided.writes.length > 0 && !(await commit(ports, decided.writes)).ok) return RETRY;
    due = decided.due;
    deadlines = decided.deadlines ?? [];
    return decided.execution && !stopped
      ? { is: 'claimed', action: context.action, execution: decided.execution }
      : { is: 'none' };
  });
  await sendDeadlines(env, deadlines);
  if (due !== undefined) await sendRemediation(env, { tenant_id, id: action_id }, due);
  return made;
}

const firstId = ({ transition_id, timestamp }: DecidedTransition, action_id: string): string =>
  derivedId('exe', Date.parse(timestamp), transition_id, action_id);

/** Returns the execution id of a later attempt. @param guard guard that stopped it; empty if it was made */
const laterId = (
  { transition_id, timestamp }: DecidedTransition,
  action_id: string,
  attempt: number,
  guard = '',
): string => derivedId('exe', Date.parse(timestamp), transition_id, action_id, 'attempt', attempt, guard);

/** Whether the attempt of a deadline is still due; messages of a deadline arrive more than once. */
const isDue = ({ stored }: AttemptContext, now: number): boolean =>
  stored?.open === undefined && stored?.next_at !== undefined && stored.next_at <= now;

async function stoppedBy(env: RunEnv, context: AttemptContext): Promise<Stopped | undefined> {
  const { stored, check } = context;
  if (stored?.open && stored.check_id !== check.id) {
    return { guard: 'lock', why: `${stored.open.execution_id} is being verified by another check` };
  }
  const input = guardInputOf(context, env.ports.clock.now());
  const stopped = firstToStop(input);
  if (stopped) return stopped;
  // The lock can expire before the verdict, because nothing is monitored in a service outage.
  if (stored?.open) return { guard: 'lock', why: `${stored.open.execution_id} is being verified` };
  const went_down = await countWentDownNear(env, context.transition.tenant_id, context.series.failure.at);
  return firstToStop({ ...input, went_down });
}

/** Result of a decision. `due`: next recheck of the action (epoch ms). `deadlines`: deadlines of its check to send. */
type Decided = { execution?: ExecutionItem; writes: Write[]; due?: number | undefined; deadlines?: DueDeadline[] };

function claimAttempt({ ports, keys }: RunEnv, context: AttemptContext, byTransition: boolean): Decided {
  const { action, account, check, remediation, series, transition, limits, lock_name } = context;
  const { tenant_id, id: action_id } = action;
  const [now, token] = [ports.clock.now(), ports.ids.token()];
  const number = series.attempts + 1;
  const execution_id = byTransition ? firstId(transition, action_id) : laterId(transition, action_id, number);
  const { transition_id } = transition;
  const wanted = { tenant_id, action_id, execution_id, trigger: 'state_change' as const, transition_id };
  const { execution, writes } = newExecution(keys, wanted, action, account, token, now, { attempt: number });
  const until = giveUpAt(action, now) + maxVerificationMs(remediation, check);
  const open = { execution_id, began_at: now, settings: remediation };
  const due = firstRecheckAt(open);
  const changes = { attempts: number, last_began_at: now, open, next_at: undefined };
  return {
    execution,
    due,
    writes: [
      ...writes,
      ...takeLimits(keys, limits, { tenant_id, lock_name, execution_id, action_id, until }, token, now),
      { check: keys.check(tenant_id, check.id), if: { version: check.v } },
      ...seriesWrites(context, nextSeries(series, changes, token, now)),
      ...deadlineWrites(keys, 'remediation', ownerOf(action), token, context.entry, { deadline: due }),
    ],
  };
}

/** Records a stopped attempt, once per attempt and guard. Schedules the next attempt if the guard returns a time. */
async function recordStopped(
  { ports, keys }: RunEnv,
  context: AttemptContext,
  stopped: Stopped,
  byTransition: boolean,
): Promise<Decided> {
  const { action, account, check, series, transition, stored } = context;
  const { tenant_id, id: action_id } = action;
  const { guard, why, until, undecided } = stopped;
  const [now, token] = [ports.clock.now(), ports.ids.token()];
  const execution_id =
    byTransition && !undecided
      ? firstId(transition, action_id)
      : laterId(transition, action_id, series.attempts + 1, guard);
  const skipsRecord =
    undecided || (!byTransition && (await ports.table.get(keys.execution(tenant_id, execution_id))) !== undefined);
  const wanted = {
    tenant_id,
    action_id,
    execution_id,
    trigger: 'state_change' as const,
    transition_id: transition.transition_id,
  };
  const { execution, writes } = newExecution(keys, wanted, action, account, token, now, {
    dispatch_status: 'skipped',
    error_message: `${guard}: ${why}`,
    finished_at: iso(now),
    ...(guard === 'already_healthy' && { verdict: 'already_healthy' as const, verified_at: iso(now) }),
  });
  const isLast = guard === 'attempts' && series.open === undefined;
  const alert = isLast ? await failureAlertOf({ ports, keys }, context, token, now) : undefined;
  const nextAt = alert && 'suppressed_until' in alert ? alert.suppressed_until : until;
  const alerted = alert && 'writes' in alert ? alert : undefined;
  // The held alert does not wait for an attempt after the deadline of its hold.
  const keepsHold =
    undecided || !check.remediations?.[action_id] || (nextAt !== undefined && nextAt <= (context.hold?.deadline ?? 0));
  const awaited = stopAwaiting(keys, check, keepsHold ? undefined : context.hold, token, now);
  const next = nextSeries(series, { next_at: nextAt, ...(alerted && { notified: true as const }) }, token, now);
  // The action may have been bound to another check before; an open attempt there stays until its verdict.
  const isElsewhere = stored?.open !== undefined && stored.check_id !== series.check_id;
  const isCurrent = series.failure.transition_id === transition.transition_id && !isElsewhere;
  const isChanged =
    isCurrent &&
    (nextAt !== undefined || alert !== undefined || stored?.next_at !== undefined || series.open !== undefined);
  // While an attempt is open, the deadline is for its verdict, and further attempts wait.
  const due = series.open || !isCurrent ? undefined : nextAt;
  return {
    execution,
    due,
    writes: [
      ...(skipsRecord ? [] : writes),
      ...(isChanged ? seriesWrites(context, next) : []),
      ...(isChanged && !series.open
        ? deadlineWrites(
            keys,
            'remediation',
            ownerOf(action),
            token,
            context.entry,
            due === undefined ? undefined : { deadline: due },
          )
        : []),
      ...(alerted?.writes ?? []),
      ...awaited.writes,
    ],
    deadlines: [...(alerted?.deadlines ?? []), ...awaited.deadlines],
  };
}

const seriesWrites = ({ stored }: AttemptContext, next: AttemptSeriesItem): Write[] => [
  { put: next, if: stored ? { version: stored.v } : 'absent' },
];

const ownerOf = ({ tenant_id, id }: Pick<ActionItem, 'tenant_id' | 'id'>) => ({ tenant_id, id, entity_id: id });
