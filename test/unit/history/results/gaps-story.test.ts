import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { RevisionItem } from '#lib/checks/settings/revisions.ts';
import { findGaps, type Gap } from '#lib/history/results/gaps.ts';
import type { SettingsRevision } from '#lib/history/results/timeline.ts';
import { cellOf, checkIdOf, numberOf, RESULTS, stamp } from '#lib/keys.ts';
import { toBase32 } from '#lib/platform/ids.ts';
import { PACK_MS, type PackedEntry, type PackItem, packOf, type StoredGapCause } from '#lib/results/pack.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { recordOutage } from '#lib/schedule/outages.ts';
import { type HealthWorld, healthWorld } from '#test/support/health-world.ts';

const MINUTE = 60_000;
let world: HealthWorld;
beforeEach(async () => {
  world = await healthWorld();
  await world.watermark(24 * 60 * MINUTE);
});

/** Reference implementation: tests every millisecond. */
function naiveGaps({ revisions, results, packed, outages, notes, window, now, timeout_ms }: Story): Gap[] {
  const gaps: Gap[] = [];
  for (let slot = window.from; slot < window.until; slot++) {
    const i = revisions.findLastIndex((revision) => revision.from <= slot);
    const revision = revisions[i];
    if (!revision?.enabled) continue;
    const { phase, interval_ms } = revision.rhythm;
    if ((slot - phase) % interval_ms !== 0) continue;
    const successor = slot + interval_ms;
    const changed = revisions[i + 1]?.from;
    if (changed !== undefined && changed < successor) continue;
    if (successor + Math.min(timeout_ms, interval_ms) + PACK_MS > now) continue;
    if (results.includes(slot) || packed.includes(slot)) continue;
    const inOutage = outages.some(({ from, to }) => from <= slot && slot < to);
    const isCutOff = outages.some(({ from, to }) => from <= slot + GROUP_MS + timeout_ms && slot < to);
    const noted = notes.find((note) => note.slot === slot)?.cause;
    const cause = inOutage ? 'outage' : (noted ?? (isCutOff ? 'outage' : 'late'));
    const last = gaps.at(-1);
    if (last && last.to === slot && last.cause === cause) {
      last.to = successor;
      last.slots += 1;
    } else gaps.push({ from: slot, to: successor, slots: 1, cause });
  }
  return gaps;
}

type Story = {
  revisions: SettingsRevision[];
  /** Times of single results. */
  results: number[];
  /** Times of results in packs. */
  packed: number[];
  outages: { from: number; to: number }[];
  notes: { slot: number; cause: StoredGapCause }[];
  window: { from: number; until: number };
  now: number;
  timeout_ms: number;
};

/** JOB_GROUP_MS of the test; like all times here a few milliseconds long, so that all combinations occur. */
const GROUP_MS = 3;
const END = 400;
const time = fc.integer({ min: 0, max: END });
const story: fc.Arbitrary<Omit<Story, 'now'>> = fc.record({
  revisions: fc
    .array(
      fc
        .record({ from: time, enabled: fc.boolean(), interval_ms: fc.integer({ min: 1, max: 60 }), seed: time })
        .map(({ from, enabled, interval_ms, seed }) => ({
          from,
          enabled: enabled || seed % 2 === 0,
          rhythm: { phase: seed % interval_ms, interval_ms },
        })),
      { minLength: 1, maxLength: 5 },
    )
    .map((list) => list.sort((a, b) => a.from - b.from)),
  results: fc.uniqueArray(time, { maxLength: 80 }),
  packed: fc.uniqueArray(time, { maxLength: 80 }),
  // An outage is identified by its start: a second record extends it.
  outages: fc.uniqueArray(
    fc.tuple(time, fc.integer({ min: 1, max: 90 })).map(([from, length]) => ({ from, to: from + length })),
    { maxLength: 4, selector: ({ from }) => from },
  ),
  notes: fc.uniqueArray(fc.record({ slot: time, cause: fc.constantFrom('network' as const, 'error' as const) }), {
    maxLength: 40,
    selector: ({ slot }) => slot,
  }),
  window: fc.tuple(time, time).map(([a, b]) => ({ from: Math.min(a, b), until: Math.max(a, b) })),
  timeout_ms: fc.integer({ min: 1, max: 30 }),
});

