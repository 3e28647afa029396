import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { PastWindow, WindowItem } from '#lib/checks/maintenance.ts';
import type { CellItem } from '#lib/checks/settings/cells.ts';
import type { TransitionItem } from '#lib/checks/state/transition.ts';
import type { TimeKind } from '#lib/history/rollups/classify-time.ts';
import { decodeLatency, decodeRollup, type StoredLatencies } from '#lib/history/rollups/rollup-item.ts';
import type { LatenciesItem, RollupItem } from '#lib/history/rollups/stored-rollups.ts';
import { cellOf, type Keys, numberOf } from '#lib/keys.ts';
import { latestSlot, rollupScheduleOf } from '#lib/schedule/slots.ts';
import type { Span } from './history.ts';
import { isOpen, isSelected } from './in-force.ts';
import { changesIn, checkIdOf, checksIn, type Inside, keyText, type Seen, settingsIn } from './inside.ts';
import { packKeyOf } from './outcomes.ts';
import { recordedIn } from './recorded-history.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Maximum time until a late change of a past hour is in its rollup (ms). */
const REVISED_MS = 5 * MINUTE;
/** Maximum time from the due time of a rollup until it is written, when nothing fails any more (ms). */
const MADE_MS = 3 * MINUTE;

/**
 * Promise: an hour is rolled up five minutes after its end, not before; its figures match the stored data: results,
 * failures, warnings, number of latencies, and the time in each state and in maintenance. That is true again five
 * minutes after late data arrives, or after a one-time window that affects the hour was created, moved or deleted.
 */
export function checkRollups(inside: Inside): string[] {
  const { seen, profile, end } = inside;
  const wrong: string[] = [];
  for (const { key, after, commit } of changesIn(seen)) {
    if (!isHour(key) || !after) continue;
    const early = (after as RollupItem).from + HOUR + 5 * MINUTE - commit.at;
    // A process whose clock is ahead is early.
    if (early > profile.jumpMs + 100)
      wrong.push(`commit ${commit.n}: ${key.sk} of ${key.pk} was written ${early} ms early`);
  }
  const recorded = recordedIn(seen);
  const settings = settingsIn(seen);
  for (const check of checksIn(seen)) {
    const cell = cellOf(check.id);
    for (const item of hoursOf(seen, cell)) {
      const hour = { from: item.from, to: item.from + HOUR };
      if (lastChange(seen, check, hour) > end - REVISED_MS) continue;
      const runs = (recorded.get(check.id)?.runs ?? []).filter(
        ({ at, unscheduled }) => !unscheduled && hour.from <= at && at < hour.to,
      );
      const expected = {
        runs: runs.length,
        failures: runs.filter(({ success }) => !success).length,
        warnings: runs.filter(({ warns }) => warns).length,
        latencies: runs.filter(({ success }) => success).length,
        ...timeOf(inside, check, settings.get(check.id) ?? [], hour),
      };
      const rolled = decodeRollup(item.figures, numberOf(check.id), hour);
      const actual = {
        runs: rolled?.runs ?? 0,
        failures: rolled?.failures ?? 0,
        warnings: rolled?.warnings ?? 0,
        latencies: decodeLatency(latenciesOf(seen, item), numberOf(check.id)).count,
        ...(rolled?.ms ?? nothing(HOUR)),
      };
      if (textOf(actual) !== textOf(expected))
        wrong.push(`${check.id}: its rollup of hour ${hour.from} has ${textOf(actual)}, expected ${textOf(expected)}`);
    }
  }
  return [...wrong, ...checkMade(inside)];
}

/** The rollup of an hour exists after its due time. */
function checkMade({ seen, end }: Inside): string[] {
  return cellsIn(seen).flatMap(({ name, begun_at }) => {
    const slot = latestSlot(rollupScheduleOf(name), end - MADE_MS);
    const hour = Math.floor(slot / HOUR) * HOUR - HOUR;
    const isMade = hour + HOUR <= begun_at || hoursOf(seen, name).some(({ from }) => from === hour);
    return isMade ? [] : [`cell ${name} has no rollup of ${hour}, which was due at ${slot}`];
  });
}

const isHour = ({ pk, sk }: { pk: string; sk: string }): boolean => pk.includes('#CELL#') && sk.startsWith('H#');

const hoursOf = ({ table }: Seen, cell: string): RollupItem[] =>
  [...table.values()].filter((item): item is RollupItem => isHour(item) && item.pk.endsWith(`#${cell}`));

/** Returns the latencies that were written with the rollup of an hour. */
function latenciesOf({ table }: Seen, { pk, sk }: RollupItem): StoredLatencies {
  const found = [...table.values()].find((item) => item.pk === pk && item.sk === sk.replace('H#', 'HL#'));
  return (found as LatenciesItem | undefined)?.latencies ?? {};
}

