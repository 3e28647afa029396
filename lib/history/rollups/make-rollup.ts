import { setImmediate as othersTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { TenantEnv } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { checksOf, checksOfCell } from '#lib/checks/settings/store.ts';
import type { TimeRange } from '#lib/history/runs/gaps.ts';
import { numberOf } from '#lib/keys.ts';
import type { Key, Write } from '#lib/platform/ports.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { DAY_MS, HOUR_MS } from '#lib/platform/time.ts';
import type { AccountedSpan } from './account-time.ts';
import { keptDays } from './buckets.ts';
import { entityHours } from './entity-figures.ts';
import { mergeEntityFigures, mergeFigures } from './figures.ts';
import { hoursIn } from './hours.ts';
import { measureCheck } from './measure-check.ts';
import { type CheckRollup, encodeLatencies, encodeRollup, type StoredLatencies } from './rollup-item.ts';
import {
  type LatenciesItem,
  ofItem,
  type RollupItem,
  type RollupReader,
  readRollups,
  sharedReads,
} from './stored-rollups.ts';

/**
 * A UTC day of a check from its hours. Spans are kept of a day that was all one, as a single letter says it.
 * @param hours of that day in which something is known of the check, ascending; in all others it was not monitored
 */
export function dayRollup(hours: readonly CheckRollup[], day: TimeRange): CheckRollup {
  const merged = mergeFigures(hours);
  const known = Object.values(merged.ms).reduce((sum, ms) => sum + ms, 0);
  merged.ms.not_monitored += day.to - day.from - known;
  const spans = hours.flatMap((hour): (AccountedSpan | null)[] => [...(hour.spans ?? [null])]);
  const [first] = spans;
  const isOne = known === day.to - day.from && first && spans.every((span) => isSameKind(span, first));
  return { ...merged, spans: isOne ? [{ ...first, ...day }] : null };
}

const isSameKind = (span: AccountedSpan | null, other: AccountedSpan): boolean =>
  span?.as === other.as && span.in_maintenance === other.in_maintenance;

/** The cell that is rolled up, of an account that keeps raw data and rollups for so many days. */
export type RolledCell = TenantEnv & { cell: string; retention_days: number; rollup_days: number };

/** `isRevision`: what it says now that it did not before is told as revised, also where it was not made yet. */
type Making = { isRevision: boolean };

/** Makes an hour (epoch ms) of a cell from the raw data. */
export async function makeHour(of: RolledCell, hour: number, making: Making): Promise<void> {
  const window = { from: hour, to: hour + HOUR_MS };
  // As long as its raw data, so that this need never be read again.
  const days = Math.max(keptDays('hour', of.rollup_days), of.retention_days);
  await put(of, keysOf(of, 'hour', hour), { from: hour, days, ...making }, async () => {
    const made_at = of.ports.clock.now();
    const shared = sharedReads(of);
    const found = new Map<number, CheckRollup>();
    for (const check of await checksOfCell(of, of.cell)) {
      const [figures] = await measureCheck(shared, check, [window]);
      if (isKnown(figures!, window)) found.set(numberOf(check.id), figures!);
      await othersTurn();
    }
    return { made_at, figures: encodeRollup(found), latencies: encodeLatencies(found) };
  });
}

/** Where a rollup of the cell and its latencies stand. */
const keysOf = ({ keys, tenant, cell }: RolledCell, of: 'hour' | 'day', from: number): RollupKeys => ({
  rollup: keys.rollup(tenant, cell, of, from),
  latencies: keys.latencies(tenant, cell, of, from),
});

/** What was stored at `at` (epoch ms), each read once. */
type RollupSource = { at: number; rollups: RollupReader };

const look = (of: RolledCell): RollupSource => ({
  at: of.ports.clock.now(),
  rollups: readRollups(of, of.retention_days, { strong: true }),
});

/** Makes a UTC day (epoch ms) of a cell and of the entities of its checks, from the hours. */
export async function makeDay(of: RolledCell, day: number, making: Making): Promise<void> {
  const window = { from: day, to: day + DAY_MS };
  const status = { from: day, days: keptDays('day', of.rollup_days), ...making };
  const first = look(of);
  const checks = await checksOfCell(of, of.cell);
  const ids = [...new Set(checks.map(({ entity_id }) => entity_id))];
  for (const entity of await of.ports.table.getMany<EntityItem>(ids.map((id) => of.keys.entity(of.tenant, id)))) {
    if (entity) await makeEntityDay(of, entity, window, status, first);
  }
  // Last, as it says that the day is made.
  await put(of, keysOf(of, 'day', day), status, async (_present, tries) => {
    const { at, rollups } = tries === 0 ? first : look(of);
    const found = new Map<number, CheckRollup>();
    for (const check of checks) {
      const hours = await rollups.parts(ofItem(check), hoursIn(window));
      const figures = dayRollup(
        hours.map((hour) => hour.figures),
        window,
      );
      if (isKnown(figures, window)) found.set(numberOf(check.id), figures);
      await othersTurn();
    }
    return { made_at: at, figures: encodeRollup(found), latencies: encodeLatencies(found) };
  });
}

/**
 * The day of an entity, by the aggregator of each cell that has checks of it: one of them sees the last of its hours.
 * It stays as it is when a check of that day is gone, as what that was cannot be read any more.
 */
async function makeEntityDay(
  of: RolledCell,
  entity: EntityItem,
  day: TimeRange,
  status: Status,
  first: RollupSource,
): Promise<void> {
  const checks = await checksOf(of, [entity]);
  const count = checks.filter(({ created_at }) => Date.parse(created_at) < day.to).length;
  await put(of, { rollup: of.keys.entityDay(of.tenant, entity.id, day.from) }, status, async (present, tries) => {
    if (present && present.checks! > count) return undefined;
    const { at, rollups } = tries === 0 ? first : look(of);
    const hours = await entityHours(rollups, checks.map(ofItem), hoursIn(day));
    const figures = mergeEntityFigures(hours.map((hour) => hour.figures));
    if (count === 0 && !isKnown(figures, day)) return undefined;
    return { made_at: at, figures: encodeRollup(new Map([[entity.id, { ...figures, spans: null }]])), checks: count };
  });
  await othersTurn();
}

/** What a rollup does without was not monitored, and has no runs. */
const isKnown = ({ runs, ms }: Pick<CheckRollup, 'runs' | 'ms'>, { from, to }: TimeRange): boolean =>
  runs > 0 || ms.not_monitored < to - from;

/** `days`: for how many it is kept. */
type Status = Making & { from: number; days: number };
type Content = Pick<RollupItem, 'made_at' | 'figures' | 'checks'> & { latencies?: StoredLatencies };
/** The rollup of an entity has no latencies. */
type RollupKeys = { rollup: Key; latencies?: Key };

/**
 * Writes a rollup over the version it was made beside, so that none is replaced by one that knew less; in the same
 * transaction its latencies, also where there are none.
 * @param make what it is to hold; undefined: it stays as it is
 */
async function put(
  { ports, retention_days }: RolledCell,
  keys: RollupKeys,
  { from, days, isRevision }: Status,
  make: (present: RollupItem | undefined, tries: number) => Promise<Content | undefined>,
): Promise<void> {
  await retryOnConflict(ports, async (tries) => {
    const present = await ports.table.get<RollupItem>(keys.rollup);
    const known = present && keys.latencies && (await ports.table.get<LatenciesItem>(keys.latencies))?.latencies;
    const content = await make(present, tries);
    if (!content) return true;
    const { latencies, ...made } = content;
    const revised = { ...present?.revised };
    for (const [name, figures] of Object.entries(made.figures)) {
      const isSame = isDeepStrictEqual(figures, present?.figures[name]) && latencies?.[name] === known?.[name];
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
      const beside: LatenciesItem = { ...keys.latencies, ...kept, latencies };
      writes.push({ put: beside });
    }
    const done = await commit(ports, writes);
    return done.ok ? true : RETRY;
  });
}