describe('the gaps of a random history', () => {
  const BASE = Date.UTC(2026, 10, 20);
  const shift = (at: number) => BASE + at;

  async function write(
    check: CheckItem,
    { revisions, results, packed, outages, notes }: Omit<Story, 'now'>,
  ): Promise<void> {
    const { keys, context, ports } = world;
    const { tenant } = context;
    const number = numberOf(check.id);
    /** Returns a pack with the entry, for the interval in force at its time; empty before the first settings. */
    const pack = (at: number, part: number, entry: PackedEntry): PackItem[] => {
      const inForce = revisions.findLast((revision) => revision.from <= at);
      if (!inForce) return [];
      const key = keys.pack(tenant, cellOf(check.id), inForce.rhythm.interval_ms / 1000, shift(at), part);
      return [{ ...key, ...packOf([entry]) }];
    };
    const run = { number, begin: 0, latency_ms: 1, status_code: 200, rev: 1, success: true };
    const items = [
      ...revisions.map(({ from, enabled, rhythm }, i): RevisionItem => {
        const shifted = { phase: shift(rhythm.phase), interval_ms: rhythm.interval_ms };
        const thresholds = { failure_threshold: 3, recovery_threshold: 1 };
        const key = keys.revision(tenant, check.id, i + 1);
        return { ...key, rev: i + 1, from: shift(from), enabled, rhythm: shifted, ...thresholds };
      }),
      ...results.map((at): ResultItem => ({ ...keys.result(tenant, check.id, shift(at), '1'), ...quiet(shift(at)) })),
      ...notes.flatMap(({ slot, cause }) => pack(slot, 1, { number, gap: cause })),
      ...packed.flatMap((at) => pack(at, 2, run)),
    ];
    if (items.length > 0) await ports.table.putMany(items);
    const shard = [keys.shardOf(check.id)];
    for (const { from, to } of outages)
      await recordOutage({ ports, keys }, { from: shift(from), to: shift(to) }, shard);
  }

  const quiet = (at: number) => ({
    status_code: 200,
    latency_ms: 1,
    success: true,
    error_message: '',
    error_kind: null,
    checked_at: new Date(at).toISOString(),
  });

  it('are the due slots without results, also when read in pages', async () => {
    const clock = { at: BASE + END + PACK_MS };
    world.ports.clock.now = () => clock.at;
    world.ports.settings = { ...world.ports.settings, JOB_GROUP_MS: GROUP_MS };
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        story,
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 20 }),
        async (history, gaps, entries) => {
          const id = checkIdOf(BASE, toBase32(count, 12), 7);
          // A separate shard, because outages belong to the shard.
          const shard = 1000 + count++;
          world.keys.shardOf = () => shard;
          const check = {
            id,
            entity_id: 'ent_p',
            execution_mode: 'pull',
            interval_seconds: 60,
            timeout_ms: history.timeout_ms,
            settings_at: BASE,
            single: `${RESULTS}${stamp(shift(Math.max(0, ...history.results)))}`,
          };
          await write(check as CheckItem, history);
          const window = { from: shift(history.window.from), until: shift(history.window.until) };
          const expected = naiveGaps({ ...history, now: END + PACK_MS }).map((gap) => ({
            ...gap,
            from: shift(gap.from),
            to: shift(gap.to),
          }));
          const search = (from: number, most: { gaps: number; entries?: number }) =>
            findGaps(world.context, check as CheckItem, { from, until: window.until }, most);

          expect(await search(window.from, { gaps: 10_000 })).toEqual({ gaps: expected });

          const pieces: Gap[] = [];
          for (let from: number | undefined = window.from; from !== undefined; ) {
            const page: { gaps: Gap[]; next?: number } = await search(from, { gaps, entries });
            pieces.push(...page.gaps);
            if (page.next !== undefined) expect(page.next).toBeGreaterThan(from);
            from = page.next;
          }
          expect(pieces.reduce(joined, [])).toEqual(expected);
        },
      ),
      { numRuns: 400 },
    );
  });

  /** Joins a gap that was cut at the end of a page. */
  const joined = (all: Gap[], gap: Gap): Gap[] => {
    const last = all.at(-1);
    if (!last || last.to !== gap.from || last.cause !== gap.cause) return [...all, gap];
    return [...all.slice(0, -1), { ...last, to: gap.to, slots: last.slots + gap.slots }];
  };
});
