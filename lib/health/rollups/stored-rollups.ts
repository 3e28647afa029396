import type { TenantEnv } from '#lib/access/context.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { Span } from '#lib/health/history/gap-causes.ts';
import { retentionStart } from '#lib/health/history/retention.ts';
import { cellOf, numberOf } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { noTime } from './accounted-span.ts';
import { type EntityFigures, emptyFigures } from './figures.ts';
import { DAY_MS, dayOf, HOUR_MS, hourOf } from './hours.ts';
import { measureCheck } from './measure-check.ts';
import { type CheckRollup, decodeCheck, type StoredRollup } from './rollup-item.ts';
import { sharedReads } from './shared-reads.ts';

/**
 * The figures of a cell's checks in an hour or UTC day (`from`, epoch ms). `made_at` (epoch ms): when it was made last
 * from what there was; `revised`: when the figures of a check changed after that, by its number or id. A day also has those of
 * the entities whose first check lies in the cell.
 */
export type RollupItem = Item & {
  v: string;
  from: number;
  made_at: number;
  checks: StoredRollup;
  entities?: StoredRollup;
  revised?: Record<string, number>;
};

/** A part of a history; `isRolled`: it is over and comes from a rollup. */
export type Part<F extends EntityFigures = CheckRollup> = {
  window: Span;
  figures: F;
  isRolled: boolean;
  revised_at: number | null;
};

/** Reads rollups, each once, and raw data for hours that have none yet. */
export type RollupReader = {
  /** The item of a day; undefined when it is not made yet. */
  day(cell: string, day: number): Promise<RollupItem | undefined>;
  /** Reads the items of all days of a window at once. */
  readDays(cell: string, window: Span): Promise<void>;
  /** A check by the hour, ascending, up to now. */
  hours(check: CheckItem, window: Span): Promise<Part[]>;
};

/** @param retentionDays of the account: how far raw data reaches back */
export function readRollups(context: TenantEnv, retentionDays: number): RollupReader {
  const { ports, keys, tenant } = context;
  const now = ports.clock.now();
  const kept = retentionStart(now, retentionDays);
  const shared = sharedReads(context);
  const between = (cell: string, of: 'hour' | 'day', { from, to }: Span) =>
    allOf<RollupItem>(shared.ports.table, {
      partition: keys.ofCell(tenant, cell),
      from: keys.rollup(tenant, cell, of, from).sk,
      to: keys.rollup(tenant, cell, of, to - 1).sk,
      eventual: true,
    });
  const days = new Map<string, RollupItem | undefined>();

  async function readDays(cell: string, window: Span): Promise<void> {
    const span = { from: dayOf(window.from), to: dayOf(window.to - 1) + DAY_MS };
    for (let day = span.from; day < span.to; day += DAY_MS) days.set(`${cell} ${day}`, undefined);
    for (const item of await between(cell, 'day', span)) days.set(`${cell} ${item.from}`, item);
  }

  async function hours(check: CheckItem, window: Span): Promise<Part[]> {
    const end = Math.min(window.to, now);
    const begin = hourOf(Date.parse(check.created_at));
    const isKnown = begin < end;
    const read = isKnown
      ? await between(cellOf(check.id), 'hour', { from: Math.max(window.from, begin), to: end })
      : [];
    const items = new Map(read.map((one) => [one.from, one]));
    const number = numberOf(check.id);
    const parts: Part[] = [];
    for (let from = window.from; from < end; from = hourOf(from) + HOUR_MS) {
      const hour = { from, to: Math.min(hourOf(from) + HOUR_MS, end) };
      if (hour.to <= begin) parts.push(notMonitored(hour));
      else parts.push(checkPart(items.get(from), number, hour) ?? (await rawPart(check, hour)));
    }
    return parts;
  }

  async function rawPart(check: CheckItem, window: Span): Promise<Part> {
    if (window.to <= kept) return notMonitored(window);
    const isNone = check.state === 'unknown' && !check.enabled && check.settings_at <= window.from;
    const figures = isNone ? notMonitored(window).figures : await measureCheck(shared, check, window);
    return { window, figures, isRolled: false, revised_at: null };
  }

  return {
    readDays,
    day: async (cell, day) => {
      if (!days.has(`${cell} ${day}`)) await readDays(cell, { from: day, to: day + DAY_MS });
      return days.get(`${cell} ${day}`);
    },
    hours,
  };
}

/** A check in a rollup; undefined when there is none. One that it does not know was not monitored then. */
export function checkPart(item: RollupItem | undefined, number: number, window: Span): Part | undefined {
  if (!item) return undefined;
  const figures = decodeCheck(item.checks, number, window) ?? notMonitored(window).figures;
  return { window, figures, isRolled: true, revised_at: item.revised?.[number] ?? null };
}

/** An entity in the rollup of a day; undefined when it is not there, as its first check was another then. */
export function entityPart(item: RollupItem | undefined, id: string, window: Span): Part<EntityFigures> | undefined {
  const figures = item?.entities && decodeCheck(item.entities, id, window);
  return figures && { window, figures, isRolled: true, revised_at: item.revised?.[id] ?? null };
}

/** Time in which a check did not exist. */
export function notMonitored(window: Span): Part {
  const time = noTime();
  time.ms.not_monitored = window.to - window.from;
  const spans = [{ ...window, as: 'not_monitored' as const, in_maintenance: false }];
  return { window, figures: { ...emptyFigures(), ...time, spans }, isRolled: true, revised_at: null };
}
