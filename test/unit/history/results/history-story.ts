import fc from 'fast-check';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { RevisionItem } from '#lib/checks/settings/revisions.ts';
import { cellOf, checkIdOf, numberOf, RESULTS, stamp } from '#lib/keys.ts';
import { toBase32 } from '#lib/platform/ids.ts';
import type { Item } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import { type PackedEntry, type PackItem, packOf } from '#lib/results/pack.ts';
import type { ResultItem } from '#lib/results/result.ts';
import type { HealthWorld } from '#test/support/health-world.ts';

/**
 * Stored history of a check: settings with their starts, single results, and packs by part. All times are below END (ms
 * after BASE), so that all combinations occur.
 */
export type Story = {
  revisions: { from: number; enabled: boolean; interval_ms: number }[];
  singles: { at: number; rev: number }[];
  packs: { at: number; parts: ('run' | 'gap' | 'others')[] }[];
};

export const BASE = Date.UTC(2026, 10, 20);
export const END = 200;
/** Latencies that distinguish single from packed results. */
export const [SINGLE_MS, PACKED_MS] = [11, 22];

const time = fc.nat(END - 1);
export const story: fc.Arbitrary<Story> = fc.record({
  revisions: fc
    .uniqueArray(fc.record({ from: time, enabled: fc.boolean(), interval_ms: fc.constantFrom(1000, 2000, 5000) }), {
      maxLength: 3,
      selector: ({ from }) => from,
    })
    .map((later) => [
      { from: 0, enabled: true, interval_ms: 1000 },
      ...later.filter(({ from }) => from > 0).sort((a, b) => a.from - b.from),
    ]),
  singles: fc.uniqueArray(fc.record({ at: time, rev: fc.integer({ min: 1, max: 2 }) }), {
    maxLength: 40,
    selector: ({ at, rev }) => `${at} ${rev}`,
  }),
  packs: fc.uniqueArray(
    fc.record({
      at: time,
      // At most one part has a result of the check, and a gap can only be in a part before it.
      parts: fc.constantFrom<Story['packs'][number]['parts']>(
        ['run'],
        ['run'],
        ['gap'],
        ['others'],
        ['gap', 'run'],
        ['gap', 'others', 'run'],
        ['others', 'gap'],
      ),
    }),
    { maxLength: 40, selector: ({ at }) => at },
  ),
});

const inForce = ({ revisions }: Story, at: number) => revisions.findLast(({ from }) => from <= at)!;

/** Writes the history to the table. @param index number of the history, for the id of its check */
export async function writeStory({ ports, keys, context }: HealthWorld, history: Story, index: number) {
  const { tenant } = context;
  const id = checkIdOf(BASE, toBase32(index, 12), 12);
  const number = numberOf(id);
  const run = (of: number): PackedEntry => {
    return { number: of, begin: 1, latency_ms: PACKED_MS, status_code: 200, rev: 1, success: true };
  };
  const entries = {
    run: [run(2), run(12), run(112)],
    gap: [{ number, gap: 'network' as const }, run(1)],
    others: [run(1)],
  };
  const revisions = history.revisions.map(({ from, enabled, interval_ms }, i): RevisionItem => {
    const rhythm = { phase: 0, interval_ms };
    const thresholds = { failure_threshold: 3, recovery_threshold: 1 };
    return { ...keys.revision(tenant, id, i + 1), rev: i + 1, from: BASE + from, enabled, rhythm, ...thresholds };
  });
  const singles = history.singles.map(({ at, rev }): ResultItem => {
    const key = keys.result(tenant, id, BASE + at, String(rev));
    const outcome = { status_code: 200, success: true, error_message: '', error_kind: null };
    return { ...key, ...outcome, latency_ms: SINGLE_MS, checked_at: iso(BASE + at + 1) };
  });
  const packs = history.packs.flatMap(({ at, parts }) =>
    parts.map((part, i): PackItem => {
      const seconds = inForce(history, at).interval_ms / 1000;
      return { ...keys.pack(tenant, cellOf(id), seconds, BASE + at, i + 1), ...packOf(entries[part]) };
    }),
  );
  const items: Item[] = [...revisions, ...singles, ...packs];
  await ports.table.putMany(items);
  const settings = { execution_mode: 'pull', interval_seconds: 1, timeout_ms: 1000, settings_at: BASE };
  const single = `${RESULTS}${stamp(BASE + Math.max(0, ...history.singles.map(({ at }) => at)))}`;
  const check = { id, tenant_id: tenant, ...settings, single } as CheckItem;
  return { check, revisions };
}

/** Reference implementation: returns the entries of each millisecond, ascending. */
export function expectedEntries(
  story: Story,
  from: number,
  until: number,
): { at: number; latency_ms?: number; gap?: string }[] {
  const entries: { at: number; latency_ms?: number; gap?: string }[] = [];
  for (let at = Math.max(0, from); at < Math.min(until, END); at++) {
    const singles = story.singles.filter((single) => single.at === at);
    const parts = inForce(story, at).enabled ? story.packs.find((pack) => pack.at === at)?.parts : undefined;
    if (singles.length > 0) entries.push(...singles.map(() => ({ at, latency_ms: SINGLE_MS })));
    else if (parts?.includes('run')) entries.push({ at, latency_ms: PACKED_MS });
    else if (parts?.includes('gap')) entries.push({ at, gap: 'network' });
  }
  return entries;
}
