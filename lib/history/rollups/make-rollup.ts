import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { TenantEnv } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { FINAL_AFTER_MS } from '#lib/checks/maintenance.ts';
import { checksOf, checksOfCell } from '#lib/checks/settings/store.ts';
import type { TimeRange } from '#lib/history/results/gaps.ts';
import { numberOf } from '#lib/keys.ts';
import type { Key, Write } from '#lib/platform/ports.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { DAY_MS, HOUR_MS } from '#lib/platform/time.ts';
import { keptDays } from './buckets.ts';
import type { ClassifiedSpan } from './classify-time.ts';
import { entityHours } from './entity-figures.ts';
import { mergeEntityFigures, mergeFigures } from './figures.ts';
import { hoursIn } from './hours.ts';
import { measureCheck } from './measure-check.ts';
import { type CheckRollup, decodeRollup, encodeLatencies, encodeRollup, type StoredLatencies } from './rollup-item.ts';
import {
  type LatenciesItem,
  type RollupItem,
  type RollupReader,
  readRollups,
  sourceOf,
  withCachedReads,
} from './stored-rollups.ts';

/** Merges the hours of a UTC day of a check. Spans are kept only if the whole day is of one kind. */
export function dayRollup(hours: readonly CheckRollup[], day: TimeRange): CheckRollup {
  const merged = mergeFigures(hours);
  const known = Object.values(merged.ms).reduce((sum, ms) => sum + ms, 0);
  merged.ms.not_monitored += day.to - day.from - known;
  const spans = hours.flatMap((hour): (ClassifiedSpan | null)[] => [...(hour.spans ?? [null])]);
  const [first] = spans;
  const isOneKind = known === day.to - day.from && first && spans.every((span) => isSameKind(span, first));
  return { ...merged, spans: isOneKind ? [{ ...first, ...day }] : null };
}

const isSameKind = (span: ClassifiedSpan | null, other: ClassifiedSpan): boolean =>
  span?.as === other.as && span.in_maintenance === other.in_maintenance;

/** Cell to roll up, with the account's retention of raw data and rollups in days. */
export type RolledCell = TenantEnv & { cell: string; retention_days: number; rollup_days: number };

/** `isRevision`: changed figures are marked as revised, even if the rollup did not exist yet. */
type RollupOptions = { isRevision: boolean };

/** Makes the rollup of an hour (epoch ms) of a cell from raw data. */
export async function makeHour(of: RolledCell, hour: number, options: RollupOptions): Promise<void> {
  const range = { from: hour, to: hour + HOUR_MS };
  // Kept at least as long as the raw data, so that the hour is never computed from raw data again.
  const days = Math.max(keptDays('hour', of.rollup_days), of.retention_days);
  await writeRollup(of, keysOf(of, 'hour', hour), { from: hour, days, ...options }, async (present) => {
    const made_at = of.ports.clock.now();
    const isFinal = hour < made_at - FINAL_AFTER_MS;
    const shared = withCachedReads(of);
    const found = new Map<number, CheckRollup>();
    for (const check of await checksOfCell(of, of.cell)) {
      const final = isFinal && present ? maintenanceOf(present, check, range) : undefined;
      const [figures] = await measureCheck(shared, check, [range], final);
      if (needsEntry(figures!, range)) found.set(numberOf(check.id), figures!);
      await yieldToEventLoop();
    }
    return { made_at, figures: encodeRollup(found), latencies: encodeLatencies(found) };
  });
}

/** Returns the time in maintenance of a check in a stored hour; undefined if it is stored without spans. */
const maintenanceOf = ({ figures }: RollupItem, { id }: CheckItem, hour: TimeRange): TimeRange[] | undefined => {
  const rollup = decodeRollup(figures, numberOf(id), hour);
  return rollup ? rollup.spans?.filter(({ in_maintenance }) => in_maintenance) : [];
};

const keysOf = ({ keys, tenant, cell }: RolledCell, of: 'hour' | 'day', from: number): RollupKeys => ({
  rollup: keys.rollup(tenant, cell, of, from),
  latencies: keys.latencies(tenant, cell, of, from),
});

/** Rollups as stored at `at` (epoch ms), each read once. */
type RollupSource = { at: number; rollups: RollupReader };

const sourceNow = (of: RolledCell): RollupSource => ({
  at: of.ports.clock.now(),
  rollups: readRollups(of, of.retention_days, { strong: true }),
});

