import { statSync } from 'node:fs';
import { join } from 'node:path';
import { STORE_FILE } from '#infra/local/store/store.ts';
import { IS_PACK, IS_RESULT } from '#test/support/stored-results.ts';
import type { BareDisk } from './bare-disk.ts';
import type { Life } from './life.ts';

/** Figures that are measured at the end of each step; `start` and `start0` only if the host was restarted. */
export const FIGURES = [
  'results',
  'items',
  'messages',
  'changes',
  'db',
  'wal',
  'free',
  'p50',
  'p99',
  'bare50',
  'bare99',
  'start',
  'start0',
  'rss',
] as const;
export type Figure = (typeof FIGURES)[number];
export type Row = { at: number } & Record<Exclude<Figure, keyof Started>, number> & Partial<Started>;

/**
 * Real ms from opening the data to the first response, and from opening an empty folder: the shortest of some starts.
 */
export type Started = { start: number; start0: number };

/** Meaning and printed unit of each figure. */
export const MEANING: Record<Figure, string> = {
  results: 'rows of results (packs and single results)',
  items: 'rows in items',
  messages: 'rows in messages',
  changes: 'rows in changes',
  db: 'bytes of the database',
  wal: 'bytes of the WAL',
  free: 'bytes of free pages in the database',
  p50: 'ms, real: median write, from the call to the end of its COMMIT',
  p99: 'ms, real: the slowest of a hundred writes',
  bare50: 'ms, real: median commit of one row to a separate file at the same time: shows the load of other processes',
  bare99: 'ms, real: the slowest of a hundred such commits',
  start: 'ms, real: from opening the data to the first response',
  start0: 'ms, real: from opening an empty folder to the first response, at the same time',
  rss: 'bytes of memory of this process',
};

/** Measures the current figures, and those of the writes since the last call. */
export async function measure(life: Life, disk: BareDisk): Promise<Row> {
  const { db } = life.store();
  const one = (sql: string): number => Number(Object.values(db.prepare(sql).get()!)[0]);
  const bytes = (file: string): number => statSync(join(life.dir, file), { throwIfNoEntry: false })?.size ?? 0;
  const sorted = life.takeLatencies().sort((a, b) => a - b);
  const bare = await disk.commits();
  return {
    at: life.now(),
    results: one(`SELECT count(*) FROM items WHERE ${IS_PACK} OR (${IS_RESULT})`),
    items: one('SELECT count(*) FROM items'),
    messages: one('SELECT count(*) FROM messages'),
    changes: one('SELECT count(*) FROM changes'),
    db: bytes(STORE_FILE),
    wal: bytes(`${STORE_FILE}-wal`),
    free: one('PRAGMA freelist_count') * one('PRAGMA page_size'),
    p50: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    bare50: quantile(bare, 0.5),
    bare99: quantile(bare, 0.99),
    rss: process.memoryUsage.rss(),
  };
}

const quantile = (sorted: number[], part: number): number => sorted[Math.floor(part * sorted.length)] ?? Number.NaN;

const WIDTH = 12;
const TIMES: readonly Figure[] = ['p50', 'p99', 'bare50', 'bare99', 'start', 'start0'];

/** Formats the value of a figure. @param value undefined if it was not measured */
export function printed(figure: Figure, value: number | undefined): string {
  if (value === undefined) return '-';
  return TIMES.includes(figure) ? value.toFixed(2) : String(Math.round(value));
}

export const heading = (): string => ['at'.padEnd(16), ...FIGURES.map((name) => name.padStart(WIDTH))].join('');

export const rowText = (row: Row): string =>
  [
    new Date(row.at).toISOString().slice(0, 16),
    ...FIGURES.map((name) => printed(name, row[name]).padStart(WIDTH)),
  ].join('');

/**
 * Returns the means of the middle and the last third of the measurements; for times, of the faster half of each,
 * because other load of the machine can only make them longer.
 */
export function thirds(rows: Row[], figure: Figure): { middle: number; last: number } {
  const values = rows.flatMap((row) => row[figure] ?? []);
  const third = Math.floor(values.length / 3);
  const mean = (part: number[]) => {
    const counted = TIMES.includes(figure) ? part.sort((a, b) => a - b).slice(0, Math.ceil(part.length / 2)) : part;
    return counted.reduce((sum, value) => sum + value, 0) / counted.length;
  };
  return { middle: mean(values.slice(third, -third)), last: mean(values.slice(-third)) };
}

/** Counts items by kind of key, the most frequent first: ids and times are replaced by `*`. */
export function census(life: Life): [kind: string, count: number][] {
  const kinds = new Map<string, number>();
  const keys = life.store().db.prepare("SELECT pk || ' ' || sk AS key FROM items");
  for (const { key } of keys.iterate()) {
    const kind = String(key)
      .replace(/[a-z]+_[0-9a-z]{26}|[0-9a-f]{64}|(?<=R#\d{13}#)[\w-]{22}|(?<=#)[0-9a-z]{12}(?=[# ]|$)|\d{13}/g, '*')
      .replace(/PUSH#.*/, 'PUSH#*');
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  return [...kinds].sort(([, a], [, b]) => b - a);
}
