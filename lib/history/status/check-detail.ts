import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { downAt, heartbeatDeadline, heartbeatRules, type LastHeartbeat } from '#lib/checks/heartbeat.ts';
import { checkSchema, checkView } from '#lib/checks/settings/check-record.ts';
import type { CheckType } from '#lib/checks/types/check-type.ts';
import { checkTypeOf } from '#lib/checks/types/registry.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { iso } from '#lib/platform/time.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { ResultRecord, resultView } from '#lib/results/result-record.ts';
import { nextDue } from '#lib/schedule/calendar/calendar.ts';
import { isHeartbeatOverdue, isOverdue, newestResult, readLastHeartbeat } from './newest-results.ts';

const LastResult = ({ result }: CheckType) =>
  ResultRecord.extend(result.shape).nullable().describe('Newest result by checked_at; null before the first.');

/** Newest result of each check in a list, if requested. */
export const NewestResult = (type: CheckType) => z.object({ last_result: LastResult(type).optional() });

const OpenRunRecord = z.object({
  rid: z.string().nullable().describe('Run id; null if the start ping had none.'),
  started_at: z.iso.datetime().describe('Time of the start ping.'),
  overrun: z.boolean().describe('Whether the run exceeded its maximum duration, which counted as a failure.'),
});

/** Expected heartbeats and open job runs of a push check; shown for a single check, not in lists. */
const Expected = z.object({
  alerts_after_seconds: z
    .int()
    .nullable()
    .describe(
      'Seconds without a heartbeat until the check goes down: grace time plus failure_threshold - 1 intervals; null with a schedule.',
    ),
  alerts_at: z.iso
    .datetime()
    .nullable()
    .describe(
      'Time at which the check goes down without a heartbeat; null if it is down, disabled or expects no heartbeat.',
    ),
  next_due_at: z.iso.datetime().nullable().describe('Next due time of its schedule; null without a schedule.'),
  late: z.boolean().describe('Whether a scheduled heartbeat is due and still missing, within its grace time.'),
  runs: z.array(OpenRunRecord).describe('Job runs that have started and not ended, oldest first.'),
  waiting_for_first: z.boolean().describe('Whether the check has never received a heartbeat.'),
});
export type Expected = z.infer<typeof Expected>;

const detailOf = (type: CheckType) =>
  z.object({
    last_result: LastResult(type),
    last_checked_at: z.iso.datetime().nullable().describe('Time of the last result; null before the first.'),
    stale: z.boolean().describe('Whether a result is overdue, so that the state may be outdated.'),
    ...(type.mode === 'push' && Expected.shape),
  });
type CheckDetail = z.infer<ReturnType<typeof detailOf>>;

export async function checkDetail(context: Context, check: CheckItem): Promise<CheckDetail> {
  const last = await newestResult(context, check);
  const detail = { last_result: lastResultView(context, check, last), last_checked_at: last?.checked_at ?? null };
  if (check.execution_mode === 'pull') return { ...detail, stale: isOverdue(context, check, last) };
  const now = context.ports.clock.now();
  const heartbeat = await readLastHeartbeat(context, check);
  return { ...detail, stale: isHeartbeatOverdue(check, heartbeat, now), ...expected(check, heartbeat, now) };
}

function expected(check: CheckItem, heartbeat: LastHeartbeat, now: number): Expected {
  const { enabled, last_received, runs = [], failure_threshold, interval_seconds } = check;
  const { calendar, grace } = heartbeatRules(check);
  const deadline = enabled ? heartbeatDeadline(check, heartbeat, now) : undefined;
  return {
    alerts_after_seconds: calendar ? null : grace / 1000 + (failure_threshold - 1) * interval_seconds,
    alerts_at: isoOrNull(enabled ? downAt(check, heartbeat, now) : undefined),
    next_due_at: isoOrNull(enabled && calendar ? nextDue(calendar, now) : undefined),
    late: deadline?.misses === 'due time' && deadline.due <= now && now < deadline.at,
    runs: runs.map(({ rid = null, started_at, overrun = false }) => ({ rid, started_at: iso(started_at), overrun })),
    waiting_for_first: last_received === undefined,
  };
}

const isoOrNull = (at: number | undefined): string | null => (at === undefined ? null : iso(at));

export const lastResultView = (context: Context, check: CheckItem, last: ResultItem | undefined) =>
  last
    ? {
        ...resultView(context, check.id, last),
        ...pick(checkTypeOf(check.check_type).result, { ...check.noted, ...last.noted }),
      }
    : null;

export const CheckWithLastResult = checkSchema('CheckWithLastResult', detailOf);

export const fullCheckView = async (context: Context, check: CheckItem) => ({
  ...(await checkView(context, check)),
  ...(await checkDetail(context, check)),
});
