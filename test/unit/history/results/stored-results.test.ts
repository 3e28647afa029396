import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Context } from '#lib/access/context.ts';
import { updateCheck } from '#lib/checks/change/change-check.ts';
import { resultList } from '#lib/history/results/list-results.ts';
import { type HistoryEntry, type ReadOptions, storedEntries } from '#lib/history/results/stored-results.ts';
import { checkDetail } from '#lib/history/status/check-detail.ts';
import { newestResult } from '#lib/history/status/newest-results.ts';
import { gather, type Reader } from '#lib/platform/http/paging.ts';
import type { ResultRecord } from '#lib/results/result-record.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { type HealthWorld, healthWorld, intervalScheduleOfCheck } from '#test/support/health-world.ts';
import { BASE, END, expectedEntries, PACKED_MS, story, writeStory } from './history-story.ts';

let world: HealthWorld;
let count = 0;
beforeEach(async () => {
  world = await healthWorld();
});

const shown = (entry: HistoryEntry) => {
  const at = entry.at - BASE;
  return entry.gap === undefined ? { at, latency_ms: entry.result.latency_ms } : { at, gap: entry.gap };
};

async function collected(pages: AsyncGenerator<HistoryEntry[]>) {
  const all: HistoryEntry[] = [];
  for await (const page of pages) all.push(...page);
  return all.map(shown);
}

type List = Reader<ResultRecord>;
type Part = { values: ResultRecord[]; next?: string | undefined };

/** Reads a page of a list. */
const page = (list: List, after: string | undefined, limit: number): Promise<Part> => gather(list, { after, limit });
/** Reads a single chunk; a page can consist of several. */
const chunk = async (list: List, after: string | undefined, limit: number): Promise<Part> => {
  const { found, next } = await list(after, limit);
  return { values: found.map(({ value }) => value), next };
};

/** Reads a list in pages, each after the last item of the previous one. */
async function inParts(list: List, limit: number, read: typeof page): Promise<ResultRecord[]> {
  const all: ResultRecord[] = [];
  let after: string | undefined;
  do {
    const { values, next } = await read(list, after, limit);
    expect(values.length).toBeLessThanOrEqual(limit);
    all.push(...values);
    // A cursor that goes back would repeat results without end.
    expect(all.length).toBeLessThanOrEqual(2 * END);
    after = next;
  } while (after !== undefined);
  return all;
}

describe('the stored results of a check', () => {
  it('are read from packs and single results as one list, in either direction, for any intervals', async () => {
    const someOptions = fc.constantFrom<ReadOptions>({}, { page: 1 }, { page: 2 }, { page: 7 });
    const range = fc.tuple(fc.nat(END), fc.nat(END));
    await fc.assert(
      fc.asyncProperty(story, range, someOptions, async (history, [a, b], options) => {
        const { check, revisions } = await writeStory(world, history, count++);
        const [from, until] = [Math.min(a, b), Math.max(a, b)];
        const read = (how: ReadOptions) =>
          collected(storedEntries(world.context, check, revisions, { from: BASE + from, until: BASE + until }, how));
        const expected = expectedEntries(history, from, until);
        expect(await read(options)).toEqual(expected);
        expect(await read({ ...options, descending: true })).toEqual(expected.toReversed());
      }),
      { numRuns: 200 },
    );
  });

  it('are listed newest first, each once with the same id, in pages of any size', async () => {
    world.ports.clock.now = () => BASE + END;
    await fc.assert(
      fc.asyncProperty(story, fc.integer({ min: 1, max: 9 }), async (history, size) => {
        const { check } = await writeStory(world, history, count++);
        const reader = await resultList(world.context, check, {});
        const whole = (await gather(reader, { limit: 1000 })).values;
        const runs = expectedEntries(history, 0, END).filter(({ gap }) => gap === undefined);
        const times = whole.map(({ checked_at, latency_ms }) => ({
          at: Date.parse(checked_at) - BASE - 1,
          latency_ms,
        }));
        expect(times).toEqual(runs.toReversed());
        expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length);
        expect(await inParts(reader, size, page)).toEqual(whole);
        expect(await inParts(reader, size, chunk)).toEqual(whole);
        const last = await newestResult(world.context, check);
        expect(last?.checked_at).toBe(whole[0]?.checked_at);
      }),
      { numRuns: 200 },
    );
  });
});

it('gives a result the same id in a pack and as a single item', async () => {
  const check = await world.check({ interval_seconds: 60 });
  world.advance(120_000);
  const slot = latestSlot(intervalScheduleOfCheck(check), world.ports.clock.now());
  const list = async () => (await gather(await resultList(world.context, check, {}))).values;
  await world.probe(check, slot - 60_000);
  await world.probe(check, slot);
  const [packed] = await list();
  const { ports, keys, context } = world;
  const item = {
    ...keys.result(context.tenant, check.id, slot, '1'),
    ...packed!,
    latency_ms: PACKED_MS,
    expires_at: 0,
  };
  await ports.table.putMany([item]);
  expect(await list()).toMatchObject([{ id: packed!.id, latency_ms: PACKED_MS }, {}]);
});

describe('days_left of a certificate', () => {
  const daysLeft = async (context: Context, check: { id: string; tenant_id: string }) => {
    const { last_result } = await checkDetail(context, await world.fresh(check as never));
    return (last_result as { days_left?: number } | null)?.days_left;
  };

  it('is returned with the last result, although packs do not contain it', async () => {
    const check = await world.check({ check_type: 'tls', config: { host: 'example.com' } });
    const rhythm = intervalScheduleOfCheck(check);
    const probe = async (days_left: number | undefined, success = true) => {
      world.advance(rhythm.interval_ms);
      const slot = latestSlot(rhythm, world.ports.clock.now());
      const outcome = {
        latency_ms: 9,
        status_code: 0,
        success,
        error_message: success ? '' : 'refused',
        error_kind: null,
      };
      const of = { check: await world.fresh(check), slot, started_at: slot + 1, retention_days: 30 };
      await world.record({ ...of, outcome: { ...outcome, ...(days_left !== undefined && { days_left }) } } as never);
    };
    for (const days of [30, 30, 29, 29, 29]) {
      await probe(days);
      expect(await daysLeft(world.context, check)).toBe(days);
    }
    const before = (await world.fresh(check)).v;
    await probe(29);
    expect((await world.fresh(check)).v).toBe(before);
    await probe(undefined, false);
    expect(await daysLeft(world.context, check)).toBeUndefined();
    await updateCheck(world.context, await world.fresh(check), { name: 'Shop' });
    await probe(28);
    expect(await daysLeft(world.context, check)).toBe(28);
  });
});
