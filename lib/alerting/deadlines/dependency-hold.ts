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
import { dependentOf, findCause } from '#lib/alerting/cause/find-cause.ts';
import { readUpstream, type UpstreamEntities } from '#lib/alerting/cause/read-upstream.ts';
import type { CauseAnalysis } from '#lib/alerting/cause/root-causes.ts';
import { expectedResultAt } from '#lib/alerting/decide/first-result.ts';
import type { Deadline, DeadlineEntry, HeldAlert } from '#lib/alerting/decide/notes.ts';
import { isOverPageBudget, readUrgentAlertCounts } from '#lib/alerting/decide/page-budget.ts';
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
import { causeWrites, presentFailures, progressWrite, type Search } from './write-recheck.ts';

/** Finds upstream entities whose own alert is held and not sent, with the time of its next recheck (epoch ms). */
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
    if (!entry || !(isUnnotified(entry) || waitsForWindow(entry))) continue;
    pending.set(entity_id, Math.min(entry.deadline, pending.get(entity_id) ?? Number.POSITIVE_INFINITY));
  }
  return pending;
}

const waitsForWindow = ({ note }: DeadlineEntry): boolean => {
  const held = note?.held;
  return held?.reason === 'maintenance' && held.window?.include_dependents === true;
};

/** Maximum recheck interval (ms) while a silence or a maintenance window suppresses the alert. */
const MAX_RECHECK_MS = 300_000;

/** Holds the alert of a failure until its cause is known. */
export const dependency: Hold = {
  waits_for_result: true,
  recheck(env, account, one) {
    if (one.held.reason !== 'dependency') return { is: 'released' };
    if (waitsOnlyForCause(one)) return evaluateCause(env, account, one);
    const next = recheckForOthers(one);
    return next ? { is: 'held', next } : { is: 'released' };
  },
};

/** Whether an alert waits only for its cause: it has recipients, and no silence or window suppresses it. */
const waitsOnlyForCause = ({ check: { alerts }, policy }: HeldCase): boolean =>
  !isSilenced(policy) &&
  policy.window === undefined &&
  recipientsFor(policy, 'down', alerts).length + channelsOfSteps(policy).length > 0;

/** Returns the next recheck if a silence or window now suppresses the alert for the destinations not yet notified. */
function recheckForOthers({ check, policy, held, now }: HeldCase): Deadline | undefined {
  const { window } = policy;
  if (!held.notified?.length || !(window || isSilenced(policy))) return undefined;
  const resultAt = window ? expectedResultAt(check, window.until) : Number.POSITIVE_INFINITY;
  return { deadline: Math.max(Math.min(resultAt, now + MAX_RECHECK_MS), now + 1), note: { held } };
}

async function evaluateCause(
  env: TenantEnv,
  account: Pick<AccountItem, 'id' | 'egress'>,
  one: HeldCase,
): Promise<Rechecked> {
  const { ports, keys, tenant } = env;
  const { check, policy } = one;
  const [upstream, stored] = await Promise.all([
    readUpstream(env, check.entity_id),
    ports.table.get<CauseProgressItem>(keys.hold(tenant, check.id, one.held.transition_sk)),
  ]);
  // No turn was free, because this process evaluates others.
  if (!upstream) return { is: 'unsettled' };
  const [pending, pages] = await Promise.all([
    readPendingRoots(env, upstream),
    readUrgentAlertCounts(env, tenant, pendingChannels(one).map(destinationOf)),
  ]);
  const search: Search = { one, stored, upstream, pending, pages };
  const decideBy = (analysis: CauseAnalysis): CauseDecision => decideByCause(causeInputOf(env, search, analysis));
  const isEnough = (analysis: CauseAnalysis) =>
    analysis.explained && analysis.roots[0]!.confirmed && decideBy(analysis).notify.length === 0;
  const analysis = policy.hold_for_dependencies
    ? await findCause(env, account, upstream, dependentOf(one.check, one.transition), isEnough)
    : NOTHING_FOUND;
  if (!analysis.settled) return { is: 'unsettled' };
  const decision = decideBy(analysis);
  if (!isForRules(one, decision, ports.clock.now())) return causeWrites(env, search, analysis, decision);
  // A failure with an upstream cause does not wait for its own remediation.
  const held: HeldAlert = decision.root === null ? one.held : { ...one.held, skips_remediation: true };
  return { is: 'known', held, extraWrites: [progressWrite(env, search, analysis, decision)] };
}

