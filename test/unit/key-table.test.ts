import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkIdOf, keyTable, stamp } from '#lib/keys.ts';
import type { Key } from '#lib/platform/ports.ts';

const page = readFileSync(new URL('../../docs/develop/keys.md', import.meta.url), 'utf8');

/** `T#<tenant>#KEYS` as an expression that its keys match; an exclamation mark is in fixed names alone. */
const pattern = (cell: string) =>
  new RegExp(
    `^${cell
      .replaceAll('`', '')
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(/<[^>]+>/g, '[^#!]+')}$`,
  );

/** The rows of the page's first table. */
const rows: { item: string; pk: string; sk: string }[] = [];
for (const line of page.slice(page.indexOf('## Items'), page.indexOf('## Rules')).split('\n')) {
  const [, item = '', pk = '', sk = ''] = line.split('|').map((cell) => cell.trim());
  if (item === '' || item === 'item' || item.startsWith('-')) continue;
  rows.push({ item, pk: pk === 'same' ? rows.at(-1)!.pk : pk, sk });
}

const isKey = (value: unknown): value is Key => typeof value === 'object' && value !== null && 'sk' in value;

/** Rollups of an hour and of a day. */
const OF_A_SPAN = [
  ['a1', 'b2', 'hour', '3'],
  ['a1', 'b2', 'day', '3'],
];

/** Those that do not take any text. */
const ARGUMENTS: Record<string, string[][]> = {
  check: [['a1', checkIdOf(0, 'c'.repeat(12), 1)]],
  rollup: OF_A_SPAN,
  latencies: OF_A_SPAN,
};

/** A key of every kind, by the name of its builder, each made of the same arguments. */
const keys = Object.entries(keyTable({ BUCKETS: 4, SHARDS: 4 })).flatMap(([builder, value]) => {
  const build = value as unknown as (...args: string[]) => unknown;
  const made = (ARGUMENTS[builder] ?? [['a1', 'b2', 'c3', 'd4']]).map((args) =>
    typeof value === 'function' ? build(...args) : value,
  );
  return made.filter(isKey).map((key) => ({ builder, key }));
});

const fits = ({ pk, sk }: (typeof rows)[number], key: Key): boolean =>
  pattern(pk).test(key.pk) && pattern(sk).test(key.sk);

describe('the key table', () => {
  it.each(keys)('has one row for what $builder makes', ({ key }) => {
    expect(rows.filter((row) => fits(row, key))).toHaveLength(1);
  });

  it.each(rows)('has a builder for its row: $item', (row) => {
    expect(keys.filter(({ key }) => fits(row, key))).toHaveLength(1);
  });

  it('sorts times like numbers', () => {
    expect(stamp(999) < stamp(1000)).toBe(true);
  });
});
