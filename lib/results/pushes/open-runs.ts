import type { CheckItem, OpenRun } from '#lib/checks/check-item.ts';

// Runs of a push check that have begun and not ended (docs/use/heartbeats.md#pings). Pure: each answers a new list.

/** Most runs of a check that are open at the same time: a further start is kept, but begins none. */
const MAX_RUNS = 10;
/** A run that took longer (ms) is not measured. */
const MAX_MS = 72 * 3_600_000;

/** A run that is so much (ms) over its time was judged, or is excused. */
const JUDGED_MS = 3_600_000;

type Runs = readonly OpenRun[];

/**
 * The runs with one more. Undefined when it changes nothing: a start sent twice, or one too many. What has overrun
 * makes room, and a new start of its rid takes its place; so does a run whose end an outage of ours has swallowed.
 * @param now epoch ms
 * @param longest how long a run may take, in ms
 */
export function withStart(runs: Runs, rid: string | undefined, now: number, longest: number): OpenRun[] | undefined {
  const isLate = ({ overrun, started_at }: OpenRun) => overrun || started_at + longest + JUDGED_MS <= now;
  const open = runs.filter((run) => !isLate(run));
  if (open.length >= MAX_RUNS || (rid !== undefined && open.some((run) => run.rid === rid))) return undefined;
  const late = runs.filter((run) => isLate(run) && (rid === undefined || run.rid !== rid));
  const begun: OpenRun = { ...(rid !== undefined && { rid }), started_at: now, received_at: now };
  const room = MAX_RUNS - 1 - open.length;
  return [...late.slice(Math.max(0, late.length - room)), ...open, begun];
}

/** What the end of a run leaves open, and how long (ms) that run took: 0 where it is not known. */
export type Ended = { runs: Runs; latency_ms: number };

/**
 * What an end does to the runs. By its rid it ends that run; without one all of them, and it is measured if one alone
 * was open. A failure of a run that is not known ends all.
 * @param now epoch ms
 */
export function withEnd(
  runs: Runs,
  { rid, success }: { rid?: string | undefined; success: boolean },
  now: number,
): Ended {
  const own = runs.filter((run) => run.rid === rid);
  if (rid !== undefined && own.length > 0) {
    return { runs: runs.filter((run) => run.rid !== rid), latency_ms: lasted(own[0]!, now) };
  }
  if (rid !== undefined) return { runs: success ? runs : [], latency_ms: 0 };
  const open = runs.filter((run) => !run.overrun);
  const ended = open.length > 0 ? open : runs;
  return { runs: [], latency_ms: ended.length === 1 ? lasted(ended[0]!, now) : 0 };
}

/** A clock that was set back measures nothing. */
function lasted({ started_at }: OpenRun, now: number): number {
  const ms = now - started_at;
  return ms < 0 || ms > MAX_MS ? 0 : ms;
}

/** The member of a check item: absent where no run is open. */
export const runsMember = (runs: Runs): Pick<CheckItem, 'runs'> => (runs.length > 0 ? { runs: [...runs] } : {});
