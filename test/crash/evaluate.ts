import { checkActions } from '#test/oracle/actions.ts';
import { checkChains } from '#test/oracle/chains.ts';
import { type History, isAccepted } from '#test/oracle/history.ts';
import { violationsOf } from '#test/oracle/promises.ts';
import { checkReports } from '#test/oracle/reports.ts';
import { slotsIn } from '#test/oracle/slots.ts';
import { eventually } from '#test/support/eventually.ts';
import type { Fleet } from './fleet.ts';
import { historyAtRest, historyOf, serviceHistoryOf } from './history.ts';
import type { Sent } from './load.ts';

/** Counts so far, by name. */
export type Totals = Record<string, number>;

/** Violations so far, one sentence each, and counts. */
export type Evaluation = { wrong: string[]; totals: Totals };

/** Time until a slot is recorded or is a gap: its interval, a probe and the wait for other probes of its cell (ms). */
const PROBED_MS = 5_000;
/**
 * Time until an interrupted execution has ended (ms): 20 s after its timeout of 3 s, its message 1 s later, and slack.
 */
const GIVEN_UP_MS = 45_000;
/** Time until a delivery has ended (ms): three attempts of 2.5 s at a receiver with a backlog, and their waits. */
const DELIVERED_MS = 60_000;

/**
 * Checks the promises of the service for the history so far.
 * @param until epoch ms; deliveries that were planned before it must have ended
 */
export async function evaluate(fleet: Fleet, sent: Sent, until: number): Promise<Evaluation> {
  const now = Date.now();
  const runs = Math.min(until, now - GIVEN_UP_MS);
  const history = await historyOf(fleet, sent, { alerts: until, runs, slots: now - PROBED_MS });
  const wrong = [...fleet.pipelines.wrong, ...(await fleet.jobs.wrong()), ...violationsOf(history)];
  return { wrong, totals: { ...totalsOf(history), pings: fleet.jobs.answered() } };
}

/** Checks the promises at the end, when nothing changes any more and everything had time to finish. */
export async function evaluateEnd(fleet: Fleet, sent: Sent): Promise<Evaluation> {
  fleet.calm = true;
  const until = Date.now();
  const wrong = await eventually(async () => {
    const history = await historyAtRest(fleet, { alerts: until, runs: until, slots: until });
    const broken = [...checkChains(history), ...checkActions(history), ...checkReports(history)];
    if (broken.length > 0) throw new Error(broken.slice(0, 5).join('; '));
    return fleet.pipelines.open === 0 && !isOpen(history, until) && [];
  }, DELIVERED_MS).catch((stuck: Error) => [stuck.message]);
  const last = await evaluate(fleet, sent, until);
  return { wrong: [...wrong, ...last.wrong], totals: last.totals };
}

/** Waits until the deliveries that were planned before `until` are over; the evaluation reports open ones. */
export const delivered = (fleet: Fleet, until: number): Promise<unknown> =>
  eventually(
    async () => !isOpen(await serviceHistoryOf(fleet, { alerts: until, runs: 0, slots: 0 }), until),
    DELIVERED_MS,
  ).catch(() => undefined);

function isOpen({ transitions, deliveries }: History, until: number): boolean {
  const over = new Set(deliveries.filter(({ status }) => status === 'sent' || status === 'failed').map(({ id }) => id));
  const planned = transitions.filter(({ at }) => at < until).flatMap(({ alert }) => alert.deliveries);
  const made = deliveries.filter(({ created_at }) => Date.parse(created_at) < until).map(({ id }) => id);
  return [...planned, ...made].some((id) => !over.has(id));
}

function totalsOf(history: History): Totals {
  const {
    pushes,
    transitions,
    deliveries,
    executions,
    received,
    manualExecutions = [],
    results,
    missedHeartbeats,
    pullChecks,
  } = history;
  const runs = executions.map(({ began }) => began);
  const deliveriesWith = (...statuses: string[]) => deliveries.filter(({ status }) => statuses.includes(status)).length;
  const runsWith = (status: string) => runs.filter(({ dispatch_status }) => dispatch_status === status).length;
  const distinct = (ids: string[]) => new Set(ids).size;
  const acknowledged = distinct(pushes.filter(({ answered }) => answered).map(({ push }) => push));
  const taken = received.filter(isAccepted).map(({ delivery_id }) => delivery_id);
  const slots = pullChecks.flatMap((one) => slotsIn(history, one));
  const missed = (cause: string) => slots.filter(({ times, gap }) => times === 0 && gap === cause).length;
  return {
    acknowledged,
    unanswered: distinct(pushes.map(({ push }) => push)) - acknowledged,
    transitions: transitions.length,
    sent: deliveriesWith('sent'),
    failed: deliveriesWith('failed'),
    open: deliveriesWith('pending', 'retrying'),
    arrivals: received.length,
    duplicates: taken.length - distinct(taken),
    manual_runs: manualExecutions.length,
    executions: runs.length,
    run_well: runsWith('success'),
    run_failed: runsWith('failed'),
    run_open: runsWith('pending'),
    interrupted: runs.filter(({ error_message }) => error_message.startsWith('interrupted')).length,
    results: results.length,
    missed_heartbeats: missedHeartbeats.length,
    slots: slots.length,
    slots_executed: slots.filter(({ times }) => times > 0).length,
    missed_outage: missed('outage'),
    missed_late: missed('late'),
    missed_error: missed('error'),
  };
}
