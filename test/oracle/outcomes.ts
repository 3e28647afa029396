import type { CheckItem } from '#lib/checks/check-item.ts';
import { cellOf, numberOf } from '#lib/keys.ts';
import type { Item } from '#lib/platform/ports.ts';
import type { PackItem, StoredGapCause } from '#lib/results/pack.ts';
import type { ResultItem } from '#lib/results/result.ts';
import { entriesOf } from '#test/support/pack-entries.ts';
import { type Commit, changesIn, checkIdOf, isCheckKey, type Seen, type Settings, settingsIn } from './inside.ts';
import { targetOf } from './rules.ts';
import { type Said, saidBy } from './state-counters.ts';

/** Which slot a pack is of, as its key says it. */
export type PackKey = { cell: string; interval_seconds: number; slot: number; part: number };

/** Undefined: the key of something else. */
export function packKeyOf({ pk, sk }: Pick<Item, 'pk' | 'sk'>): PackKey | undefined {
  const [, , packs, cell, interval] = pk.split('#');
  if (packs !== 'PACKS') return undefined;
  const [slot, part] = sk.split('#');
  return { cell: cell!, interval_seconds: Number(interval), slot: Number(slot), part: Number(part) };
}

/**
 * What was stored of a check's probe: a run, as a single result or in a pack, or why there was none. `at` is what it is
 * ordered by (epoch ms); `check` as it stood with the revision of its settings that the run had.
 */
export type Stored = { commit: Commit; check: CheckItem; at: number; key: Pick<Item, 'pk' | 'sk'> };
export type StoredRun = Stored & {
  /** Written as a result of its own. */
  single: boolean;
  rev: number;
  /** When the probe began, as its process noted it (epoch ms). */
  begun: number;
  success: boolean;
  said: Said;
  error_kind: string | null;
  /** It is no slot's: somebody asked for it, or its check was undecided. */
  beside?: 'manual' | 'retry' | undefined;
  /** Kept only: the settings had changed meanwhile. */
  history: boolean;
};
type StoredGap = Stored & { gap: StoredGapCause };

/** Each run of a probe, in the order of storing. */
export function* probeResults(seen: Seen): Generator<StoredRun> {
  for (const one of storedIn(seen)) if (!('gap' in one)) yield one;
}

/** Each slot that was noted as a gap, in the order of storing. */
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
        if (entry.gap) yield { commit, key, check: checks.get(of)!, at, gap: entry.gap };
        else {
          const { rev, success, begin, error } = entry;
          const check = checks.get(`${of} ${rev}`) ?? checks.get(of)!;
          const run = { rev, success, said: saidBy(entry), begun: at + begin, error_kind: error?.kind ?? null };
          yield { commit, key, check, at, single: false, history: false, ...run };
        }
      }
    } else if (key.sk.startsWith('R#') && checks.get(id)?.execution_mode === 'pull') {
      const { success, error_kind, checked_at, kind: beside, history = false } = after as ResultItem;
      const said = saidBy(after as ResultItem);
      const run = { rev: Number(key.sk.split('#')[2]), success, said, error_kind, history };
      const at = Number(key.sk.split('#')[1]);
      const old = beside === 'manual' && history ? changedSince(seen, settings.get(id)!, commit) : undefined;
      const check = old ?? checks.get(`${id} ${run.rev}`) ?? checks.get(id)!;
      yield { commit, key, check, at, single: true, beside, begun: Date.parse(checked_at), ...run };
    }
  }
}

/**
 * The settings of a run by hand, whose key does not name them, where they had changed by the time it was stored: of
 * those that were changed since it began, the ones whose target it asked.
 */
function changedSince({ runs, probes }: Seen, settings: Settings[], { run = 0, at }: Commit): CheckItem | undefined {
  const began = runs.get(run)?.began_at ?? at;
  const asked = new Set(probes.filter((probe) => probe.run === run).map(({ host }) => host));
  const stood = settings.flatMap(({ to, check }) => (check && to >= began && to <= at ? [check] : []));
  return stood.find((check) => asked.has(targetOf(check))) ?? stood[0];
}
