import { isDeepStrictEqual } from 'node:util';
import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { excludedBy, FINAL_AFTER_MS, type PastWindow, type WindowItem } from '#lib/checks/maintenance.ts';
import { CELLS, cellOf, under } from '#lib/keys.ts';
import type { Write } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import { reviseCells } from '#lib/results/revise-rollups.ts';
import type { TimeRange } from '#lib/schedule/calendar/window-ranges.ts';

/** State of a window before or after a change; undefined: it does not exist. */
type Version = WindowItem | undefined;

const isRecurring = (window: Version): boolean => window !== undefined && 'cron' in window.times;

const excludesSame = (one: Version, other: Version): boolean =>
  one?.counts_in_uptime === other?.counts_in_uptime &&
  isDeepStrictEqual(one?.times, other?.times) &&
  isDeepStrictEqual(one?.scope, other?.scope);

/**
 * Returns the version to store. If a change affects what a recurring window excludes, the new version applies from
 * `now` (`since`); `keepPast` keeps the previous one for the time before. Pure.
 */
export function withStart(changed: WindowItem, before: Version, now: number): WindowItem {
  if (!isRecurring(changed) || (before && excludesSame(before, changed))) return changed;
  return { ...changed, since: now };
}

/** Returns the write that keeps the past occurrences of a recurring window that is changed or deleted at `now`. */
export function keepPast({ keys, tenant }: Context, before: WindowItem, after: Version, now: number): Write[] {
  const past = { from: now - FINAL_AFTER_MS, to: now };
  if (!isRecurring(before) || excludesSame(before, after) || excludedBy(before, past).length === 0) return [];
  const expires_at = Math.ceil((now + FINAL_AFTER_MS + DAY_MS) / 1000);
  const put: PastWindow = { ...before, ...keys.pastWindow(tenant, before.id, before.v), expires_at, replaced_at: now };
  return [{ put }];
}

/** Requests new rollups of the past hours whose uptime a change of a one-time window affects; call before the write. */
export async function reviseUptime(context: Context, before: Version, after: Version): Promise<void> {
  if (isRecurring(before ?? after) || excludesSame(before, after)) return;
  const now = context.ports.clock.now();
  const past = { from: now - FINAL_AFTER_MS, to: now };
  const versions = [before, after].filter((one) => one !== undefined);
  const ranges = versions.flatMap((one) => excludedBy(one, past));
  const changed = isDeepStrictEqual(before?.scope, after?.scope) ? difference(ranges) : ranges;
  if (changed.length === 0) return;
  const cells = new Set((await Promise.all(versions.map((one) => cellsOf(context, one)))).flat());
  await reviseCells(
    context,
    [...cells].map((cell) => ({ tenant_id: context.tenant, cell })),
    changed.map(({ from, to }) => ({ from, to: to - 1 })),
  );
}

/** Returns the ranges that are in one of two ranges but not in both. */
function difference(ranges: readonly TimeRange[]): TimeRange[] {
  const [a, b] = ranges;
  if (!a || !b || a.to <= b.from || b.to <= a.from) return [...ranges];
  return [
    { from: Math.min(a.from, b.from), to: Math.max(a.from, b.from) },
    { from: Math.min(a.to, b.to), to: Math.max(a.to, b.to) },
  ].filter(({ from, to }) => from < to);
}

/** Returns the cells that have checks of a window, and possibly others. */
async function cellsOf({ ports, keys, tenant }: Context, { scope }: WindowItem): Promise<string[]> {
  if (scope?.check_ids) return scope.check_ids.map(cellOf);
  if (scope?.entity_ids) {
    const entities = await ports.table.getMany<EntityItem>(scope.entity_ids.map((id) => keys.entity(tenant, id)));
    return entities.flatMap((entity) => Object.keys(entity?.checks ?? {}).map(cellOf));
  }
  const items = await allOf(ports.table, { partition: keys.cells(tenant), ...under(CELLS) });
  return items.map(({ sk }) => sk.slice(CELLS.length));
}
