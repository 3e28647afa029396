import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ASSUMED, limitsOf, QUOTAS, scaleOf } from '#infra/aws/scale.ts';
import { queues } from '#infra/topology.ts';

const WORLDS = [
  [1000, 4],
  [1000, 16],
  [10_000, 4],
  [100_000, 4],
  [10_000_000, 256],
] as const;

/** What the page says to set for ten million checks a minute. */
const TEN_MILLION = { job: 1250, tick: queues.tick.concurrency };
const page = readFileSync('docs/SCALE.md', 'utf8').replaceAll(/\s+/g, ' ');

const number = (value: number) => Math.round(value).toLocaleString('en-US');

/** One digit behind the point where there is but one before it. */
const few = (value: number) => (value < 10 ? value.toFixed(1) : number(value));

const table = () =>
  WORLDS.map(([perMinute, shards]) => {
    const scale = scaleOf(perMinute, shards);
    return [
      number(perMinute),
      number(shards),
      `$${scale.dollars_a_million.toFixed(2)}`,
      `$${number(scale.dollars_a_month)}`,
      scale.jobs_a_message.toFixed(1),
      few(scale.probers),
      number(scale.table_writes),
      `${scale.tick_seconds.toFixed(1)} s`,
      few(scale.generators),
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

  it('names settings with which ten million hold, but for what AWS has to raise', () => {
    expect(page).toContain('`concurrency` of the queue `job` at 1,250');
    const limits = limitsOf(scaleOf(10_000_000, 256), TEN_MILLION);
    expect(limits.filter((one) => !one.includes('ask AWS') && !one.includes('warm throughput'))).toEqual([]);
    expect(limits).toHaveLength(3);
  });

  it('knows when ticks fall behind, and by which setting they keep up', () => {
    const scale = scaleOf(10_000_000, 256);
    expect(limitsOf(scale, { ...TEN_MILLION, tick: 4 }).join()).toContain('the queue `tick` (4 in infra/topology.ts)');
    // Of each minute, half is room: for a tick that comes late, and for readers that start one after the other.
    expect(scale.generators).toBeLessThan(TEN_MILLION.tick / 2);
    expect(scale.tick_seconds).toBeGreaterThan(1);
  });

  it('counts nobody above what an event source has in hand', () => {
    const scale = scaleOf(12_000_000, 256);
    expect(scale.probers).toBeGreaterThan(1250);
    expect(limitsOf(scale, { ...TEN_MILLION, job: 100_000 }).join()).toContain('the queue `job`');
    expect(limitsOf({ ...scale, in_flight: QUOTAS.in_flight + 1 }, TEN_MILLION).join()).toContain('in hand');
  });

  it('says what a new table bears, and how many checks that is', () => {
    const most = (QUOTAS.warm_writes / ASSUMED.writes_a_run) * 60;
    expect(page).toContain(`${number(QUOTAS.warm_writes)} write units a second`);
    expect(page).toContain(`${number(Math.floor(most / 1000) * 1000)} checks a minute`);
    expect(limitsOf(scaleOf(most + 1000, 4)).join()).toContain('warm throughput');
    expect(limitsOf(scaleOf(most - 1000, 4))).toEqual([]);
  });

  it('names the price of CloudFront apart, which requests to ApiUrl do not pay', () => {
    expect(page).toContain(`CloudFront adds $${ASSUMED.cdn_request} a million`);
    expect(readFileSync('docs/FIGURES.md', 'utf8')).toContain(`CloudFront adds $${ASSUMED.cdn_request}`);
  });

  it('keeps to the price that is promised', () => {
    expect(scaleOf(1000, 4).dollars_a_million).toBeLessThanOrEqual(1.1);
    expect(scaleOf(10_000, 4).dollars_a_million).toBeLessThanOrEqual(0.9);
  });
});
