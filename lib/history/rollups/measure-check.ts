import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { readMaintenance } from '#lib/checks/maintenance.ts';
import { outcomeOf } from '#lib/checks/outcome.ts';
import { type RevisionItem, revisionItem, revisionsSince } from '#lib/checks/settings/revisions.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import { gapCauseFinder, outagesOf, pushGaps, type TimeRange } from '#lib/history/results/gaps.ts';
import { timeline } from '#lib/history/results/timeline.ts';
import { after, stamp, TRANSITIONS } from '#lib/keys.ts';
import { itemsOf } from '#lib/platform/table/pages.ts';
import { ROLLUP_DELAY_MS } from '#lib/schedule/slots.ts';
import { classifyTime, type TimeSources, timeOf } from './classify-time.ts';
import { emptyFigures, type Figures } from './figures.ts';
import { addLatency } from './latency-histogram.ts';
import type { CheckRollup } from './rollup-item.ts';

/** Time (ms) until a slot counts as passed (see `timeline`); leaves its probe a minute to end before the rollup. */
const PASSED_AFTER_MS = ROLLUP_DELAY_MS - 60_000;

/**
 * Measures a check in contiguous ranges from raw data, one rollup per range. Future time is left out.
 * @param finalMaintenance time in maintenance, if maintenance windows can no longer change it
 */
export async function measureCheck(
  context: TenantEnv,
  check: CheckItem,
  ranges: readonly TimeRange[],
  finalMaintenance?: readonly TimeRange[],
): Promise<CheckRollup[]> {
  const now = context.ports.clock.now();
  const span = { from: ranges[0]!.from, to: ranges.at(-1)!.to };
  const revisions =
    check.settings_at <= span.from
      ? [revisionItem(context.keys, check)]
      : await revisionsSince(context, check, span.from);
  const read = { from: span.from - gapLengthBefore(check, revisions, span.from), until: span.to };
  const outages = await outagesOf(context, check, read);
  const figures = ranges.map(emptyFigures);
  const gaps = check.execution_mode === 'push' ? await addPushGaps(figures, { revisions, outages, ranges, now }) : [];

  const causeOf = gapCauseFinder(context, check, outages);
  let i = 0;
  for await (const entry of timeline(context, check, revisions, read, PASSED_AFTER_MS)) {
    while (i < ranges.length - 1 && entry.at >= ranges[i]!.to) i++;
    const counted = entry.at >= span.from ? figures[i]! : undefined;
    if (entry.missed) {
      const { slot, interval_ms } = entry.missed;
      addGap(gaps, { from: slot, to: Math.min(slot + interval_ms, nextChange(revisions, slot)) });
      const cause = causeOf(slot, entry.noted);
      if (counted) counted.gaps[cause] += 1;
    } else if (counted) {
      countResult(counted, entry.result);
    }
  }
  const known: TimeSources = {
    changes: await stateChangesIn(context, check, span),
    monitored: monitoredIn(revisions),
    gaps,
    maintenance: finalMaintenance ?? (await readMaintenance(context, check, span)),
  };
  return ranges.map(({ from, to }, w) => {
    const spans = classifyTime(known, { from, to: Math.min(to, now) });
    return { ...figures[w]!, ...timeOf(spans), spans };
  });
}

function countResult(figures: Figures, run: Parameters<typeof outcomeOf>[0] & { latency_ms: number }): void {
  const outcome = outcomeOf(run);
  figures.runs += 1;
  if (outcome === 'fail') figures.failures += 1;
  else addLatency(figures.latency, run.latency_ms);
  if (outcome === 'warn') figures.warnings += 1;
}

/** Returns the time (ms) to read before a range: the gap of a slot missed in that time can reach into the range. */
function gapLengthBefore(check: CheckItem, [first]: readonly RevisionItem[], from: number): number {
  if (check.execution_mode === 'push' || !first || first.from > from) return 0;
  return Math.min(first.rhythm.interval_ms, from - first.from);
}

/** Returns the time (epoch ms) of the first settings change after a slot; the probe after the change ends the gap. */
const nextChange = (revisions: readonly RevisionItem[], slot: number): number =>
  revisions.find(({ from }) => from > slot)?.from ?? Number.POSITIVE_INFINITY;

function addGap(gaps: TimeRange[], gap: TimeRange): void {
  const last = gaps.at(-1);
  if (last?.to === gap.from) last.to = gap.to;
  else gaps.push(gap);
}

type GapSources = { revisions: RevisionItem[]; outages: TimeRange[]; ranges: readonly TimeRange[]; now: number };

/** Counts the slots that a push check missed during service outages. Returns these outages, which are its only gaps. */
async function addPushGaps(figures: Figures[], { revisions, outages, ranges, now }: GapSources): Promise<TimeRange[]> {
  const missed: TimeRange[] = [];
  for (const [w, { from, to }] of ranges.entries()) {
    for (const gap of await pushGaps(revisions, outages, { from, until: Math.min(to, now) })) {
      figures[w]!.gaps[gap.cause] += gap.slots;
      missed.push({ from: gap.from, to: gap.to });
    }
  }
  return missed;
}

const monitoredIn = (revisions: readonly RevisionItem[]): TimeRange[] =>
  revisions.flatMap(({ from, enabled }, i) =>
    enabled ? [{ from, to: revisions[i + 1]?.from ?? Number.POSITIVE_INFINITY }] : [],
  );

/** Returns the state changes that determine the state in a range. The first (`at` 0) is the state before the others. */
async function stateChangesIn({ ports, keys, tenant }: TenantEnv, check: CheckItem, range: TimeRange) {
  if (Date.parse(check.state_since) <= range.from) return [{ at: 0, state: check.state }];
  const changes: { at: number; state: CheckItem['state'] }[] = [];
  const transitions = itemsOf<TransitionItem>(ports.table, {
    partition: keys.ofCheck(tenant, check.id),
    from: `${TRANSITIONS}${stamp(range.from)}`,
    to: after(TRANSITIONS),
    limit: 25,
  });
  for await (const { check_from_state, check_to_state, effective_at } of transitions) {
    if (changes.length === 0) changes.push({ at: 0, state: check_from_state });
    changes.push({ at: effective_at, state: check_to_state });
    if (effective_at >= range.to) break;
  }
  return changes.length > 0 ? changes : [{ at: 0, state: check.state }];
}
