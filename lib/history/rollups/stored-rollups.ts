import type { TenantEnv } from '#lib/access/context.ts';
import { retentionStart } from '#lib/access/retention.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { TimeRange } from '#lib/history/results/gaps.ts';
import { cellOf, numberOf } from '#lib/keys.ts';
import type { Item, Key } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { DAY_MS, HOUR_MS } from '#lib/platform/time.ts';
import { type ClassifiedSpan, zeroTime } from './classify-time.ts';
import { type EntityFigures, emptyFigures } from './figures.ts';
import { measureCheck } from './measure-check.ts';
import {
  type CheckRollup,
  decodeLatency,
  decodeRollup,
  type Rollup,
  type StoredLatencies,
  type StoredRollup,
} from './rollup-item.ts';

/** Returns an environment that caches table reads, because checks of a cell share packs, outages and the watermark. */
export function withCachedReads<E extends Env>(env: E): E {
  const cache = new Map<string, Promise<unknown>>();
  const once = <Of, T>(read: (of: Of) => Promise<T>) =>
    ((of: Of) => {
      const name = JSON.stringify(of);
      const known = cache.get(name) ?? read(of);
      cache.set(name, known);
      return known;
    }) as typeof read;
  const { table } = env.ports;
  const shared = { get: once(table.get.bind(table)), query: once(table.query.bind(table)) };
  return { ...env, ports: { ...env.ports, table: { ...table, ...shared } } };
}

/**
 * Rollup of an hour or UTC day that starts at `from`, last made at `made_at` (epoch ms). `revised`: times of later
 * changes of figures. `raw_days`: retention of its raw data in days. `checks`: number of checks of the entity.
 */
export type RollupItem = Item & {
  v: string;
  from: number;
  made_at: number;
  raw_days: number;
  figures: StoredRollup;
  revised?: Record<string, number>;
  checks?: number;
};

/** Latencies of a rollup of a cell, written with it. */
export type LatenciesItem = Item & { from: number; latencies: StoredLatencies };

/** Check by its id. `item` reads its item, for time without rollups; undefined if the check was deleted. */
export type CheckSource = { id: string; item(): Promise<CheckItem | undefined> };

export const sourceOf = (check: CheckItem): CheckSource => ({ id: check.id, item: async () => check });

/** Part of a history. `isRolled`: whether it is over and changes only by a revision. */
export type Part<F extends EntityFigures = CheckRollup> = {
  range: TimeRange;
  figures: F;
  isRolled: boolean;
  revised_at: number | null;
};

/** Reader of rollups; reads raw data if no rollup exists. */
export type RollupReader = {
  /** Returns UTC days of a check, ascending: those with a rollup, and those before the check existed. */
  days(check: CheckSource, range: TimeRange): Promise<Part[]>;
  /** Like `days`, for an entity with these checks. */
  entityDays(id: string, checks: readonly CheckSource[], range: TimeRange): Promise<Part<EntityFigures>[]>;
  /** Returns a part of a check for each range. Ranges are contiguous, and each is within one hour. */
  parts(check: CheckSource, ranges: readonly TimeRange[]): Promise<Part[]>;
  /** Like `parts`, without latencies. */
  times(check: CheckSource, ranges: readonly TimeRange[]): Promise<Part<Rollup>[]>;
  /** Returns the spans of a check in a range from raw data; not monitored if it expired or the check was deleted. */
  spans(check: CheckSource, range: TimeRange): Promise<readonly ClassifiedSpan[]>;
};

