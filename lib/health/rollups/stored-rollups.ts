import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Span } from '#lib/health/history/gap-causes.ts';
import { retentionStart } from '#lib/health/history/retention.ts';
import { cellOf, numberOf } from '#lib/keys.ts';
import type { Item, Key } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { DAY_MS, HOUR_MS } from '#lib/platform/time.ts';
import { noTime } from './accounted-span.ts';
import { type EntityFigures, emptyFigures } from './figures.ts';
import { measureCheck } from './measure-check.ts';
import { type CheckRollup, decodeCheck, type StoredRollup } from './rollup-item.ts';
import { sharedReads } from './shared-reads.ts';

/**
 * Figures of an hour or UTC day (`from`, epoch ms): of the checks of a cell by their numbers, or of a day also of one
 * entity by its id. `made_at` (epoch ms): when it was made last from what there was. `revised`: when figures changed
 * after that. `raw_days`: for how many days the raw data is kept that it was made of. `checks`: of how many checks that
 * of an entity is.
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

/** A part of a history; `isRolled`: it is over, and changes only by a revision. */
export type Part<F extends EntityFigures = CheckRollup> = {
  window: Span;
  figures: F;
  isRolled: boolean;
  revised_at: number | null;
};

/** Reads rollups, and raw data where there are none yet. */
export type RollupReader = {
  /** Epoch ms before which nothing is known of a check. */
  knownSince(check: CheckItem): number;
  /** A check by UTC days, ascending: those that are made, and those before anything is known of it. */
  days(check: CheckItem, window: Span): Promise<Part[]>;
  /** The same of an entity, of which something is known since `knownSince` (epoch ms). */
  entityDays(id: string, knownSince: number, window: Span): Promise<Part[]>;
  /** A check in windows, each of which lies in one hour and begins where the one before ends. */
  parts(check: CheckItem, windows: readonly Span[]): Promise<Part[]>;
  /** A check in a window, from its raw data as far as that is kept. */
  raw(check: CheckItem, window: Span): Promise<CheckRollup>;
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
  const between = (from: Key, { sk }: Key) =>
    allOf<RollupItem>(shared.ports.table, { partition: from.pk, from: from.sk, to: sk, eventual: !strong });

  // A push may tell of the time before its check was made.
  const knownSince = (check: CheckItem) =>
    Date.parse(check.created_at) - (check.execution_mode === 'push' ? retentionDays * DAY_MS : 0);

  async function daysFrom(key: (day: number) => Key, name: number | string, known: number, { from, to }: Span) {
    const items = await between(key(from), key(to - 1));
    const made = new Map(items.map((item) => [item.from, item]));
    const parts: Part[] = [];
    for (let day = from; day < to; day += DAY_MS) {
      const window = { from: day, to: Math.min(day + DAY_MS, to) };
      const item = made.get(day);
      if (item) parts.push(partOf(item, name, window));
      else if (window.to <= known) parts.push(notMonitored(window));
    }
    return parts;
  }

  async function parts(check: CheckItem, windows: readonly Span[]): Promise<Part[]> {
    const known = knownSince(check);
    const whole = windows.filter(({ from, to }) => to - from === HOUR_MS && to > known);
    const keyOf = ({ from }: Span) => keys.rollup(tenant, cellOf(check.id), 'hour', from);
    const items = whole.length > 0 ? await between(keyOf(whole[0]!), keyOf(whole.at(-1)!)) : [];
    const made = new Map(items.map((item) => [item.from, item]));
    const found = windows.map((window) => {
      const item = window.to - window.from === HOUR_MS ? made.get(window.from) : undefined;
      if (item) return partOf(item, numberOf(check.id), window);
      return window.to <= known || window.to <= kept ? notMonitored(window) : undefined;
    });
    await Promise.all(stretches(found).map((stretch) => fillIn(check, windows, found, stretch)));
    return found as Part[];
  }

  /** Measures a stretch of windows that no rollup has, at once. */
  async function fillIn(check: CheckItem, windows: readonly Span[], found: (Part | undefined)[], stretch: Stretch) {
    const own = windows.slice(stretch.first, stretch.end);
    const createdAt = Date.parse(check.created_at);
    for (const [i, figures] of (await measureCheck(shared, check, own)).entries()) {
      const window = own[i]!;
      found[stretch.first + i] = { window, figures, isRolled: window.to <= createdAt, revised_at: null };
    }
  }

  return {
    knownSince,
    days: (check, window) =>
      daysFrom(
        (day) => keys.rollup(tenant, cellOf(check.id), 'day', day),
        numberOf(check.id),
        knownSince(check),
        window,
      ),
    entityDays: (id, known, window) => daysFrom((day) => keys.entityDay(tenant, id, day), id, known, window),
    parts,
    raw: async (check, window) =>
      window.to <= kept ? notMonitored(window).figures : (await measureCheck(shared, check, [window]))[0]!,
  };
}

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

/** A check or entity in a rollup. One that it does not know was not monitored then. */
function partOf(item: RollupItem, name: number | string, window: Span): Part {
  const figures = decodeCheck(item.figures, name, window) ?? notMonitored(window).figures;
  return { window, figures, isRolled: true, revised_at: item.revised?.[name] ?? null };
}

/** Time in which a check did not exist. */
export function notMonitored(window: Span): Part {
  const time = noTime();
  time.ms.not_monitored = window.to - window.from;
  const spans = [{ ...window, as: 'not_monitored' as const, in_maintenance: false }];
  return { window, figures: { ...emptyFigures(), ...time, spans }, isRolled: true, revised_at: null };
}
