import type { ActionItem } from '#lib/actions/action-item.ts';
import type { ExecutionItem } from '#lib/actions/execution.ts';
import { giveUpAt, newRun, type RunEnv } from '#lib/actions/run/claim.ts';
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
import { takeShares } from './attempt-limits.ts';
import { giveUpWrites } from './conclude.ts';
import { firstToStop, type Stopped } from './guards.ts';
import { type AttemptSeriesItem, nextSeries } from './series.ts';
import { firstRecheckAt, longestMs } from './verdict.ts';

/** A storm: so many checks within this time (ms) before a failure, or after it. */
const STORM_MS = 60_000;
/** Most transitions of each part of the feed that are looked at. */
const MAX_TRANSITIONS = 20;

/** How many checks of the account went down within a minute of a time (epoch ms), the one of that time included. */
async function wentDownAbout({ ports, keys }: Env, tenant: string, at: number): Promise<number> {
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
  /** This process sends it; no other ever will. */
  | { is: 'ours'; action: ActionItem; execution: ExecutionItem }
  /** It was claimed before. */
  | { is: 'taken'; execution: ExecutionItem }
  /** A guard stopped it, or nobody wants it any more. */
  | { is: 'left' };

/**
 * Claims an attempt of a guarded action at a failure of its check, if its guards let it pass; else writes down which of
 * them did not. All it was decided on is held to its version in the transaction of the claim: the lock, the account's
 * places, the series and its deadline, the action and the check. So no two attempts have one lock, and none is made
 * twice, whoever comes how often.
 * @param isFirst it is the one that the transition itself wants, by whose id it is known; else the deadline wants it
 */
export async function attemptRemediation(
  env: RunEnv,
  action_id: string,
  transition: DecidedTransition,
  isFirst: boolean,
): Promise<RemediationAttempt> {
  const { ports, keys } = env;
  const { tenant_id } = transition;
  let due: number | undefined;
  let deadlines: DueDeadline[] = [];
  const made = await retryOnConflict(ports, async (): Promise<RemediationAttempt | typeof RETRY> => {
    [due, deadlines] = [undefined, []];
    const known = isFirst
      ? await ports.table.get<ExecutionItem>(keys.execution(tenant_id, firstId(transition, action_id)))
      : undefined;
    if (known) return { is: 'taken', execution: known };
    const one = await readAttemptContext(env, action_id, transition);
    if (!one || !firesOn(one.action, transition)) return { is: 'left' };
    if (!isFirst && !isDue(one, ports.clock.now())) return { is: 'left' };
    const stopped = await stoppedBy(env, one);
    const decided = stopped ? await leave(env, one, stopped, isFirst) : claimAttempt(env, one, isFirst);
    if (decided.writes.length > 0 && !(await commit(ports, decided.writes)).ok) return RETRY;
    due = decided.due;
    deadlines = decided.deadlines ?? [];
    return decided.execution && !stopped
      ? { is: 'ours', action: one.action, execution: decided.execution }
      : { is: 'left' };
  });
  await sendDeadlines(env, deadlines);
  if (due !== undefined) await sendRemediation(env, { tenant_id, id: action_id }, due);
  return made;
}

/** The id of the run that a transition wants: the same as of an action without guards. */
const firstId = ({ transition_id, timestamp }: DecidedTransition, action_id: string): string =>
  derivedId('exe', Date.parse(timestamp), transition_id, action_id);

/** Of a later one, and of those that a guard has stopped: one each. */
const laterId = (
  { transition_id }: DecidedTransition,
  now: number,
  action_id: string,
  attempt: number,
  why = '',
): string => derivedId('exe', now, transition_id, action_id, 'attempt', attempt, why);

/** Whether the attempt that its deadline wants is still to be made: messages of it come more than once. */
const isDue = ({ stored }: AttemptContext, now: number): boolean =>
  stored?.open === undefined && stored?.next_at !== undefined && stored.next_at <= now;

/** The search for a storm is made only where nothing else stops it. */
async function stoppedBy(env: RunEnv, one: AttemptContext): Promise<Stopped | undefined> {
  const { stored, check } = one;
  if (stored?.open && stored.check_id !== check.id) {
    return { guard: 'lock', why: `${stored.open.execution_id} is still verified, by another check` };
  }
  const situation = guardInputOf(one, env.ports.clock.now());
  const stopped = firstToStop(situation);
  if (stopped) return stopped;
  // Its lock runs out while nobody watches, as in an outage of ours, and it still has to have its verdict.
  if (stored?.open) return { guard: 'lock', why: `${stored.open.execution_id} is still verified` };
  const went_down = await wentDownAbout(env, one.transition.tenant_id, one.series.failure.at);
  return firstToStop({ ...situation, went_down });
}

/** `due`: when the action is looked at again (epoch ms); `deadlines` of its check are to be sent. */
type Decided = { execution?: ExecutionItem; writes: Write[]; due?: number | undefined; deadlines?: DueDeadline[] };

function claimAttempt({ ports, keys }: RunEnv, one: AttemptContext, isFirst: boolean): Decided {
  const { action, account, check, remediation, series, transition, shares, lock_name } = one;
  const { tenant_id, id: action_id } = action;
  const [now, token] = [ports.clock.now(), ports.ids.token()];
  const number = series.attempts + 1;
  const execution_id = isFirst
    ? firstId(transition, action_id)
    : laterId(transition, Date.parse(transition.timestamp), action_id, number);
  const { transition_id } = transition;
  const wanted = { tenant_id, action_id, execution_id, trigger: 'state_change' as const, transition_id };
  const { execution, writes } = newRun(keys, wanted, action, account, token, now, { attempt: number });
  const until = giveUpAt(action, now) + longestMs(remediation, check);
  const open = { execution_id, began_at: now, settings: remediation };
  const due = firstRecheckAt(open);
  const changes = { attempts: number, last_began_at: now, open, next_at: undefined };
  return {
    execution,
    due,
    writes: [
      ...writes,
      ...takeShares(keys, shares, { tenant_id, lock_name, execution_id, action_id, until }, token, now),
      { check: keys.check(tenant_id, check.id), if: { version: check.v } },
      ...seriesWrites(one, nextSeries(series, changes, token, now)),
      ...deadlineWrites(keys, 'remediation', ownerOf(action), token, one.entry, { deadline: due }),
    ],
  };
}

/** What a guard has stopped is written down once for each attempt and guard, and comes again when the guard says so. */
async function leave(
  { ports, keys }: RunEnv,
  one: AttemptContext,
  stopped: Stopped,
  isFirst: boolean,
): Promise<Decided> {
  const { action, account, check, series, transition, stored } = one;
  const { tenant_id, id: action_id } = action;
  const { guard, why, until, waits } = stopped;
  const [now, token] = [ports.clock.now(), ports.ids.token()];
  const execution_id =
    isFirst && !waits
      ? firstId(transition, action_id)
      : laterId(transition, Date.parse(transition.timestamp), action_id, series.attempts + 1, guard);
  const isNoted = waits || (!isFirst && (await ports.table.get(keys.execution(tenant_id, execution_id))) !== undefined);
  const wanted = {
    tenant_id,
    action_id,
    execution_id,
    trigger: 'state_change' as const,
    transition_id: transition.transition_id,
  };
  const { execution, writes } = newRun(keys, wanted, action, account, token, now, {
    dispatch_status: 'skipped',
    error_message: `${guard}: ${why}`,
    finished_at: iso(now),
    ...(guard === 'already_healthy' && { verdict: 'already_healthy' as const, verified_at: iso(now) }),
  });
  const isLast = guard === 'attempts' && series.open === undefined;
  const end = isLast ? await giveUpWrites({ ports, keys }, one, token, now) : undefined;
  const again = end && 'again' in end ? end.again : until;
  const told = end && 'writes' in end ? end : undefined;
  // Its alert waits for no attempt that is not made before the end of its time.
  const isAwaited = waits || !check.repairs?.[action_id] || (again !== undefined && again <= (one.hold?.deadline ?? 0));
  const awaited = stopAwaiting(keys, check, isAwaited ? undefined : one.hold, token, now);
  // An attempt that is open has its own deadline; what comes after it waits for its verdict.
  const next = nextSeries(series, { next_at: again, ...(told && { told: true as const }) }, token, now);
  // What is open at another check, to which the action was bound before, stays until it has its verdict.
  const isElsewhere = stored?.open !== undefined && stored.check_id !== series.check_id;
  const isCurrent = series.failure.transition_id === transition.transition_id && !isElsewhere;
  const isChanged =
    isCurrent &&
    (again !== undefined || end !== undefined || stored?.next_at !== undefined || series.open !== undefined);
  const due = series.open || !isCurrent ? undefined : again;
  return {
    execution,
    due,
    writes: [
      ...(isNoted ? [] : writes),
      ...(isChanged ? seriesWrites(one, next) : []),
      ...(isChanged && !series.open
        ? deadlineWrites(
            keys,
            'remediation',
            ownerOf(action),
            token,
            one.entry,
            due === undefined ? undefined : { deadline: due },
          )
        : []),
      ...(told?.writes ?? []),
      ...awaited.writes,
    ],
    deadlines: [...(told?.deadlines ?? []), ...awaited.deadlines],
  };
}

const seriesWrites = ({ stored }: AttemptContext, next: AttemptSeriesItem): Write[] => [
  { put: next, if: stored ? { version: stored.v } : 'absent' },
];

/** An action, which has no entity, puts its own id there. */
const ownerOf = ({ tenant_id, id }: Pick<ActionItem, 'tenant_id' | 'id'>) => ({ tenant_id, id, entity_id: id });