/** Returns a reader of rollups. `retentionDays`: retention of raw data. `strong`: strongly consistent. */
export function readRollups(context: TenantEnv, retentionDays: number, { strong = false } = {}): RollupReader {
  const { ports, keys, tenant } = context;
  const now = ports.clock.now();
  const kept = retentionStart(now, retentionDays);
  const shared = withCachedReads(context);

  async function between<T extends RollupItem | LatenciesItem>(keyOf: (at: number) => Key, { from, to }: TimeRange) {
    const [first, last] = [keyOf(from), keyOf(to - 1)];
    const query = { partition: first.pk, from: first.sk, to: last.sk, eventual: !strong };
    const items = await allOf<T>(shared.ports.table, query);
    return new Map(items.map((item) => [item.from, item]));
  }

  const cellRollups = (check: CheckSource, of: 'hour' | 'day', range: TimeRange): Promise<Map<number, Rolled>> =>
    between<RollupItem>((at) => keys.rollup(tenant, cellOf(check.id), of, at), range);

  async function withLatencies(check: CheckSource, of: 'hour' | 'day', range: TimeRange): Promise<Map<number, Rolled>> {
    const rollups = await cellRollups(check, of, range);
    if (rollups.size === 0) return rollups;
    const items = await between<LatenciesItem>((at) => keys.latencies(tenant, cellOf(check.id), of, at), range);
    // Both are written together but read separately: a rollup whose latencies are not visible yet is ignored.
    return new Map(
      [...rollups].flatMap(([at, rollup]) => {
        const { latencies } = items.get(at) ?? {};
        return latencies ? [[at, { ...rollup, latencies }]] : [];
      }),
    );
  }

  /** Returns the time from which a check has data: its creation, or `from` if pushes reported earlier times. */
  async function dataSince(check: CheckItem, from: number): Promise<number> {
    const created = Date.parse(check.created_at);
    const first = Math.max(from, created - retentionDays * DAY_MS);
    if (check.execution_mode !== 'push' || first >= created) return created;
    const [before] = await measureCheck(shared, check, [{ from: first, to: created }]);
    return before!.runs > 0 ? first : created;
  }

  async function daysOf(
    checks: readonly CheckSource[],
    { from, to }: TimeRange,
    partIn: (day: TimeRange) => Part | undefined,
  ) {
    const days: TimeRange[] = [];
    for (let day = from; day < to; day += DAY_MS) days.push({ from: day, to: Math.min(day + DAY_MS, to) });
    const found = days.map(partIn);
    if (found.every((part) => part !== undefined)) return found;
    const items = await Promise.all(checks.map((check) => check.item()));
    const since = await Promise.all(items.flatMap((item) => (item ? [dataSince(item, from)] : [])));
    const first = Math.min(...since);
    return days.flatMap((day, d) => found[d] ?? (day.to <= first ? [notMonitored(day)] : []));
  }

  async function hoursOf(
    check: CheckSource,
    ranges: readonly TimeRange[],
    read: (check: CheckSource, of: 'hour', range: TimeRange) => Promise<Map<number, Rolled>>,
  ): Promise<Part[]> {
    const whole = ranges.filter(({ from, to }) => to - from === HOUR_MS);
    const made =
      whole.length > 0 ? await read(check, 'hour', { from: whole[0]!.from, to: whole.at(-1)!.to }) : undefined;
    const found = ranges.map((range) => {
      const isWhole = range.to - range.from === HOUR_MS;
      return made && isWhole ? partIn(made, numberOf(check.id), range) : undefined;
    });
    if (found.every((part) => part !== undefined)) return found;
    const item = await check.item();
    const since = item ? Math.max(await dataSince(item, ranges[0]!.from), kept) : Number.POSITIVE_INFINITY;
    for (const [w, range] of ranges.entries()) if (range.to <= since) found[w] ??= notMonitored(range);
    await Promise.all(missingStretches(found).map((stretch) => fillIn(item!, ranges, found, stretch)));
    return found.filter((part) => part !== undefined);
  }

  async function fillIn(check: CheckItem, ranges: readonly TimeRange[], found: (Part | undefined)[], stretch: Stretch) {
    const missing = ranges.slice(stretch.first, stretch.end);
    const createdAt = Date.parse(check.created_at);
    for (const [i, figures] of (await measureCheck(shared, check, missing)).entries()) {
      const range = missing[i]!;
      found[stretch.first + i] = { range, figures, isRolled: range.to <= createdAt, revised_at: null };
    }
  }

  return {
    days: async (check, range) => {
      const made = await withLatencies(check, 'day', range);
      return daysOf([check], range, (day) => partIn(made, numberOf(check.id), day));
    },
    entityDays: async (id, checks, range) => {
      const made = await between<RollupItem>((at) => keys.entityDay(tenant, id, at), range);
      return daysOf(checks, range, (day) => partIn(made, id, day));
    },
    parts: (check, ranges) => hoursOf(check, ranges, withLatencies),
    times: (check, ranges) => hoursOf(check, ranges, cellRollups),
    spans: async (check, range) => {
      const item = range.to <= kept ? undefined : await check.item();
      return item ? (await measureCheck(shared, item, [range]))[0]!.spans! : notMonitored(range).figures.spans!;
    },
  };
}

type Rolled = RollupItem & { latencies?: StoredLatencies };

type Stretch = { first: number; end: number };

function missingStretches(list: readonly unknown[]): Stretch[] {
  const found: Stretch[] = [];
  for (const [i, one] of list.entries()) {
    if (one !== undefined) continue;
    const last = found.at(-1);
    if (last?.end === i) last.end = i + 1;
    else found.push({ first: i, end: i + 1 });
  }
  return found;
}

function partIn(made: ReadonlyMap<number, Rolled>, name: number | string, range: TimeRange): Part | undefined {
  const rolled = made.get(range.from);
  return rolled && partOf(rolled, name, range);
}

/** Returns the part of a check or entity from a rollup. Without an entry it was not monitored. */
function partOf({ figures: stored, latencies = {}, revised }: Rolled, name: number | string, range: TimeRange): Part {
  const rollup = decodeRollup(stored, name, range) ?? notMonitored(range).figures;
  const figures = { ...rollup, latency: decodeLatency(latencies, name) };
  return { range, figures, isRolled: true, revised_at: revised?.[name] ?? null };
}

/** Returns a part in which a check was not monitored, or of which no data is kept. */
export function notMonitored(range: TimeRange): Part {
  const time = zeroTime();
  time.ms.not_monitored = range.to - range.from;
  const spans = [{ ...range, as: 'not_monitored' as const, in_maintenance: false }];
  return { range, figures: { ...emptyFigures(), ...time, spans }, isRolled: true, revised_at: null };
}
