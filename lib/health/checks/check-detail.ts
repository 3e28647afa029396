import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { CheckType } from '#lib/checks/check-type.ts';
import { checkTypeOf } from '#lib/checks/registry.ts';
import { type ResultItem, ResultRecord } from '#lib/health/history/result-item.ts';
import { resultView } from '#lib/health/history/result-view.ts';
import { isOverdue, lastResult } from '#lib/health/status/staleness.ts';
import { pick } from '#lib/platform/pick.ts';
import { graceMs } from './grace.ts';

export const Stale = z.object({
  stale: z.boolean().describe('Whether a result is overdue, so that the state may be older than it looks.'),
});

const LastResult = ({ result }: CheckType) =>
  ResultRecord.extend(result.shape).nullable().describe('The newest result by checked_at; null before the first.');

/** What a list of checks shows of each when it is asked for. */
export const NewestResult = (type: CheckType) => z.object({ last_result: LastResult(type).optional() });

/** What GET of one check of a type shows beside its record. */
export const detailOf = (type: CheckType) =>
  z.object({
    last_result: LastResult(type),
    last_checked_at: z.iso.datetime().nullable().describe('When that was; null before the first.'),
    ...Stale.shape,
    alerts_after_seconds: z
      .int()
      .optional()
      .describe('push: seconds of silence until it goes down: the grace, and intervals up to failure_threshold.'),
  });
type CheckDetail = z.infer<ReturnType<typeof detailOf>>;

export async function checkDetail(context: Context, check: CheckItem): Promise<CheckDetail> {
  const last = await lastResult(context, check);
  return {
    last_result: lastResultView(context, check, last),
    last_checked_at: last?.checked_at ?? null,
    stale: await isOverdue(context, check, last),
    ...(check.execution_mode === 'push' && { alerts_after_seconds: alertsAfter(check) }),
  };
}

/** The newest result of a check as it is shown, with the members of its type. */
export const lastResultView = (context: Context, check: CheckItem, last: ResultItem | undefined) =>
  last
    ? {
        ...resultView(context, check.id, last),
        ...pick(checkTypeOf(check.check_type).result, { ...check.noted, ...last.noted }),
      }
    : null;

/** The grace, then one synthetic failure an interval until the threshold; seconds. */
const alertsAfter = (check: CheckItem): number =>
  graceMs(check) / 1000 + (check.failure_threshold - 1) * check.interval_seconds;
