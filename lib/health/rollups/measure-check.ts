import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { causes, outagesOf, type Span } from '#lib/health/history/gap-causes.ts';
import { pushGaps } from '#lib/health/history/gaps.ts';
import { revisionsSince } from '#lib/health/history/read-revisions.ts';
import { type RevisionItem, revisionItem } from '#lib/health/history/revisions.ts';
import { timeline } from '#lib/health/history/timeline.ts';
import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import { after, stamp, TRANSITIONS } from '#lib/keys.ts';
import { itemsOf } from '#lib/platform/table/pages.ts';
import { ROLLUP_DELAY_MS } from '#lib/schedule/slots.ts';
import { accountTime, type KnownTime } from './account-time.ts';
import { timeOf } from './accounted-span.ts';
import { emptyFigures } from './figures.ts';
import { addLatency } from './latency-histogram.ts';
import type { CheckRollup } from './rollup-item.ts';

/** A slot counts as missed so long after it (ms), so that an hour is judged whole when it is rolled up. */
const PATIENCE_MS = ROLLUP_DELAY_MS - 60_000;

/**
 * The figures of a check in a window of time, from its raw data: what rollups are made of, and what stands in for those
 * that are not made yet. Of a time that is still to come nothing is known.
 */
export async function measureCheck(context: TenantEnv, check: CheckItem, window: Span): Promise<CheckRollup> {
  const { keys, ports } = context;
  // A slot that was missed before the window may speak for a part of it.
  const from = window.from - check.interval_seconds * 1000;
  const revisions =
    check.settings_at <= from ? [revisionItem(keys, check)] : await revisionsSince(context, check, from);
  const read = { from, until: Math.min(window.to, ports.clock.now()) };
  const outages = await outagesOf(context, check, read);
  const figures = emptyFigures();
  const gaps: Span[] = [];
  const count = (at: number) => at >= window.from;

  if (check.execution_mode === 'push') {
    for (const gap of pushGaps(revisions, outages, { from: window.from, until: read.until })) {
      gaps.push(gap);
      figures.gaps[gap.cause] += gap.slots;
    }
  }
  const causeOf = causes(context, check, outages);
  for await (const moment of timeline(context, check, revisions, read, PATIENCE_MS)) {
    if (moment.missed) {
      const { slot, interval_ms } = moment.missed;
      gaps.push({ from: slot, to: slot + interval_ms });
      const cause = causeOf(slot, moment.noted);
      if (count(slot)) figures.gaps[cause] += 1;
    } else if (count(moment.at)) {
      figures.runs += 1;
      if (moment.run.success) addLatency(figures.latency, moment.run.latency_ms);
      else figures.failures += 1;
    }
  }
  const known: KnownTime = {
    changes: await changesIn(context, check, window),
    monitored: monitoredIn(revisions),
    gaps,
    maintenance: [],
  };
  const spans = accountTime(known, { from: window.from, to: Math.max(window.from, read.until) });
  return { ...figures, ...timeOf(spans), spans };
}

const monitoredIn = (revisions: readonly RevisionItem[]): Span[] =>
  revisions.flatMap(({ from, enabled }, i) =>
    enabled ? [{ from, to: revisions[i + 1]?.from ?? Number.POSITIVE_INFINITY }] : [],
  );

/** The changes of state that count in a window, and the state before them. */
async function changesIn({ ports, keys, tenant }: TenantEnv, check: CheckItem, window: Span) {
  if (Date.parse(check.state_since) <= window.from) return [{ at: 0, state: check.state }];
  const changes: { at: number; state: CheckItem['state'] }[] = [];
  const transitions = itemsOf<TransitionItem>(ports.table, {
    partition: keys.ofCheck(tenant, check.id),
    from: `${TRANSITIONS}${stamp(window.from)}`,
    to: after(TRANSITIONS),
    limit: 25,
  });
  for await (const { check_from_state, check_to_state, effective_at } of transitions) {
    if (changes.length === 0) changes.push({ at: 0, state: check_from_state });
    changes.push({ at: effective_at, state: check_to_state });
    if (effective_at >= window.to) break;
  }
  return changes.length > 0 ? changes : [{ at: 0, state: check.state }];
}
