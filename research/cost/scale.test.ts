import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { idleDollars, watchDollars } from '#infra/aws/fixed-costs.ts';
import { ASSUMED, scaleOf } from '#infra/aws/scale.ts';
import { allIn, fixedOf, outDollars, slowestOf } from './bill.ts';
import { limitsOf, QUOTAS } from './reached-limits.ts';

/** Checks per minute, SHARDS, accounts. */
const WORLDS = [
  [1000, 4, 1],
  [1000, 4, 100],
  [10_000, 4, 1],
  [10_000, 4, 1000],
  [100_000, 4, 1],
  [1_000_000, 4, 1],
  [10_000_000, 4, 1],
  [10_000_000, 16, 1],
  [10_000_000, 32, 1_000_000],
] as const;

const page = readFileSync('docs/operate/scale.md', 'utf8').replaceAll(/\s+/g, ' ');

const number = (value: number) => Math.round(value).toLocaleString('en-US');

/** Formats a number, with one decimal digit if it is below 10. */
const few = (value: number) => (value < 10 ? value.toFixed(1) : number(value));

const table = () =>
  WORLDS.map(([perMinute, shards, accounts]) => {
    const scale = scaleOf(perMinute, shards, accounts);
    return [
      number(perMinute),
      number(shards),
      number(accounts),
      `$${scale.dollars_a_million.toFixed(2)}`,
      `$${number(scale.dollars_a_month)}`,
      number(scale.entries),
      number(scale.probes_a_message),
      few(scale.probers),
      number(scale.table_writes),
      number(scale.table_reads),
      `${scale.tick_seconds.toFixed(1)} s`,
      few(scale.generators),
      limitsOf(scale).join('; ') || 'none',
    ];
  });

describe('docs/operate/scale.md', () => {
  it('shows the computed table', () => {
    const page = readFileSync('docs/operate/scale.md', 'utf8');
    const rows = [...page.matchAll(/^\| ([\d,]+) \|(.*)\|$/gm)].map(([line]) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
    expect(rows).toEqual(table());
  });

  it('computes only AWS limits for ten million checks a minute with SHARDS=16', () => {
    const limits = limitsOf(scaleOf(10_000_000, 16));
    expect(limits.filter((one) => !/ask AWS|warm throughput/.test(one))).toEqual([]);
    expect(limits).toHaveLength(2);
    expect(limitsOf(scaleOf(10_000_000, 4)).join()).toContain('(SHARDS)');
  });

  it('reports exceeded limits of an event source', () => {
    const scale = scaleOf(12_000_000, 16);
    expect(scale.probers).toBeGreaterThan(1250);
    expect(limitsOf(scale).join()).toContain('the concurrent batches of an event source');
    expect(limitsOf({ ...scale, in_flight: QUOTAS.in_flight + 1 }).join()).toContain('in flight (120000)');
  });

  it('reports too many reads of the item of one account', () => {
    expect(limitsOf(scaleOf(17_000_000, 16)).join()).toContain('item of an account');
    expect(limitsOf(scaleOf(17_000_000, 16, 10)).join()).not.toContain('item of an account');
  });

  it('reports too little memory of a generator', () => {
    expect(limitsOf(scaleOf(1_800_000, 4))).toEqual([]);
    expect(limitsOf(scaleOf(1_900_000, 4)).join()).toContain('memory of a generator');
    expect(limitsOf(scaleOf(1_900_000, 8))).toEqual([]);
  });

  it('shows the complete bills', () => {
    const rows = [0.1, 0.3].flatMap((seconds) =>
      [1000, 10_000, 100_000, 1_000_000].map((perMinute) => {
        const { runs, ...others } = allIn(perMinute, 4, seconds);
        const sum = Object.values(others).reduce((all, one) => all + one, runs);
        const cells = [sum, runs, ...Object.values(others)].map((dollars) => `$${few(dollars)}`);
        return `| ${number(perMinute)} checks, ${seconds} s | ${cells.join(' | ')} |`;
      }),
    );
    for (const row of rows) expect(page).toContain(row);
  });

  it('prices outbound data in tiers', () => {
    expect(outDollars(1000)).toBeCloseTo(90);
    expect(outDollars(51_200)).toBeCloseTo(10_240 * 0.09 + 40_960 * 0.085);
    expect(outDollars(200_000)).toBeCloseTo(10_240 * 0.09 + 40_960 * 0.085 + 102_400 * 0.07 + 46_400 * 0.05);
  });

  it('shows the price of the stack without checks', () => {
    const fixed = fixedOf();
    const { alarms, metric, secrets, pollers } = fixed;
    const pageOf = (name: string) => readFileSync(`docs/operate/${name}.md`, 'utf8').replaceAll(/\s+/g, ' ');
    const [idle, all] = [idleDollars(fixed), idleDollars(fixed) + watchDollars(fixed)].map((one) => one.toFixed(2));
    expect(page).toContain(`An idle stack costs $${idle} a month for ${pollers.count} pollers and the schedule`);
    const watched = `$${alarms.dollars.toFixed(2)} for ${alarms.count} alarms`;
    const rest = `$${metric.dollars.toFixed(2)} for a metric and $${secrets.dollars.toFixed(2)} for a secret`;
    expect(page).toContain(`${watched}, ${rest}: $${all}`);
    expect(pageOf('aws-deploy')).toContain(`An idle stack costs $${all} a month: $${idle} for queue polling`);
    expect(pageOf('aws-monitor')).toContain(`${alarms.count} alarms ($${alarms.dollars.toFixed(2)} a month)`);
    const bounded = fixedOf({ CONCURRENCY: '100' }).pollers.bounded_dollars;
    expect(pageOf('aws-deploy')).toContain(`That costs $${bounded.toFixed(2)} a month`);
  });

  it('computes a higher latency for the slowest of many targets', () => {
    expect(slowestOf(1)).toBeCloseTo(0.1, 2);
    expect(slowestOf(17)).toBeGreaterThan(0.4);
    expect(slowestOf(50)).toBeGreaterThan(slowestOf(17));
  });

  it('shows the capacity of a new table in units and in checks', () => {
    const { table_writes, table_reads } = scaleOf(60, 16);
    const capacity = Math.min(QUOTAS.warm_writes / table_writes, QUOTAS.warm_reads / table_reads) * 60;
    expect(page).toContain(`${number(QUOTAS.warm_writes)} write and ${number(QUOTAS.warm_reads)} read units a second`);
    expect(page).toContain(`${(Math.floor(capacity / 100_000) / 10).toFixed(1)} million checks a minute`);
    expect(limitsOf(scaleOf(capacity + 1000, 16)).join()).toContain('warm throughput');
    expect(limitsOf(scaleOf(capacity - 1000, 16)).join()).not.toContain('warm throughput');
  });

  it('shows the separate price of CloudFront', () => {
    expect(page).toContain(`CloudFront adds $${ASSUMED.cdn_request} a million`);
  });

  it('does not exceed the documented price', () => {
    expect(scaleOf(1000, 4).dollars_a_million).toBeLessThanOrEqual(0.16);
    expect(scaleOf(10_000, 4).dollars_a_million).toBeLessThanOrEqual(0.16);
  });
});
