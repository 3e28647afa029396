import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { retryAfterMs, slowDown, takeTurn } from '#lib/alerts/pace.ts';
import { nextRepeat } from '#lib/alerts/repeat.ts';
import { type AlertWorld, alertWorld } from '#test/support/alert-world.ts';

const NOW = Date.parse('2026-11-21T05:16:40Z');

describe('what a 429 asks for', () => {
  it.each([
    ['5', 5000],
    [' 7 ', 7000],
    [undefined, 1000],
    ['', 1000],
    ['0', 1000],
    ['soon', 1000],
    ['-3', 1000],
    ['3600', 60_000],
    ['Sat, 21 Nov 2026 05:16:50 GMT', 10_000],
    ['Sat, 21 Nov 2026 05:16:30 GMT', 1000],
    ['Sun, 22 Nov 2026 05:16:30 GMT', 60_000],
  ])('is with Retry-After %j: %i ms', (header, ms) => {
    expect(retryAfterMs(header, NOW)).toBe(ms);
  });
});

describe('turns at a URL', () => {
  let world: AlertWorld;
  beforeEach(async () => {
    world = await alertWorld();
  });
  afterEach(() => world.table.store.close());
  const address = { tenant_id: 'acc_a', url: 'https://hooks.test/one' };

  it('are not taken before it asks for it', async () => {
    expect(await takeTurn(world, address, undefined)).toBeUndefined();
  });

  it('lie apart by what it asked for, whoever takes them, and each comes when its time has come', async () => {
    const first = await slowDown(world, address, 1000);
    expect(first).toBe(world.now() + 1100);
    const taken = await Promise.all(Array.from({ length: 50 }, () => takeTurn(world, address, undefined)));
    const turns = [first, ...taken.map((turn) => turn!)].sort((a, b) => a - b);
    for (const [i, turn] of turns.entries()) expect(turn).toBe(first + i * 1100);
    expect(await takeTurn(world, address, first)).toBeGreaterThan(turns.at(-1)!);
    world.pass(1100);
    expect(await takeTurn(world, address, first)).toBeUndefined();
  });

  it('are put off by another 429, also those that were taken', async () => {
    const first = await slowDown(world, address, 1000);
    const second = (await takeTurn(world, address, undefined))!;
    world.pass(1100);
    await slowDown(world, address, 30_000);
    world.pass(1100);
    expect(second).toBeLessThanOrEqual(world.now());
    expect(await takeTurn(world, address, second)).toBeGreaterThan(first + 30_000);
  });

  it('are of one tenant and one URL', async () => {
    await slowDown(world, address, 60_000);
    expect(await takeTurn(world, { ...address, url: 'https://hooks.test/two' }, undefined)).toBeUndefined();
    expect(await takeTurn(world, { ...address, tenant_id: 'acc_b' }, undefined)).toBeUndefined();
  });

  it('are over half a minute after the last', async () => {
    const only = await slowDown(world, address, 1000);
    world.pass(only - world.now() + 1100 + 30_001);
    expect(await takeTurn(world, address, undefined)).toBeUndefined();
  });
});

it('the next repeat is the first whole interval since the transition that lies ahead', () => {
  const instant = fc.integer({ min: 0, max: 10_000_000 });
  fc.assert(
    fc.property(instant, fc.integer({ min: 1000, max: 1_000_000 }), instant, (since, interval, later) => {
      const now = since + later;
      const next = nextRepeat(since, interval, now);
      expect((next - since) % interval).toBe(0);
      expect(next).toBeGreaterThan(now);
      expect(next - interval).toBeLessThanOrEqual(now);
    }),
  );
});
