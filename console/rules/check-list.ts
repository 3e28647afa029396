import type { Check, ListedCheck } from '#console/api/records.ts';
import { byName, type FleetRow } from './fleet.ts';
import { messageOf, severityRank } from './states.ts';

export type CheckRow = { check: ListedCheck; label: string; entity: FleetRow | undefined };

type NewState = { check_id: string; check_to_state: Check['state']; timestamp: string };

/** Applies new transitions to checks. Unchanged checks keep their identity. @param transitions newest first */
export function withNews(checks: readonly ListedCheck[], transitions: readonly NewState[]): readonly ListedCheck[] {
  const newest = new Map(transitions.toReversed().map((one) => [one.check_id, one]));
  if (newest.size === 0) return checks;
  return checks.map((check) => {
    const news = newest.get(check.id);
    return news && news.timestamp > check.state_since
      ? { ...check, state: news.check_to_state, state_since: news.timestamp }
      : check;
  });
}

/** Sorts by state (down, degraded, unknown, up, then disabled), then by entity and name. */
export function inOrder(rows: readonly CheckRow[]): CheckRow[] {
  const rank = ({ check }: CheckRow) => (check.enabled ? severityRank(check.state) : 9);
  return rows.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      byName(a.entity?.name ?? '', b.entity?.name ?? '') ||
      byName(a.label, b.label) ||
      (a.check.id < b.check.id ? -1 : 1),
  );
}

/** Filters of the list; an empty value matches all. */
export type CheckFilter = {
  states: ReadonlySet<string>;
  type: string;
  /** `yes` or `no`. */
  enabled: string;
  words: string;
  excluded?: ReadonlySet<string> | undefined;
};

export function filtered(
  rows: readonly CheckRow[],
  { states, type, enabled, words, excluded }: CheckFilter,
): CheckRow[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(({ check, label, entity }) => {
    if (states.size > 0 && !states.has(check.state)) return false;
    if (type && check.check_type !== type) return false;
    if (enabled && check.enabled !== (enabled === 'yes')) return false;
    if (excluded?.has(check.id)) return false;
    if (wanted.length === 0) return true;
    const error = messageOf(check.last_result);
    const text = `${label}\n${entity?.name ?? ''}\n${entity?.slug ?? ''}\n${check.check_type}\n${error}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** Counts the checks per state, including disabled ones. */
export function stateCounts(rows: readonly CheckRow[]): Record<Check['state'], number> {
  const counts = { up: 0, degraded: 0, down: 0, unknown: 0 };
  for (const { check } of rows) counts[check.state]++;
  return counts;
}

/** Returns the checks whose label or entity name contains every word, sorted by entity and label. */
export function findChecks<T extends Pick<CheckRow, 'label' | 'entity'>>(rows: readonly T[], text: string): T[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const nameOf = ({ entity }: T) => entity?.name ?? '';
  return rows
    .filter((row) => {
      const all = `${row.label}\n${nameOf(row)}`.toLowerCase();
      return words.every((word) => all.includes(word));
    })
    .sort((a, b) => byName(nameOf(a), nameOf(b)) || byName(a.label, b.label));
}
