import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { limitsOf, scaleOf } from '#infra/aws/scale.ts';

const WORLDS = [
  [1000, 4],
  [1000, 16],
  [10_000, 4],
  [100_000, 4],
  [10_000_000, 256],
] as const;

const number = (value: number) => Math.round(value).toLocaleString('en-US');

const table = () =>
  WORLDS.map(([perMinute, shards]) => {
    const scale = scaleOf(perMinute, shards);
    return [
      number(perMinute),
      number(shards),
      `$${scale.dollars_a_million.toFixed(2)}`,
      `$${number(scale.dollars_a_month)}`,
      scale.jobs_a_message.toFixed(1),
      scale.probers < 10 ? scale.probers.toFixed(1) : number(scale.probers),
      number(scale.table_writes),
      `${scale.tick_seconds.toFixed(1)} s`,
      limitsOf(scale).join('; ') || 'none',
    ];
  });

describe('docs/SCALE.md', () => {
  it('shows what the arithmetic gives', () => {
    const page = readFileSync('docs/SCALE.md', 'utf8');
    const rows = [...page.matchAll(/^\| ([\d,]+) \|(.*)\|$/gm)].map(([line]) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
    expect(rows).toEqual(table());
  });

  it('keeps to the price that is promised', () => {
    expect(scaleOf(1000, 4).dollars_a_million).toBeLessThanOrEqual(1.1);
    expect(scaleOf(10_000, 4).dollars_a_million).toBeLessThanOrEqual(0.9);
  });
});
