import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkIdOf, keyTable, stamp } from '#lib/keys.ts';
import type { Key } from '#lib/platform/ports.ts';

const page = readFileSync(new URL('../../docs/develop/keys.md', import.meta.url), 'utf8');

/** Returns a regular expression for a table cell, such as `T#<tenant>#KEYS`. Only fixed names contain `!`. */
const pattern = (cell: string) =>
  new RegExp(
    `^${cell
      .replaceAll('`', '')
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(/<[^>]+>/g, '[^#!]+')}$`,
  );

/** Rows of the table of items. */
const rows: { item: string; pk: string; sk: string }[] = [];
for (const line of page.slice(page.indexOf('## Items'), page.indexOf('## Rules')).split('\n')) {
  const [, item = '', pk = '', sk = ''] = line.split('|').map((cell) => cell.trim());
  if (item === '' || item === 'item' || item.startsWith('-')) continue;
  rows.push({ item, pk: pk === 'same' ? rows.at(-1)!.pk : pk, sk });
}

const isKey = (value: unknown): value is Key => typeof value === 'object' && value !== null && 'sk' in value;

/** Arguments for the rollups of an hour and of a day. */
const ROLLUP_ARGUMENTS = [
  ['a1', 'b2', 'hour', '3'],
  ['a1', 'b2', 'day', '3'],
];

/** Arguments of the builders that accept only certain texts. */
const ARGUMENTS: Record<string, string[][]> = {
  check: [['a1', checkIdOf(0, 'c'.repeat(12), 1)]],
  rollup: ROLLUP_ARGUMENTS,
  latencies: ROLLUP_ARGUMENTS,
};

/** Keys that each builder returns for its ARGUMENTS, or else for four texts, with the name of the builder. */
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
  it.each(keys)('has one row for the keys of $builder', ({ key }) => {
    expect(rows.filter((row) => fits(row, key))).toHaveLength(1);
  });

  it.each(rows)('has a builder for its row: $item', (row) => {
    expect(keys.filter(({ key }) => fits(row, key))).toHaveLength(1);
  });

  it('sorts times like numbers', () => {
    expect(stamp(999) < stamp(1000)).toBe(true);
  });
});
