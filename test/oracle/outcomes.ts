import type { CheckItem } from '#lib/checks/check-item.ts';
import { cellOf, numberOf } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { PackItem, StoredGapCause } from '#lib/results/pack.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { entriesOf } from '#test/support/pack-entries.ts';
import { type Commit, changesIn, checkIdOf, isCheckKey, type Seen, type Settings, settingsIn } from './inside.ts';
import { targetOf } from './rules.ts';
import { type Outcome, outcomeOf } from './state-counters.ts';

/** The slot of a pack, from its key. */
export type PackKey = { cell: string; interval_seconds: number; slot: number; part: number };

/** Returns the slot of a pack from its key; undefined for a key of another kind. */
export function packKeyOf({ pk, sk }: Pick<Item, 'pk' | 'sk'>): PackKey | undefined {
  const [, , packs, cell, interval] = pk.split('#');
  if (packs !== 'PACKS') return undefined;
  const [slot, part] = sk.split('#');
  return { cell: cell!, interval_seconds: Number(interval), slot: Number(slot), part: Number(part) };
}

/**
 * A stored outcome of a check's probe: a result, single or in a pack, or a gap. `at` orders the outcomes of a check
 * (epoch ms); `check` has the settings that the probe used.
 */
export type Stored = { commit: Commit; check: CheckItem; at: number; key: Pick<Item, 'pk' | 'sk'> };
export type StoredRun = Stored & {
  /** Whether it is a single result, not in a pack. */
  single: boolean;
  rev: number;
  /** Start of the probe by the clock of its process (epoch ms). */
  begun: number;
  success: boolean;
  outcome: Outcome;
  error_kind: string | null;
  /** Set if it does not belong to a slot: a manual run, or a retry of an unconfirmed check. */
  unscheduled?: 'manual' | 'retry' | undefined;
  /** Whether it does not count because the settings had changed. */
  record_only: boolean;
};
type StoredGap = Stored & { gap: StoredGapCause };

/** Yields each probe result, in the order of storing. */
export function* probeResults(seen: Seen): Generator<StoredRun> {
  for (const one of storedIn(seen)) if (!('gap' in one)) yield one;
}

/** Yields each slot that was recorded as a gap, in the order of storing. */
export function* notedGaps(seen: Seen): Generator<StoredGap> {
  for (const one of storedIn(seen)) if ('gap' in one) yield one;
}

function* storedIn(seen: Seen): Generator<StoredRun | StoredGap> {
  const settings = settingsIn(seen);
  const checks = new Map<string, CheckItem>();
  const numbers = new Map<string, string>();
  for (const { key, after, commit } of changesIn(seen)) {
    if (!after) continue;
    const id = checkIdOf(key);
    if (isCheckKey(key)) {
      const check = after as CheckItem;
      checks.set(id, check);
      checks.set(`${id} ${check.rev}`, check);
      numbers.set(`${cellOf(id)} ${numberOf(id)}`, id);
      continue;
    }
    const pack = packKeyOf(key);
    if (pack) {
      for (const entry of entriesOf(after as PackItem)) {
        const of = numbers.get(`${pack.cell} ${entry.number}`);
        if (of === undefined) continue;
        const { slot: at } = pack;
        if (entry.gap) {
          const check = probedSettings(seen, changedSince(seen, settings.get(of)!, commit), commit) ?? checks.get(of)!;
          yield { commit, key, check, at, gap: entry.gap };
        } else {
          const { rev, success, begin, error } = entry;
          const check = checks.get(`${of} ${rev}`) ?? checks.get(of)!;
          const run = { rev, success, outcome: outcomeOf(entry), begun: at + begin, error_kind: error?.kind ?? null };
          yield { commit, key, check, at, single: false, record_only: false, ...run };
        }
      }
    } else if (key.sk.startsWith('R#') && checks.get(id)?.execution_mode === 'pull') {
      const { success, error_kind, checked_at, kind: unscheduled, record_only = false } = after as ResultItem;
      const outcome = outcomeOf(after as ResultItem);
      const run = { rev: Number(key.sk.split('#')[2]), success, outcome, error_kind, record_only };
      const at = Number(key.sk.split('#')[1]);
      const versions = unscheduled === 'manual' && record_only ? changedSince(seen, settings.get(id)!, commit) : [];
      const check =
        probedSettings(seen, versions, commit) ?? versions[0] ?? checks.get(`${id} ${run.rev}`) ?? checks.get(id)!;
      yield { commit, key, check, at, single: true, unscheduled, begun: Date.parse(checked_at), ...run };
    }
  }
}

/** Returns the settings of a check that were replaced between the start of a function run and its commit. */
function changedSince({ runs }: Seen, settings: Settings[], { run = 0, at }: Commit): CheckItem[] {
  const began = runs.get(run)?.began_at ?? at;
  return settings.flatMap(({ to, check }) => (check && to >= began && to <= at ? [check] : []));
}

/**
 * Returns the version of the settings whose target the function run of a commit probed. The key of a gap or a
 * manual run does not name the version.
 */
function probedSettings({ probes }: Seen, versions: CheckItem[], { run = 0 }: Commit): CheckItem | undefined {
  const probed = new Set(probes.filter((probe) => probe.run === run).map(({ host }) => host));
  return versions.find((check) => probed.has(targetOf(check)));
}