/** Makes the rollups of a UTC day (epoch ms) of a cell, and of the entities of its checks, from their hours. */
export async function makeDay(of: RolledCell, day: number, options: RollupOptions): Promise<void> {
  const range = { from: day, to: day + DAY_MS };
  const writeOptions = { from: day, days: keptDays('day', of.rollup_days), ...options };
  const first = sourceNow(of);
  const checks = await checksOfCell(of, of.cell);
  const ids = [...new Set(checks.map(({ entity_id }) => entity_id))];
  for (const entity of await of.ports.table.getMany<EntityItem>(ids.map((id) => of.keys.entity(of.tenant, id)))) {
    if (entity) await makeEntityDay(of, entity, range, writeOptions, first);
  }
  // Written last, because it marks the day as made.
  await writeRollup(of, keysOf(of, 'day', day), writeOptions, async (_present, attempt) => {
    const { at, rollups } = attempt === 0 ? first : sourceNow(of);
    const found = new Map<number, CheckRollup>();
    for (const check of checks) {
      const hours = await rollups.parts(sourceOf(check), hoursIn(range));
      const figures = dayRollup(
        hours.map((hour) => hour.figures),
        range,
      );
      if (needsEntry(figures, range)) found.set(numberOf(check.id), figures);
      await yieldToEventLoop();
    }
    return { made_at: at, figures: encodeRollup(found), latencies: encodeLatencies(found) };
  });
}

/**
 * Makes the day rollup of an entity, again for each cell with its checks, because only the last cell finds all hours.
 * Keeps the rollup after a check of that day was deleted, because the data of the check can no longer be read.
 */
async function makeEntityDay(
  of: RolledCell,
  entity: EntityItem,
  day: TimeRange,
  writeOptions: WriteOptions,
  first: RollupSource,
): Promise<void> {
  const checks = await checksOf(of, [entity]);
  const count = checks.filter(({ created_at }) => Date.parse(created_at) < day.to).length;
  await writeRollup(
    of,
    { rollup: of.keys.entityDay(of.tenant, entity.id, day.from) },
    writeOptions,
    async (present, attempt) => {
      if (present && present.checks! > count) return undefined;
      const { at, rollups } = attempt === 0 ? first : sourceNow(of);
      const hours = await entityHours(rollups, checks.map(sourceOf), hoursIn(day));
      const figures = mergeEntityFigures(hours.map((hour) => hour.figures));
      if (count === 0 && !needsEntry(figures, day)) return undefined;
      return { made_at: at, figures: encodeRollup(new Map([[entity.id, { ...figures, spans: null }]])), checks: count };
    },
  );
  await yieldToEventLoop();
}

/** Whether a check or entity needs an entry; a missing entry means not monitored and without results. */
const needsEntry = ({ runs, ms }: Pick<CheckRollup, 'runs' | 'ms'>, { from, to }: TimeRange): boolean =>
  runs > 0 || ms.not_monitored < to - from;

/** `from`: start of the rollup, epoch ms. `days`: its retention in days. */
type WriteOptions = RollupOptions & { from: number; days: number };
type Content = Pick<RollupItem, 'made_at' | 'figures' | 'checks'> & { latencies?: StoredLatencies };
/** Keys of a rollup; the rollup of an entity has no latencies. */
type RollupKeys = { rollup: Key; latencies?: Key };

/** Writes a rollup and its latencies, even if empty, in one transaction. Never replaces a rollup that has more data. */
async function writeRollup(
  { ports, retention_days }: RolledCell,
  keys: RollupKeys,
  { from, days, isRevision }: WriteOptions,
  make: (present: RollupItem | undefined, attempt: number) => Promise<Content | undefined>,
): Promise<void> {
  await retryOnConflict(ports, async (attempt) => {
    const present = await ports.table.get<RollupItem>(keys.rollup);
    const stored = present && keys.latencies && (await ports.table.get<LatenciesItem>(keys.latencies))?.latencies;
    const content = await make(present, attempt);
    if (!content) return true;
    const { latencies, ...made } = content;
    const revised = { ...present?.revised };
    for (const [name, figures] of Object.entries(made.figures)) {
      const isSame = isDeepStrictEqual(figures, present?.figures[name]) && latencies?.[name] === stored?.[name];
      if ((isRevision || present) && !isSame) revised[name] = made.made_at;
    }
    const kept = { from, expires_at: Math.ceil((from + (days + 1) * DAY_MS) / 1000) };
    const item: RollupItem = {
      ...keys.rollup,
      v: ports.ids.token(),
      ...kept,
      raw_days: Math.min(retention_days, present?.raw_days ?? retention_days),
      ...made,
      ...(Object.keys(revised).length > 0 && { revised }),
    };
    const writes: Write[] = [{ put: item, if: present ? { version: present.v } : 'absent' }];
    if (keys.latencies && latencies) {
      const latenciesItem: LatenciesItem = { ...keys.latencies, ...kept, latencies };
      writes.push({ put: latenciesItem });
    }
    const done = await commit(ports, writes);
    return done.ok ? true : RETRY;
  });
}