/** Whether the rules decide: all recipients belong to later escalation steps, or a remediation comes first. */
function isForRules({ check, policy, held, transition }: HeldCase, decision: CauseDecision, now: number): boolean {
  if (decision.notify.length === 0 || transition.alert.decision !== 'held') return false;
  if (recipientsFor(policy, 'down', check.alerts).length === 0) return true;
  return (
    decision.root === null &&
    !held.skips_remediation &&
    awaitedRemediation(check, check.state, now).repair !== undefined
  );
}

const NOTHING_FOUND: CauseAnalysis = {
  ...{ explained: false, settled: true, truncated: false },
  ...{ roots: [], survived: [], ancestors: [] },
};

function causeInputOf(
  { ports, keys }: TenantEnv,
  { one, stored, upstream, pending, pages }: Search,
  analysis: CauseAnalysis,
) {
  const { check, policy, held } = one;
  const now = ports.clock.now();
  const progress: CauseProgress = policy.hold_for_dependencies ? storedProgress(stored) : NO_PROGRESS;
  const waiting = pendingChannels(one).map(destinationOf);
  return {
    ...{ progress, analysis, pending, now, waiting },
    overBudget: new Set(waiting.filter((destination) => isOverPageBudget(pages, destination, now))),
    notifiedFailures: presentFailures(keys, check, upstream, analysis),
    own: upstream.notifiedFailures.get(check.entity_id),
    windows: windowsOf(one, upstream, analysis),
    recoveries: recoveriesIn(upstream, held.from),
    down_at: Date.parse(check.state_since),
    cooldown_ms: policy.cooldown_seconds * 1000,
    settle_ms: settlingMs(check),
    firstResultBy: (time: number) => firstResultBy(check, time),
  };
}

/** Returns the channels not yet notified; if all channels belong to escalation steps, the channels of the steps. */
function pendingChannels({ check, policy, held }: HeldCase) {
  const pending = pendingRecipients(held, policy, check.alerts);
  const hasRecipients = pending.length > 0 || recipientsFor(policy, 'down', check.alerts).length > 0;
  return hasRecipients ? pending : channelsOfSteps(policy);
}

const windowsOf = ({ account, now }: HeldCase, { entities, checks }: UpstreamEntities, { roots }: CauseAnalysis) =>
  new Map(
    roots.flatMap(({ entity_id: id }) => {
      const entity = entities.get(id);
      const window = entity && windowForDependents(account.windows, entity, checks.get(id) ?? [], now);
      return window ? [[id, window] as const] : [];
    }),
  );

/** Returns the last recovery (epoch ms) by entity, if one of its checks recovered at or after `since`. */
const recoveriesIn = ({ checks }: UpstreamEntities, since: number): Map<string, number> =>
  new Map(
    [...checks].flatMap(([id, own]) => {
      const well = own.filter(({ state, enabled }) => enabled && (state === 'up' || state === 'degraded'));
      const last = Math.max(...well.map((check) => Date.parse(check.state_since)));
      return last >= since ? [[id, last] as const] : [];
    }),
  );

/** Returns the time in ms until a check detects a recovery, at least a minute; for a push check, its grace time. */
function settlingMs(check: CheckItem): number {
  if (check.execution_mode === 'push') return Math.max(MIN_SETTLING_MS, heartbeatRules(check).grace);
  const runs = Math.max(check.failure_threshold, check.recovery_threshold);
  return Math.max(MIN_SETTLING_MS, runs * check.interval_seconds * 1000 + check.timeout_ms);
}

/** Returns when the first probe at or after a time has ended (epoch ms); for a push check, that time. */
function firstResultBy(check: CheckItem, time: number): number {
  if (check.execution_mode === 'push') return time;
  const schedule = intervalScheduleOf(cellOf(check.id), check.interval_seconds);
  return latestSlot(schedule, time - 1) + schedule.interval_ms + check.timeout_ms;
}
