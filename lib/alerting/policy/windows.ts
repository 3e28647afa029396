import type { Item } from '#lib/platform/ports.ts';
import { intervalsAt, type WindowTimes } from './intervals.ts';
import type { OpenWindow } from './policy.ts';
import { type Selectable, type Selector, selects } from './selector.ts';

/** A maintenance window of an account. */
export type WindowItem = Item & {
  v: string;
  id: string;
  name: string;
  note: string;
  times: WindowTimes;
  /** The checks that it is about; null: all. */
  scope: Omit<Selector, 'states'> | null;
  /** It holds what follows from the failure of an entity whose checks are all in it, too. */
  include_dependents?: true;
  created_at: string;
  updated_at: string;
  created_by: string;
};

/** So many intervals that follow each other without a gap are one; whoever waits for the end looks again then. */
const MAX_JOINED = 50;

/** Pure: overlapping windows, and those that follow each other at once, are one. */
export function openWindow(windows: readonly WindowItem[], one: Selectable, at: number): OpenWindow | undefined {
  const own = windows.filter(({ scope }) => selects(scope, one));
  const open = own.filter(({ times }) => intervalsAt(times, at).current);
  const [first] = open;
  if (!first) return undefined;
  let until = at;
  for (let joined = 0, before = -1; until > before && joined < MAX_JOINED; joined++) {
    before = until;
    for (const { times } of own) until = Math.max(until, intervalsAt(times, until).current?.to ?? until);
  }
  const includes = open.some(({ include_dependents }) => include_dependents);
  return { id: first.id, until, ...(includes && { include_dependents: true }) };
}

/**
 * Pure: the window that holds what follows from the failure of an entity, as all its checks that are enabled are in it;
 * undefined where there is none.
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
