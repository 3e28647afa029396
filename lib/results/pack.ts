import type { ErrorKind } from '#lib/checks/types/registry.ts';
import type { Item } from '#lib/platform/ports.ts';

/**
 * Quiet results of a slot of a cell, about 11 bytes each. `runs` has a word per check, sorted by number: `12,4,84` is
 * check 12, begun 4 ms after the slot, latency 84 ms. Deviations follow: `,s503` other than `status`, `,e0` failure
 * (index in `errors`), `,w0` warning (in `warnings`), `,r3` revision if not 1. `12,gnetwork` is a gap and its cause.
 */
export type PackItem = Item & { status: number; runs: string; errors?: PackedError[]; warnings?: string[] };

type PackedError = { kind: ErrorKind | null; message: string };

/** Quiet result of a check, by its number; `begin` in ms after the slot. */
export type PackedResult = {
  number: number;
  begin: number;
  latency_ms: number;
  status_code: number;
  rev: number;
  success: boolean;
  error?: PackedError;
  warning_message?: string;
  gap?: never;
};

/** Stored cause of a slot without a result: the service's network, an internal error, or the account's CPU budget. */
export type StoredGapCause = 'network' | 'error' | 'cpu_budget';
export type PackedGap = { number: number; gap: StoredGapCause };

export type PackedEntry = PackedResult | PackedGap;

export function packOf(entries: readonly PackedEntry[]): Omit<PackItem, keyof Item> {
  const status = mostFrequent(entries.flatMap((entry) => (entry.gap ? [] : [entry.status_code])));
  const errors: PackedError[] = [];
  const warnings: string[] = [];
  const words = [...entries]
    .sort((a, b) => a.number - b.number)
    .map((entry) => (entry.gap ? `${entry.number},g${entry.gap}` : wordOf(entry, status, errors, warnings)));
  return {
    status,
    runs: words.join(' '),
    ...(errors.length > 0 && { errors }),
    ...(warnings.length > 0 && { warnings }),
  };
}

function wordOf(
  { number, begin, latency_ms, status_code, rev, error, warning_message }: PackedResult,
  status: number,
  errors: PackedError[],
  warnings: string[],
) {
  let word = `${number},${begin},${latency_ms}`;
  if (status_code !== status) word += `,s${status_code}`;
  if (error) word += `,e${findOrAppend(errors, error, isSameError)}`;
  if (warning_message) word += `,w${findOrAppend(warnings, warning_message, Object.is)}`;
  return rev === 1 ? word : `${word},r${rev}`;
}

const isSameError = (a: PackedError, b: PackedError): boolean => a.kind === b.kind && a.message === b.message;

function findOrAppend<T>(known: T[], one: T, isSame: (a: T, b: T) => boolean): number {
  const at = known.findIndex((other) => isSame(other, one));
  return at >= 0 ? at : known.push(one) - 1;
}

function mostFrequent(numbers: number[]): number {
  const counts = new Map<number, number>();
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
}

/** Returns the entry of a check in a pack; undefined if the pack has none. */
export function entryOf(pack: PackItem, number: number): PackedEntry | undefined {
  const { runs } = pack;
  const name = `${number},`;
  const from = runs.startsWith(name) ? 0 : runs.indexOf(` ${name}`) + 1;
  if (from === 0 && !runs.startsWith(name)) return undefined;
  const end = runs.indexOf(' ', from);
  return entryFrom(pack, number, runs.slice(from + name.length, end < 0 ? undefined : end));
}

function entryFrom({ status, errors = [], warnings = [] }: PackItem, number: number, text: string): PackedEntry {
  if (text.startsWith('g')) return { number, gap: text.slice(1) as StoredGapCause };
  const [begin, latency, ...more] = text.split(',');
  const run: PackedResult = {
    number,
    begin: Number(begin),
    latency_ms: Number(latency),
    status_code: status,
    rev: 1,
    success: true,
  };
  for (const part of more) {
    const value = Number(part.slice(1));
    if (part.startsWith('s')) run.status_code = value;
    else if (part.startsWith('r')) run.rev = value;
    else if (part.startsWith('w')) run.warning_message = warnings[value]!;
    else Object.assign(run, { success: false, error: errors[value] });
  }
  return run;
}

/** Time (ms) for which a quiet result waits for others of its slot, to be written with them (slots/record-probe.ts). */
export const PACK_MS = 2_000;
