import type { TenantEnv } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { after, PAST_WINDOWS, WINDOWS } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import { rangesOf, type TimeRange, type WindowTimes } from '#lib/schedule/calendar/window-ranges.ts';
import type { CheckItem } from './check-item.ts';
import { type Selectable, type Selector, selects } from './selector.ts';

export type WindowItem = Item & {
  v: string;
  id: string;
  name: string;
  note: string;
  /** Title on status pages; absent: a fixed text. */
  public_title?: string;
  times: WindowTimes;
  /** Selected checks; null: all. */
  scope: Omit<Selector, 'states'> | null;
  /** Whether it also holds alerts of failures caused by an entity whose checks are all in it. */
  include_dependents?: true;
  /** Whether its time counts in uptime; absent: it is excluded. */
  counts_in_uptime?: true;
  /** Recurring windows: time (epoch ms) from which this version applies to uptime; older ones are `PastWindow`s. */
  since?: number;
  created_at: string;
  /** Time of the last change of its times; absent: none since its creation. */
  moved_at?: string;
  updated_at: string;
  created_by: string;
};

/** Former version of a recurring window; still excludes past time. `replaced_at`: change or deletion (epoch ms). */
export type PastWindow = WindowItem & { replaced_at: number };

/** Age (ms) from which uptime is final: windows no longer change it. */
export const FINAL_AFTER_MS = 30 * DAY_MS;

/** Returns the parts of a range that a window excludes from uptime. Pure. */
export function excludedBy(
  { times, counts_in_uptime, since = 0, replaced_at = Number.POSITIVE_INFINITY }: WindowItem & Partial<PastWindow>,
  range: TimeRange,
): TimeRange[] {
  const ranges: TimeRange[] = [];
  const [from, to] = [Math.max(range.from, since), Math.min(range.to, replaced_at)];
  if (counts_in_uptime || from >= to) return ranges;
  for (const interval of rangesOf(times, from)) {
    if (interval.from >= to) break;
    ranges.push({ from: Math.max(interval.from, from), to: Math.min(interval.to, to) });
  }
  return ranges;
}

/** Reads the parts of a range in which maintenance windows exclude a check from uptime; they may overlap. */
export async function readMaintenance(
  { ports, keys, tenant }: TenantEnv,
  check: CheckItem,
  range: TimeRange,
): Promise<TimeRange[]> {
  const stored = { partition: keys.alerting(tenant), from: WINDOWS, to: after(PAST_WINDOWS) };
  const windows = await allOf<WindowItem | PastWindow>(ports.table, stored);
  const excluding = windows
    .map((window) => ({ scope: window.scope, ranges: excludedBy(window, range) }))
    .filter(({ ranges }) => ranges.length > 0);
  if (excluding.length === 0) return [];
  const entity = await ports.table.get<EntityItem>(keys.entity(tenant, check.entity_id));
  if (!entity) return [];
  const one: Selectable = { check, entity };
  return excluding.flatMap(({ scope, ranges }) => (selects(scope, one) ? ranges : []));
}
