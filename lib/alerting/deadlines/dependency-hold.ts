import type { AccountItem } from '#lib/access/account.ts';
import type { TenantEnv } from '#lib/access/context.ts';
import {
  type CauseDecision,
  type CauseProgress,
  decideByCause,
  MIN_SETTLING_MS,
  NO_PROGRESS,
} from '#lib/alerting/cause/cause-decision.ts';
import { type CauseProgressItem, storedProgress } from '#lib/alerting/cause/cause-progress-item.ts';
import { dependentOf, findCause, readUpstream, type UpstreamEntities } from '#lib/alerting/cause/find-cause.ts';
import type { CauseAnalysis } from '#lib/alerting/cause/root-causes.ts';
import { expectedResultAt } from '#lib/alerting/decide/first-result.ts';
import type { Deadline, DeadlineEntry, HeldAlert } from '#lib/alerting/decide/notes.ts';
import { isOverPageBudget, readPageCounts } from '#lib/alerting/decide/page-budget.ts';
import { isUnnotified, pendingRecipients } from '#lib/alerting/decide/recipients.ts';
import { awaitedRemediation } from '#lib/alerting/decide/rule-input.ts';
import { channelsOfSteps, recipientsFor } from '#lib/alerting/policy/effective-policy.ts';
import { destinationOf, isSilenced } from '#lib/alerting/policy/policy.ts';
import { windowForDependents } from '#lib/alerting/policy/windows.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { heartbeatRules } from '#lib/checks/heartbeat.ts';
import { cellOf } from '#lib/keys.ts';
import { intervalScheduleOf, latestSlot } from '#lib/schedule/slots.ts';
import type { HeldCase, Hold, Rechecked } from './holds.ts';
import { causeWrites, incidentsAt, progressWrite, type Search } from './write-recheck.ts';

/**
 * Entities whose own alert is held, and was told to nobody yet: until its cause is known, or until it is decided after
 * the end of planned work that included what depends on them; with when that is looked at next (epoch ms).
 */
async function readPendingRoots(
  { ports, keys, tenant }: TenantEnv,
  { checks }: UpstreamEntities,
): Promise<Map<string, number>> {
  const down = [...checks.values()].flat().filter(({ state }) => state === 'down');
  if (down.length === 0) return new Map();
  const entries = await ports.table.getMany<DeadlineEntry>(down.map(({ id }) => keys.entry('hold', tenant, id)));
  const pending = new Map<string, number>();
  for (const [i, { entity_id }] of down.entries()) {
    const entry = entries[i];
    if (!entry || !(isUnnotified(entry) || wasPlanned(entry))) continue;
    pending.set(entity_id, Math.min(entry.deadline, pending.get(entity_id) ?? Number.POSITIVE_INFINITY));
  }
  return pending;
}

const wasPlanned = ({ note }: DeadlineEntry): boolean => {
  const held = note?.held;
  return held?.reason === 'maintenance' && held.window?.include_dependents === true;
};

/** While it waits for a silence to be lifted, it is looked at so often (ms). */
const LATEST_MS = 300_000;

/** Holds the alert of a failure until its cause is known. */
export const dependency: Hold = {
  waits_for_result: true,
  recheck(env, account, one) {
    if (one.held.reason !== 'dependency') return { is: 'released' };
    if (mayBeTold(one)) return evaluateCause(env, account, one);
    const rest = heldFromRest(one);
    return rest ? { is: 'held', next: rest } : { is: 'released' };
  },
};

/** Whether nothing but the search for its cause keeps an alert from going out. */
const mayBeTold = ({ check: { alerts }, policy }: HeldCase): boolean =>
  !isSilenced(policy) &&
  policy.window === undefined &&
  recipientsFor(policy, 'down', alerts).length + channelsOfSteps(policy).length > 0;

/**
 * Where some were told, a window or a silence that begins then holds it back from those alone who wait for its cause:
 * they are still to hear of it. When that is looked at again; undefined where it is not so.
 */
function heldFromRest({ check, policy, held, now }: HeldCase): Deadline | undefined {
  const { window } = policy;
  if (!held.told?.length || !(window || isSilenced(policy))) return undefined;
  const over = window ? expectedResultAt(check, window.until) : Number.POSITIVE_INFINITY;
  return { deadline: Math.max(Math.min(over, now + LATEST_MS), now + 1), note: { held } };
}

