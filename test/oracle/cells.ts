import type { CheckItem } from '#lib/checks/check-item.ts';
import type { CellItem } from '#lib/checks/settings/cells.ts';
import { CELLS, CELLS_WITH_ROOM, cellOf, numberOf } from '#lib/keys.ts';
import type { Item, Key } from '#lib/platform/ports.ts';
import type { ProbeEntry } from '#lib/schedule/entries.ts';
import { type Commit, checkIdOf, type Inside, isCheckKey } from './inside.ts';

/** Maximum number of checks per cell. */
const FULL = 50;

/** The items of a cell at a given time. */
type Cell = {
  item?: CellItem | undefined;
  hasRoom: boolean;
  checks: Map<string, CheckItem>;
  /** Entries by interval, in seconds. */
  entries: Map<number, ProbeEntry>;
  /** Assigned numbers, and their checks. */
  given: Map<number, string>;
};

/**
 * Promise: no cell loses a check. At each time, every probed check has a schedule entry for its interval; the cell
 * counts at least its checks, and is listed as having room exactly if it counts fewer than the maximum; and no number
 * is assigned twice. At the end, the counts are exact, and no unused entry is left.
 */
export function checkCells({ seen }: Inside): string[] {
  const wrong: string[] = [];
  const cells = new Map<string, Cell>();
  for (const commit of seen.commits) {
    const touched = new Set<string>();
    for (const { key, after } of commit.changes) {
      const name = cellIn(key);
      if (name === undefined) continue;
      touched.add(name);
      const cell = cells.get(name) ?? { hasRoom: false, checks: new Map(), entries: new Map(), given: new Map() };
      cells.set(name, cell);
      wrong.push(...apply(cell, key, after));
    }
    for (const name of touched) wrong.push(...broken(cells.get(name)!).map((text) => textOf(commit, name, text)));
  }
  // A recount that becomes a dead letter leaves the counts unchanged and raises an alarm.
  if (seen.faults['dead letter housekeeping'] !== undefined) return wrong;
  for (const [name, cell] of cells) wrong.push(...uncounted(cell).map((text) => `cell ${name}: ${text}`));
  return wrong;
}

const textOf = ({ n, at }: Commit, cell: string, text: string): string => `commit ${n} at ${at}, cell ${cell}: ${text}`;

/** Returns the cell of a check, of the counts of a cell, or of a schedule entry; undefined for other items. */
function cellIn({ pk, sk }: Key): string | undefined {
  if (isCheckKey({ pk, sk })) return pk.split('#').at(-1);
  if (pk.endsWith('#CELLS')) return sk.split('#')[1];
  return pk.startsWith('SCHEDULE#') && sk.startsWith('probe#') ? sk.split('#')[2] : undefined;
}

function apply(cell: Cell, key: Key, after: Item | undefined): string[] {
  if (key.sk.startsWith(CELLS)) cell.item = after as CellItem | undefined;
  else if (key.sk.startsWith(CELLS_WITH_ROOM)) cell.hasRoom = after !== undefined;
  else if (!isCheckKey(key)) {
    const interval = Number(key.sk.split('#')[3]);
    if (after) cell.entries.set(interval, after as ProbeEntry);
    else cell.entries.delete(interval);
  } else {
    const id = checkIdOf(key);
    if (!after) cell.checks.delete(id);
    else cell.checks.set(id, after as CheckItem);
    const owner = cell.given.get(numberOf(id)) ?? id;
    cell.given.set(numberOf(id), owner);
    if (cellOf(id) !== key.pk.split('#').at(-1)) return [`check ${id} is stored in ${key.pk}`];
    if (owner !== id) return [`check ${id} has the number ${numberOf(id)} of check ${owner}`];
  }
  return [];
}

/** Returns the number of probed checks by interval. */
function probedIn({ checks }: Cell): Map<number, number> {
  const probed = new Map<number, number>();
  for (const { enabled, execution_mode, interval_seconds } of checks.values()) {
    if (enabled && execution_mode === 'pull') probed.set(interval_seconds, (probed.get(interval_seconds) ?? 0) + 1);
  }
  return probed;
}

/** Returns the violations of the rules that hold at every time. */
function broken(cell: Cell): string[] {
  const { item, hasRoom, checks, entries, given } = cell;
  const wrong: string[] = [];
  for (const [interval, count] of probedIn(cell)) {
    const entry = entries.get(interval);
    if (!entry) wrong.push(`${count} checks of ${interval} s have no entry in the schedule`);
    else if (entry.checks < count)
      wrong.push(`the entry of ${interval} s counts ${entry.checks} checks, but there are ${count}`);
  }
  const { members = 0, next = 0 } = item ?? {};
  if (members < checks.size || members > FULL) wrong.push(`it counts ${members} checks, but there are ${checks.size}`);
  if (hasRoom !== (item !== undefined && members < FULL))
    wrong.push(`it is ${hasRoom ? '' : 'not '}listed as having room with ${members} checks`);
  if (Math.max(-1, ...given.keys()) >= next && item) wrong.push(`its next number ${next} is already assigned`);
  return wrong;
}

/** Returns the violations of the rules that hold at the end. */
function uncounted(cell: Cell): string[] {
  const { item, checks, entries } = cell;
  const wrong: string[] = [];
  const probed = probedIn(cell);
  for (const [interval, entry] of entries) {
    const count = probed.get(interval) ?? 0;
    if (entry.checks !== count)
      wrong.push(`the entry of ${interval} s counts ${entry.checks} checks, expected ${count}`);
  }
  if (item && item.members !== checks.size) wrong.push(`it counts ${item.members} checks, expected ${checks.size}`);
  return wrong;
}
