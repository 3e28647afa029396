import type { WindowItem } from '#lib/checks/maintenance.ts';
import { type Selectable, selects } from '#lib/checks/selector.ts';
import { rangesAt } from '#lib/schedule/calendar/window-ranges.ts';
import type { OpenWindow } from './policy.ts';

/** Maximum number of consecutive time ranges to join; the recheck at the end finds more. */
const MAX_JOINED = 10;

/** Finds the open maintenance window; overlapping and consecutive windows count as one. Pure. */
export function openWindow(windows: readonly WindowItem[], one: Selectable, at: number): OpenWindow | undefined {
  const own = windows.filter(({ scope }) => selects(scope, one));
  const open = own.filter(({ times }) => rangesAt(times, at).current);
  const [first] = open;
  if (!first) return undefined;
  let until = at;
  for (let joined = 0, before = -1; until > before && joined < MAX_JOINED; joined++) {
    before = until;
    for (const { times } of own) until = Math.max(until, rangesAt(times, until).current?.to ?? until);
  }
  const includes = open.some(({ include_dependents }) => include_dependents);
  return { id: first.id, until, ...(includes && { include_dependents: true }) };
}

/**
 * Finds the window that holds alerts downstream of an entity: if each enabled check is in an open window with
 * `include_dependents`, the window that ends first. Pure.
 */
export function windowForDependents(
  windows: readonly WindowItem[],
  entity: Selectable['entity'],
  checks: readonly (Selectable['check'] & { enabled: boolean })[],
  at: number,
): OpenWindow | undefined {
  const including = windows.filter(({ include_dependents }) => include_dependents);
  const open = checks.filter(({ enabled }) => enabled).map((check) => openWindow(including, { check, entity }, at));
  return open.reduce((first, one) => first && one && (first.until <= one.until ? first : one), open[0]);
}
