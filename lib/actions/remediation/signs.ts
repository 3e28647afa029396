import type { ActionItem } from '#lib/actions/action-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { outcomeOf } from '#lib/checks/outcome.ts';
import type { Env } from '#lib/env.ts';
import { outagesOf } from '#lib/health/history/gap-causes.ts';
import { revisionsSince } from '#lib/health/history/read-revisions.ts';
import { resultOf, storedRuns } from '#lib/history/runs/runs.ts';
import { cellOf } from '#lib/keys.ts';
import { type ResultItem, resultRecord } from '#lib/results/result.ts';
import { latestSlot, rhythmOf } from '#lib/schedule/slots.ts';
import type { Sign, Span } from './verdict.ts';

/** A push may say that it was checked so long (ms) before it came. */
const PUSHED_LATE_MS = 60_000;

/** When a check is probed next from a time on (epoch ms); undefined of one that is pushed. */
export function nextSlot(check: CheckItem, from: number): number | undefined {
  if (check.execution_mode === 'push') return undefined;
  const rhythm = rhythmOf(cellOf(check.id), check.interval_seconds);
  return latestSlot(rhythm, from - 1) + rhythm.interval_ms;
}

/** The results of a check whose probe began, or that came, within a span; in that order. */
export async function signsOf(
  { ports, keys }: Env,
  action: Pick<ActionItem, 'trigger_to_state'>,
  check: CheckItem,
  { from, until }: Span,
): Promise<Sign[]> {
  const context = { ports, keys, tenant: check.tenant_id };
  const earlier = check.execution_mode === 'push' ? PUSHED_LATE_MS : check.interval_seconds * 1000;
  const window = { from: from - earlier, until: until + 1 };
  const revisions = await revisionsSince(context, check, window.from);
  const found: (Sign & { at: number })[] = [];
  for await (const page of storedRuns(context, check, revisions, window)) {
    for (const moment of page) {
      if (moment.gap !== undefined) continue;
      const result = resultOf(keys, check, moment.at, moment.run);
      const at = beganAt(result);
      if (result.history || at <= from || at > until) continue;
      const { id } = resultRecord(check.id, result);
      found.push({ id, is_well: isWellBy(action, result), at });
    }
  }
  return found.sort((a, b) => a.at - b.at).map(({ id, is_well }) => ({ id, is_well }));
}

/** When its probe began, or it came (epoch ms). */
const beganAt = ({ received_at, checked_at }: ResultItem): number => received_at ?? Date.parse(checked_at);

/** A warning is no success where degraded is what is repaired. */
const isWellBy = ({ trigger_to_state }: Pick<ActionItem, 'trigger_to_state'>, result: ResultItem): boolean =>
  trigger_to_state === 'degraded' ? outcomeOf(result) === 'ok' : result.success;

/** Whether a check without any result in a span was watched: a probe always has one, a push may fail to come. */
export async function wasWatched(env: Env, check: CheckItem, { from, until }: Span): Promise<boolean> {
  if (!check.enabled || check.execution_mode === 'pull') return false;
  return (await outagesOf(env, check, { from, until })).length === 0;
}
