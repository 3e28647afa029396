import { cellOf, numberOf, RESULTS, stamp } from '#lib/keys.ts';
import type { PackItem, StoredGapCause } from '#lib/results/pack.ts';
import { orderOf, type ResultItem } from '#lib/results/result.ts';
import { resultRecord } from '#lib/results/result-record.ts';
import { entriesOf } from '#test/support/pack-entries.ts';
import { checkIdOf, type Seen, settingsIn } from './inside.ts';
import { packKeyOf } from './outcomes.ts';
import { outcomeOf } from './state-counters.ts';

/**
 * A result as a reader gets it. `at`: its time (epoch ms). `interval_seconds`: set for a result in a pack, the interval
 * of the job that wrote it. `unscheduled`: it does not belong to a slot.
 */
type RecordedRun = {
  id: string;
  at: number;
  success: boolean;
  warns: boolean;
  interval_seconds?: number;
  unscheduled?: true;
};
type RecordedGap = { at: number; interval_seconds: number; cause: StoredGapCause };
export type RecordedHistory = { runs: RecordedRun[]; gaps: RecordedGap[] };

/**
 * Returns the results and gaps of the probes of each check, by its id, including deleted checks. Implements the read
 * rules independently: a single result counts, else the first pack with a result, else a recorded gap; packs count
 * while the check was enabled with their interval.
 */
export function recordedIn(seen: Seen): Map<string, RecordedHistory> {
  const recorded = new Map<string, RecordedHistory>();
  const ids = new Map<string, string>();
  const settings = settingsIn(seen);
  for (const id of settings.keys()) {
    ids.set(`${cellOf(id)} ${numberOf(id)}`, id);
    recorded.set(id, { runs: [], gaps: [] });
  }
  /**
   * Whether a check was enabled with an interval at a time. A change applies from its recorded time, although probes in
   * progress still used the old settings.
   */
  const isInForce = (id: string, at: number, interval_seconds: number): boolean => {
    const versions = settings.get(id)!.flatMap(({ check }) => check ?? []);
    const version = versions.findLast(({ settings_at }) => settings_at <= at) ?? versions[0]!;
    return version.enabled && version.interval_seconds === interval_seconds;
  };
  const known = new Set<string>();
  for (const item of seen.table.values()) {
    const id = checkIdOf(item);
    if (!item.sk.startsWith(RESULTS)) continue;
    const result = item as ResultItem;
    known.add(`${id} ${orderOf(result)}`);
    const { success } = result;
    const warns = outcomeOf(result) === 'warn';
    const run = { id: resultRecord(id, result).id, at: orderOf(result), success, warns };
    recorded.get(id)?.runs.push({ ...run, ...(result.kind && { unscheduled: true }) });
  }
  const gaps: [of: string, id: string, gap: RecordedGap][] = [];
  for (const { cell, interval_seconds, slot: at, item } of packsIn(seen)) {
    for (const { number, ...entry } of entriesOf(item)) {
      const id = ids.get(`${cell} ${number}`);
      if (id === undefined || !isInForce(id, at, interval_seconds)) continue;
      const of = `${id} ${at}`;
      if (entry.gap) gaps.push([of, id, { at, interval_seconds, cause: entry.gap }]);
      else if (!known.has(of)) {
        known.add(of);
        const warns = outcomeOf(entry) === 'warn';
        const own = { id: idOf(item, id, at, entry.rev), at, success: entry.success, warns };
        recorded.get(id)!.runs.push({ ...own, interval_seconds });
      }
    }
  }
  for (const [of, id, gap] of gaps) if (!known.has(of)) recorded.get(id)!.gaps.push(gap);
  return recorded;
}

/** Returns all packs, the first part of a slot first. */
const packsIn = (seen: Seen) =>
  [...seen.table.values()]
    .flatMap((item) => {
      const pack = packKeyOf(item);
      return pack ? [{ ...pack, item: item as PackItem }] : [];
    })
    .sort((a, b) => a.part - b.part);

/** Returns the id of a result, which is independent of its storage. */
function idOf({ pk }: PackItem, check: string, at: number, rev: number): string {
  const under = { pk: `T#${pk.split('#')[1]}#CHECK#${check}`, sk: `${RESULTS}${stamp(at)}#${rev}`, error_message: '' };
  return resultRecord(check, under as ResultItem).id;
}
