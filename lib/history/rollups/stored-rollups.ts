import type { TenantEnv } from '#lib/access/context.ts';
import { retentionStart } from '#lib/access/retention.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Env } from '#lib/env.ts';
import type { TimeRange } from '#lib/history/runs/gaps.ts';
import { cellOf, numberOf } from '#lib/keys.ts';
import type { Item, Key } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { DAY_MS, HOUR_MS } from '#lib/platform/time.ts';
import { type AccountedSpan, noTime } from './account-time.ts';
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

/** A table that answers each read again as it did first: checks of a cell share packs, outages and the watermark. */
export function sharedReads<E extends Env>(env: E): E {
  const answers = new Map<string, Promise<unknown>>();
  const once = <Of, T>(read: (of: Of) => Promise<T>) =>
    ((of: Of) => {
      const name = JSON.stringify(of);
      const known = answers.get(name) ?? read(of);
      answers.set(name, known);
      return known;
    }) as typeof read;
  const { table } = env.ports;
  const shared = { get: once(table.get.bind(table)), query: once(table.query.bind(table)) };
  return { ...env, ports: { ...env.ports, table: { ...table, ...shared } } };
}

/**
 * Figures of an hour or UTC day (`from`, epoch ms): of the checks of a cell by their numbers, or of a day also of one
 * entity by its id. Latencies are an item of their own. `made_at` (epoch ms): when it was made last from what there
 * was. `revised`: when figures changed after that. `raw_days`: for how many days the raw data is kept that it was made
 * of. `checks`: of how many checks that of an entity is.
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

/** The latencies of a rollup of a cell, written with it. */
export type LatenciesItem = Item & { from: number; latencies: StoredLatencies };

/** A check by its id, and how to read its item where no rollup tells of it; undefined: there is none any more. */
export type CheckSource = { id: string; item(): Promise<CheckItem | undefined> };

/** A check whose item is at hand. */
export const ofItem = (check: CheckItem): CheckSource => ({ id: check.id, item: async () => check });

/** A part of a history; `isRolled`: it is over, and changes only by a revision. */
export type Part<F extends EntityFigures = CheckRollup> = {
  window: TimeRange;
  figures: F;
  isRolled: boolean;
  revised_at: number | null;
};

/** Reads rollups, and raw data where there are none yet. */
export type RollupReader = {
  /** A check by UTC days, ascending: those that are made, and those before anything is known of it. */
  days(check: CheckSource, window: TimeRange): Promise<Part[]>;
  /** The same of an entity with these checks. */
  entityDays(id: string, checks: readonly CheckSource[], window: TimeRange): Promise<Part<EntityFigures>[]>;
  /** A check in windows, each of which lies in one hour and begins where the one before ends. */
  parts(check: CheckSource, windows: readonly TimeRange[]): Promise<Part[]>;
  /** The same, for whom its latencies do not matter. */
  times(check: CheckSource, windows: readonly TimeRange[]): Promise<Part<Rollup>[]>;
  /** What a check was in a window, from its raw data as far as that is kept. */
  spans(check: CheckSource, window: TimeRange): Promise<readonly AccountedSpan[]>;
};

/**
 * @param retentionDays of the account: how far raw data reaches back
 * @param strong whether to see what was written a moment ago
 */