/** Looks for the cause of a failure whose alert is held, and decides whom to tell now and who waits on. */
async function evaluateCause(
  env: TenantEnv,
  account: Pick<AccountItem, 'id' | 'egress'>,
  one: HeldCase,
): Promise<Rechecked> {
  const { ports, keys, tenant } = env;
  const { check, policy } = one;
  const [ancestry, stored] = await Promise.all([
    readUpstream(env, check.entity_id),
    ports.table.get<CauseProgressItem>(keys.hold(tenant, check.id, one.held.transition_sk)),
  ]);
  const [pending, pages] = await Promise.all([
    readPendingRoots(env, ancestry),
    readPageCounts(env, tenant, waitingFor(one).map(destinationOf)),
  ]);
  const search: Search = { one, stored, ancestry, pending, pages };
  const lookBy = (verdict: CauseAnalysis): CauseDecision => decideByCause(sightOf(env, search, verdict));
  const isKnown = (verdict: CauseAnalysis) =>
    verdict.explained && verdict.roots[0]!.confirmed && lookBy(verdict).tell.length === 0;
  const verdict = policy.hold_for_dependencies
    ? await findCause(env, account, ancestry, dependentOf(one.check, one.transition), isKnown)
    : NOTHING_FOUND;
  if (!verdict.settled) return { is: 'asked' };
  const seen = lookBy(verdict);
  if (!isForRules(one, seen, ports.clock.now())) return causeWrites(env, search, verdict, seen);
  // What follows from another failure is no matter of a repair.
  const held: HeldAlert = seen.root === null ? one.held : { ...one.held, repaired: true };
  return { is: 'known', held, beside: [progressWrite(env, search, verdict, seen)] };
}

/** Somebody is to be told, but nobody hears it before a step of the escalation, or a repair has its time first. */
function isForRules({ check, policy, held, transition }: HeldCase, seen: CauseDecision, now: number): boolean {
  if (seen.tell.length === 0 || transition.alert.decision !== 'held') return false;
  if (recipientsFor(policy, 'down', check.alerts).length === 0) return true;
  return seen.root === null && !held.repaired && awaitedRemediation(check, check.state, now).repair !== undefined;
}

const NOTHING_FOUND: CauseAnalysis = {
  ...{ explained: false, settled: true, truncated: false },
  ...{ roots: [], survived: [], ancestors: [] },
};

function sightOf(
  { ports, keys }: TenantEnv,
  { one, stored, ancestry, pending, pages }: Search,
  verdict: CauseAnalysis,
) {
  const { check, policy, held } = one;
  const now = ports.clock.now();
  const hold: CauseProgress = policy.hold_for_dependencies ? storedProgress(stored) : NO_PROGRESS;
  const waiting = waitingFor(one).map(destinationOf);
  return {
    ...{ hold, verdict, pending, now, waiting },
    busy: new Set(waiting.filter((destination) => isOverPageBudget(pages, destination, now))),
    incidents: incidentsAt(keys, check, ancestry, verdict),
    own: ancestry.incidents.get(check.entity_id),
    windows: windowsOf(one, ancestry, verdict),
    recoveries: recoveriesIn(ancestry, held.from),
    down_at: Date.parse(check.state_since),
    cooldown_ms: policy.cooldown_seconds * 1000,
    settle_ms: settlingMs(check),
    judgedBy: (time: number) => judgedBy(check, time),
  };
}

/**
 * Channels that are still to be told. Where steps of an escalation alone call somebody, it is for them that these
 * count.
 */
function waitingFor({ check, policy, held }: HeldCase) {
  const listening = recipientsFor(policy, 'down', check.alerts);
  return listening.length > 0 ? pendingRecipients(held, listening, check.alerts) : channelsOfSteps(policy);
}

/** The windows of planned work that roots are in, and that include what depends on them. */
const windowsOf = ({ account, now }: HeldCase, { entities, checks }: UpstreamEntities, { roots }: CauseAnalysis) =>
  new Map(
    roots.flatMap(({ entity_id: id }) => {
      const entity = entities.get(id);
      const window = entity && windowForDependents(account.windows, entity, checks.get(id) ?? [], now);
      return window ? [[id, window] as const] : [];
    }),
  );

/** When each entity that has come up since then (epoch ms) was found to be well again, as far as its checks tell. */
const recoveriesIn = ({ checks }: UpstreamEntities, since: number): Map<string, number> =>
  new Map(
    [...checks].flatMap(([id, own]) => {
      const well = own.filter(({ state, enabled }) => enabled && (state === 'up' || state === 'degraded'));
      const last = Math.max(...well.map((check) => Date.parse(check.state_since)));
      return last >= since ? [[id, last] as const] : [];
    }),
  );

/** How long a check takes to find out that all is well again: that of a push check is its grace. */
function settlingMs(check: CheckItem): number {
  if (check.execution_mode === 'push') return Math.max(MIN_SETTLING_MS, heartbeatRules(check).grace);
  const runs = Math.max(check.failure_threshold, check.recovery_threshold);
  return Math.max(MIN_SETTLING_MS, runs * check.interval_seconds * 1000 + check.timeout_ms);
}

/** When the first run at or after a time is over (epoch ms). */
function judgedBy(check: CheckItem, time: number): number {
  if (check.execution_mode === 'push') return time;
  const rhythm = intervalScheduleOf(cellOf(check.id), check.interval_seconds);
  return latestSlot(rhythm, time - 1) + rhythm.interval_ms + check.timeout_ms;
}