const cellsIn = ({ table }: Seen) =>
  [...table.values()]
    .filter(({ sk }) => sk.startsWith('CELL#'))
    .map((item) => ({ name: item.sk.slice('CELL#'.length), begun_at: (item as CellItem).begun_at }));

/** Returns when an hour of a check last changed, by a result, a pack of its cell, a change of state, or any window. */
function lastChange(seen: Seen, check: CheckItem, { from, to }: Span): number {
  let last = 0;
  for (const { key, after, commit } of changesIn(seen)) {
    const pack = packKeyOf(key);
    const isOwn = !pack && checkIdOf(key) === check.id;
    const at = pack?.cell === cellOf(check.id) ? pack.slot : Number(key.sk.split('#')[1]);
    const isOf = (pack ? pack.cell === cellOf(check.id) : isOwn && key.sk.startsWith('R#')) && from <= at && at < to;
    const isState = isOwn && key.sk.startsWith('TR#') && (after as TransitionItem).effective_at < to;
    const isWindow = key.sk.startsWith('WINDOW#');
    if (isOf || isWindow || (isState && at >= from)) last = Math.max(last, commit.at);
  }
  return last;
}

type Time = Record<TimeKind, number>;

const nothing = (ms: number): Time => ({
  up: 0,
  degraded: 0,
  down: 0,
  unknown: 0,
  gap: 0,
  maintenance: 0,
  not_monitored: ms,
});

/** Returns the time of a check per kind in an hour (ms): in each state, in gaps, in maintenance, and not monitored. */
function timeOf(
  { seen, shown, keys }: Inside,
  check: CheckItem,
  settings: { check: CheckItem | undefined }[],
  hour: Span,
): Time {
  const { id } = check;
  const gaps = shown.get(id)?.gaps ?? [];
  const windows = windowsOf(seen, keys, check);
  const versions = settings.flatMap(({ check }) => check ?? []);
  const states = [...seen.table.values()]
    .filter((item): item is TransitionItem => item.sk.startsWith('TR#') && checkIdOf(item) === id)
    .sort((a, b) => (a.sk < b.sk ? -1 : 1));
  const borders = [
    ...versions.map(({ settings_at }) => settings_at),
    ...states.map(({ effective_at }) => effective_at),
    ...gaps.flatMap(({ from, to }) => [from, to]),
    ...windows.flatMap((window) => bordersOf(window, hour)),
  ].filter((at) => hour.from < at && at < hour.to);
  const all = [...new Set([hour.from, ...borders, hour.to])].sort((a, b) => a - b);
  const time = nothing(0);
  for (const [i, to] of all.slice(1).entries()) {
    const at = all[i]!;
    const kind = !versions.findLast(({ settings_at }) => settings_at <= at)?.enabled
      ? 'not_monitored'
      : windows.some((window) => hides(window, at))
        ? 'maintenance'
        : gaps.some((gap) => gap.from <= at && at < gap.to)
          ? 'gap'
          : (states.findLast(({ effective_at }) => effective_at <= at)?.check_to_state ?? 'unknown');
    time[kind] += to - at;
  }
  return time;
}

type Window = WindowItem & Partial<PastWindow>;

/** Returns the windows of a check as they are now, and deleted recurring ones, whose past remains. */
function windowsOf({ table }: Seen, keys: Keys, check: CheckItem): Window[] {
  const pk = keys.alerting(check.tenant_id);
  const entity = table.get(keyText(keys.entity(check.tenant_id, check.entity_id))) as EntityItem | undefined;
  return [...table.values()]
    .filter((item): item is Window => item.pk === pk && /^WINDOW(_PAST)?#/.test(item.sk))
    .filter(({ scope }) => isSelected(scope, check, entity));
}

/** Whether a window hides the state at a time. A recurring one does so between its creation and its deletion. */
const hides = ({ times, created_at, replaced_at = Number.POSITIVE_INFINITY }: Window, at: number): boolean =>
  ('ends_at' in times || Date.parse(created_at) <= at) && at < replaced_at && isOpen(times, at);

/** Returns the times in an hour at which a window can open or close. */
function bordersOf({ times, created_at, replaced_at = 0 }: Window, hour: Span): number[] {
  if ('ends_at' in times) return [times.starts_at, times.ends_at];
  const borders = [Date.parse(created_at), replaced_at];
  for (let minute = hour.from - 2 * MINUTE; minute < hour.to; minute += MINUTE)
    borders.push(minute, minute + times.duration_ms);
  return borders;
}

const textOf = (figures: Record<string, number>): string =>
  Object.entries(figures)
    .filter(([, value]) => value > 0)
    .map(([name, value]) => `${name} ${value}`)
    .sort()
    .join(', ');
