import type { CheckItem, OpenRun } from '#lib/checks/check-item.ts';

// Open job runs of a push check (docs/use/heartbeats.md#pings). Pure: functions return new lists.

/** Maximum number of open runs of a check; further starts are stored but open no run. */
const MAX_RUNS = 10;
const MAX_MEASURED_MS = 72 * 3_600_000;

/** Time (ms) after the maximum duration of a run by which its overrun is recorded, unless an outage excuses it. */
const OVERRUN_RECORDED_MS = 3_600_000;

type Runs = readonly OpenRun[];

/**
 * Adds a run; undefined if the start is a duplicate, or MAX_RUNS runs are open that are not late. Late runs have
 * overrun, or their end was lost in an outage; the oldest make room. `now`: epoch ms. `maxDuration`: ms.
 */
export function withStart(
  runs: Runs,
  rid: string | undefined,
  now: number,
  maxDuration: number,
): OpenRun[] | undefined {
  const isLate = ({ overrun, started_at }: OpenRun) => overrun || started_at + maxDuration + OVERRUN_RECORDED_MS <= now;
  const open = runs.filter((run) => !isLate(run));
  if (open.length >= MAX_RUNS || (rid !== undefined && open.some((run) => run.rid === rid))) return undefined;
  const late = runs.filter((run) => isLate(run) && (rid === undefined || run.rid !== rid));
  const begun: OpenRun = { ...(rid !== undefined && { rid }), started_at: now, received_at: now };
  const room = MAX_RUNS - 1 - open.length;
  return [...late.slice(Math.max(0, late.length - room)), ...open, begun];
}

/** Remaining runs, and the duration (ms) of the ended run; 0 if not known. */
export type Ended = { runs: Runs; latency_ms: number };

/**
 * Ends the run with the rid or, without a rid, all runs; then the duration is known if one run is not overrun, or if
 * there is only one. With an unknown rid, a success ends no run, and a failure ends all.
 */
export function withEnd(
  runs: Runs,
  { rid, success }: { rid?: string | undefined; success: boolean },
  now: number,
): Ended {
  const matching = runs.filter((run) => run.rid === rid);
  if (rid !== undefined && matching.length > 0) {
    return { runs: runs.filter((run) => run.rid !== rid), latency_ms: durationOf(matching[0]!, now) };
  }
  if (rid !== undefined) return { runs: success ? runs : [], latency_ms: 0 };
  const open = runs.filter((run) => !run.overrun);
  const ended = open.length > 0 ? open : runs;
  return { runs: [], latency_ms: ended.length === 1 ? durationOf(ended[0]!, now) : 0 };
}

function durationOf({ started_at }: OpenRun, now: number): number {
  const ms = now - started_at;
  return ms < 0 || ms > MAX_MEASURED_MS ? 0 : ms;
}

/** Returns the property of a check item; absent without runs. */
export const runsProperty = (runs: Runs): Pick<CheckItem, 'runs'> => (runs.length > 0 ? { runs: [...runs] } : {});
