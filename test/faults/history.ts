import type { ActionItem } from '#lib/actions/action-item.ts';
import type { ExecutionItem } from '#lib/actions/execution.ts';
import { isAlert } from '#lib/alerting/decide/alert-item.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { resultRecord } from '#lib/results/result-record.ts';
import { failsAfter } from '#test/oracle/deadlines.ts';
import type {
  ActionVersion,
  Execution,
  History,
  MissedHeartbeat,
  PullCheck,
  PushResult,
} from '#test/oracle/history.ts';
import {
  changesIn,
  checkIdOf,
  checksIn,
  deliveriesIn,
  isCheckKey,
  keyText,
  type Seen,
  settingsIn,
} from '#test/oracle/inside.ts';
import { recordedIn } from '#test/oracle/recorded-history.ts';
import { NEAR_CHANGE_MS, outagesOf, phaseOf } from '#test/oracle/rules.ts';
import { markOf } from './agents.ts';
import type { Run } from './simulate.ts';

/** Maximum duration of three attempts with waits and timeouts, the messages between them, and a Retry-After (ms). */
const DELIVERED_MS = 240_000;
/** Maximum duration of an execution (ms). */
const ENDED_MS = 240_000;
/** Time before the end in which slots need not be executed (ms). */
const LAST_MS = 70_000;

/** Returns the history of a simulated run for the oracle. */
export function historyOf({ seen, profile, keys, calmFrom, end, shown }: Run): History {
  return {
    read_at: end,
    complete_until: end,
    over_before: { alerts: end - DELIVERED_MS, runs: end - ENDED_MS, slots: end - LAST_MS },
    failed: profile.quiet ? 'nothing' : 'anything',
    away: seen.outages,
    ...transitionsIn(seen),
    alerts: changesIn(seen).flatMap(({ after }) => (after && isAlert(after) ? [after] : [])),
    deliveries: deliveriesIn(seen),
    ...actionsIn(seen),
    ...pushResultsIn(seen),
    pullChecks: pullChecksIn(seen, end),
    pushes: seen.pushes,
    received: seen.received,
    calls: seen.calls,
    reports: seen.reports,
    inside: { seen, profile, keys, calmFrom, end, shown },
  };
}

function transitionsIn(seen: Seen): Pick<History, 'transitions' | 'states' | 'feed'> {
  const transitions = new Map<string, History['transitions'][number]>();
  const states: History['states'] = new Map();
  const pointers = new Set<string>();
  for (const { key, after, commit } of changesIn(seen)) {
    if (!key.sk.startsWith('TR#') || !after) continue;
    // The alert of a held transition is decided later.
    const { n, at } = transitions.get(keyText(key)) ?? commit;
    transitions.set(keyText(key), { ...(after as DecidedTransition), n, at });
  }
  for (const item of seen.table.values()) {
    if ('transition_sk' in item && item.pk.includes('#FEED#')) pointers.add(item.transition_sk as string);
    if (!item.pk.includes('#ENTITIES#')) continue;
    const { id, state, seq } = item as EntityItem;
    states.set(id, { state, seq });
  }
  for (const { id, state } of checksIn(seen)) states.set(id, { state });
  const stored = [...transitions].filter(([key]) => seen.table.has(key));
  return {
    transitions: stored.map(([, one]) => one).sort((a, b) => Date.parse(a.timestamp) - Date.parse(b.timestamp)),
    states,
    feed: new Set(stored.flatMap(([key, one]) => (pointers.has(key.split('|')[1]!) ? [one.transition_id] : []))),
  };
}

/** Returns actions and executions from the commits, including those deleted with a check or an action. */
function actionsIn(seen: Seen): Pick<History, 'actions' | 'executions'> {
  const actions = new Map<string, ActionVersion[]>();
  const executions: Execution[] = [];
  for (const { key, before, after, commit } of changesIn(seen)) {
    const { n, at } = commit;
    if (key.sk.startsWith('act_'))
      actions.set(key.sk, [...(actions.get(key.sk) ?? []), { n, at, action: after as ActionItem | undefined }]);
    if (key.sk !== 'EXECUTION' || before || !after) continue;
    const last = seen.table.get(keyText(key)) as ExecutionItem | undefined;
    executions.push({ n, at, began: after as ExecutionItem, last });
  }
  return { actions, executions };
}

function pushResultsIn(seen: Seen): Pick<History, 'results' | 'missedHeartbeats'> {
  const results = new Map<string, PushResult>();
  const missedHeartbeats: MissedHeartbeat[] = [];
  for (const { key, after, commit } of changesIn(seen)) {
    const { n, at, run, changes } = commit;
    if (!after || !key.sk.startsWith('R#')) continue;
    const result = after as ResultItem;
    const { success, latency_ms, error_message, warning_message, received_at, record_only = false } = result;
    if (received_at !== undefined) {
      const check_id = checkIdOf(key);
      const { id } = resultRecord(check_id, result);
      const mark = markOf(latency_ms);
      const record = { success, latency_ms, error_message, warning_message };
      const one = { id, check_id, n, mark, kept: seen.table.has(keyText(key)), record_only, received_at, record };
      if (!results.has(id)) results.set(id, { ...one, ...(result.ping && { is_ping: true }) });
    } else if (result.error_kind === 'missed_heartbeat' || result.error_kind === 'overrun') {
      const check = changes.find((one) => isCheckKey(one.key) && checkIdOf(one.key) === checkIdOf(key))!
        .before as CheckItem;
      const recorded = { n, at, began_at: seen.runs.get(run ?? 0)?.began_at ?? 0, check };
      missedHeartbeats.push({
        check_id: check.id,
        at: Number(key.sk.slice(2, 15)),
        failsAfter: (since, isHeartbeat) => failsAfter(check, since, isHeartbeat),
        ...(result.error_kind === 'overrun' && { overrun: true }),
        recorded,
      });
    }
  }
  return { results: [...results.values()], missedHeartbeats };
}

/** Returns each pull check once for each period in which its settings stay the same. */
function pullChecksIn(seen: Seen, end: number): PullCheck[] {
  const recorded = recordedIn(seen);
  const outages = outagesOf(seen).map(({ from, to }) => ({ from, to: to + 1, cause: 'outage' }));

  return [...settingsIn(seen).values()].flat().flatMap(({ check, from, to }) => {
    if (!check?.enabled || check.execution_mode !== 'pull') return [];
    const changed_at = Math.min(to, end - LAST_MS + NEAR_CHANGE_MS);
    const { id, interval_seconds } = check;
    const phase = phaseOf(id, interval_seconds);
    const interval = interval_seconds * 1000;
    const isOwn = (one: { interval_seconds?: number }) =>
      (one.interval_seconds ?? interval_seconds) === interval_seconds;
    const { runs, gaps } = recorded.get(id)!;
    const ofSlots = runs.filter(({ unscheduled }) => !unscheduled);
    // The probe that a change of settings triggers counts for the slot before it.
    const had = ofSlots.filter(isOwn).map(({ at }) => phase + Math.floor((at - phase) / interval) * interval);
    const noted = gaps.filter(isOwn).map(({ at, cause }) => ({ from: at, to: at + 1, cause }));
    return {
      id,
      interval_seconds,
      // With a wrong clock, a slot can be between these two times; the probe that the change triggers counts for it.
      from: Math.max(from, check.settings_at),
      to: changed_at - NEAR_CHANGE_MS,
      results: new Map(had.map((slot) => [slot, 1])),
      gaps: [...noted, ...outages],
      stored: { check, changed_at },
    };
  });
}