export function readRollups(context: TenantEnv, retentionDays: number, { strong = false } = {}): RollupReader {
  const { ports, keys, tenant } = context;
  const now = ports.clock.now();
  const kept = retentionStart(now, retentionDays);
  const shared = sharedReads(context);

  /** Items of a partition, by when they begin. */
  async function between<T extends RollupItem | LatenciesItem>(keyOf: (at: number) => Key, { from, to }: TimeRange) {
    const [first, last] = [keyOf(from), keyOf(to - 1)];
    const query = { partition: first.pk, from: first.sk, to: last.sk, eventual: !strong };
    const items = await allOf<T>(shared.ports.table, query);
    return new Map(items.map((item) => [item.from, item]));
  }

  const cellRollups = (check: CheckSource, of: 'hour' | 'day', window: TimeRange): Promise<Map<number, Rolled>> =>
    between<RollupItem>((at) => keys.rollup(tenant, cellOf(check.id), of, at), window);

  async function withLatencies(
    check: CheckSource,
    of: 'hour' | 'day',
    window: TimeRange,
  ): Promise<Map<number, Rolled>> {
    const rollups = await cellRollups(check, of, window);
    if (rollups.size === 0) return rollups;
    const items = await between<LatenciesItem>((at) => keys.latencies(tenant, cellOf(check.id), of, at), window);
    // They are written together and read apart: where one is not to be seen yet, neither is.
    return new Map(
      [...rollups].flatMap(([at, rollup]) => {
        const { latencies } = items.get(at) ?? {};
        return latencies ? [[at, { ...rollup, latencies }]] : [];
      }),
    );
  }

  // A push may tell of the time before its check was made.
  const knownSince = ({ created_at, execution_mode }: CheckItem) =>
    Date.parse(created_at) - (execution_mode === 'push' ? retentionDays * DAY_MS : 0);

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
    const known = Math.min(...items.flatMap((item) => (item ? [knownSince(item)] : [])));
    return days.flatMap((day, d) => found[d] ?? (day.to <= known ? [notMonitored(day)] : []));
  }

  async function hoursOf(
    check: CheckSource,
    windows: readonly TimeRange[],
    read: (check: CheckSource, of: 'hour', window: TimeRange) => Promise<Map<number, Rolled>>,
  ): Promise<Part[]> {
    const whole = windows.filter(({ from, to }) => to - from === HOUR_MS);
    const made =
      whole.length > 0 ? await read(check, 'hour', { from: whole[0]!.from, to: whole.at(-1)!.to }) : undefined;
    const found = windows.map((window) => {
      const isWhole = window.to - window.from === HOUR_MS;
      return made && isWhole ? partIn(made, numberOf(check.id), window) : undefined;
    });
    if (found.every((part) => part !== undefined)) return found;
    const item = await check.item();
    const since = item ? Math.max(knownSince(item), kept) : Number.POSITIVE_INFINITY;
    for (const [w, window] of windows.entries()) if (window.to <= since) found[w] ??= notMonitored(window);
    await Promise.all(stretches(found).map((stretch) => fillIn(item!, windows, found, stretch)));
    return found.filter((part) => part !== undefined);
  }

  /** Measures a stretch of windows that no rollup has, at once. */
  async function fillIn(
    check: CheckItem,
    windows: readonly TimeRange[],
    found: (Part | undefined)[],
    stretch: Stretch,
  ) {
    const own = windows.slice(stretch.first, stretch.end);
    const createdAt = Date.parse(check.created_at);
    for (const [i, figures] of (await measureCheck(shared, check, own)).entries()) {
      const window = own[i]!;
      found[stretch.first + i] = { window, figures, isRolled: window.to <= createdAt, revised_at: null };
    }
  }

  return {
    days: async (check, window) => {
      const made = await withLatencies(check, 'day', window);
      return daysOf([check], window, (day) => partIn(made, numberOf(check.id), day));
    },
    entityDays: async (id, checks, window) => {
      const made = await between<RollupItem>((at) => keys.entityDay(tenant, id, at), window);
      return daysOf(checks, window, (day) => partIn(made, id, day));
    },
    parts: (check, windows) => hoursOf(check, windows, withLatencies),
    times: (check, windows) => hoursOf(check, windows, cellRollups),
    spans: async (check, window) => {
      const item = window.to <= kept ? undefined : await check.item();
      return item ? (await measureCheck(shared, item, [window]))[0]!.spans! : notMonitored(window).figures.spans!;
    },
  };
}

/** A rollup, of a cell with its latencies where they are asked for. */
type Rolled = RollupItem & { latencies?: StoredLatencies };

/** Indexes [first, end). */
type Stretch = { first: number; end: number };

/** Where a list has nothing, as stretches. */
function stretches(list: readonly unknown[]): Stretch[] {
  const found: Stretch[] = [];
  for (const [i, one] of list.entries()) {
    if (one !== undefined) continue;
    const last = found.at(-1);
    if (last?.end === i) last.end = i + 1;
    else found.push({ first: i, end: i + 1 });
  }
  return found;
}

/** A check or entity in one of some rollups; undefined where that is not made. */
function partIn(made: ReadonlyMap<number, Rolled>, name: number | string, window: TimeRange): Part | undefined {
  const rolled = made.get(window.from);
  return rolled && partOf(rolled, name, window);
}

/** A check or entity in a rollup. One that it does not know was not monitored then. */
function partOf({ figures: stored, latencies = {}, revised }: Rolled, name: number | string, window: TimeRange): Part {
  const rollup = decodeRollup(stored, name, window) ?? notMonitored(window).figures;
  const figures = { ...rollup, latency: decodeLatency(latencies, name) };
  return { window, figures, isRolled: true, revised_at: revised?.[name] ?? null };
}

/** Time in which a check did not exist. */
export function notMonitored(window: TimeRange): Part {
  const time = noTime();
  time.ms.not_monitored = window.to - window.from;
  const spans = [{ ...window, as: 'not_monitored' as const, in_maintenance: false }];
  return { window, figures: { ...emptyFigures(), ...time, spans }, isRolled: true, revised_at: null };
}
