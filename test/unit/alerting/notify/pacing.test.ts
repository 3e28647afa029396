import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  paceAfterRateLimit,
  paceAfterSuccess,
  paceAfterTimeout,
  reserveSendTime,
  retryAfterMs,
} from '#lib/alerting/notify/pacing.ts';
import type { Item } from '#lib/platform/ports.ts';
import { type AlertWorld, alertWorld } from '#test/support/alert-world.ts';
import { limitedReceiver } from '#test/support/limited-receiver.ts';

const GAP = 1100;
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
  /** Its 429 with such a Retry-After, ms, to a request of that time. */
  const refused = (ms: number, sent_at = world.now()) => paceAfterRateLimit(world, address, ms, sent_at);
  /** The turn that a delivery has to wait for now; undefined when it may go. */
  const turnAt = async (turn?: number, at = address) => (await reserveSendTime(world, at, turn)).wait?.at;
  /** Between two turns that are taken now, ms. */
  const gap = async () => {
    const [one, two] = [await turnAt(), await turnAt()];
    return two! - one!;
  };

  it('are not taken before it asks for it', async () => {
    expect(await turnAt()).toBeUndefined();
  });

  it('lie a second apart after what it asked for, whoever takes them, and each comes when its time has come', async () => {
    const first = await refused(30_000);
    expect(first).toBe(world.now() + 33_000);
    const taken = await Promise.all(Array.from({ length: 50 }, () => turnAt()));
    const turns = [first, ...taken.map((turn) => turn!)].sort((a, b) => a - b);
    for (const [i, turn] of turns.entries()) expect(turn).toBe(first + i * GAP);
    expect(await turnAt(first)).toBeGreaterThan(turns.at(-1)!);
    world.pass(33_000);
    expect(await turnAt(first)).toBeUndefined();
  });

  it('are each written as a new version, with a new time to expire', async () => {
    const key = world.keys.pace(address.tenant_id, createHash('sha256').update(address.url).digest('hex').slice(0, 32));
    await refused(1000);
    const before = await world.table.get<Item & { v: string; expires_at: number }>(key);
    for (let i = 0; i < 5; i++) await turnAt();
    const after = await world.table.get<Item & { v: string; expires_at: number }>(key);
    expect(after!.v).not.toBe(before!.v);
    expect(after!.expires_at).toBeGreaterThan(before!.expires_at);
  });

  it('are put off by another 429, also those that were taken', async () => {
    const first = await refused(1000);
    const second = (await turnAt())!;
    world.pass(GAP);
    await refused(30_000);
    world.pass(GAP);
    expect(second).toBeLessThanOrEqual(world.now());
    expect(await turnAt(second)).toBeGreaterThan(first + 30_000);
  });

  it('lie no farther apart for many refusals of one burst, or when it is still not ready after its pause', async () => {
    const sent_at = world.now();
    await refused(30_000);
    world.pass(500);
    for (let i = 0; i < 20; i++) await refused(30_000, sent_at);
    for (let i = 0; i < 5; i++) {
      world.pass(33_000);
      await refused(30_000);
    }
    expect(await gap()).toBe(GAP);
  });

  it('lie twice as far apart, up to what it asks for, each time that it refuses in spite of them', async () => {
    await refused(5000);
    const gaps: number[] = [];
    for (let i = 0; i < 4; i++) {
      world.pass(5500 + (gaps.at(-1) ?? GAP));
      await refused(5000);
      gaps.push(await gap());
    }
    expect(gaps).toEqual([2200, 4400, 5500, 5500]);
    world.pass(11_000);
    await refused(1000);
    expect(await gap()).toBe(5500);
  });

  it('come closer again once ten of them went well', async () => {
    await refused(5000);
    world.pass(5500 + GAP);
    await refused(5000);
    world.pass(5500 + 9 * 2200);
    await turnAt();
    expect(await gap()).toBe(2200);
    world.pass(2200);
    await turnAt();
    expect(await gap()).toBe(GAP);
  });

  it('are of one tenant and one URL', async () => {
    await refused(60_000);
    expect(await turnAt(undefined, { ...address, url: 'https://hooks.test/two' })).toBeUndefined();
    expect(await turnAt(undefined, { ...address, tenant_id: 'acc_b' })).toBeUndefined();
  });

  it('are over half a minute after the last', async () => {
    const only = await refused(1000);
    world.pass(only - world.now() + GAP + 30_001);
    expect(await turnAt()).toBeUndefined();
    expect(await refused(1000)).toBe(world.now() + GAP);
  });

  it('are taken after a time-out as after a 429, and its deliveries under way side by side count once', async () => {
    const sent_at = world.now();
    world.pass(10_000);
    for (let i = 0; i < 5; i++) await paceAfterTimeout(world, address, sent_at);
    expect(await reserveSendTime(world, address, undefined)).toMatchObject({
      wait: { at: world.now() + GAP, is_open: false, why: expect.stringContaining('did not answer in time') },
    });
    expect(await gap()).toBe(GAP);
  });

  describe('of a receiver that timed out three times in a row', () => {
    beforeEach(async () => {
      for (let i = 0; i < 3; i++) {
        const sent_at = world.now();
        world.pass(10_000);
        await paceAfterTimeout(world, address, sent_at);
      }
    });

    it('are given to nobody for 5 s, and then to one delivery at a time', async () => {
      const open = await reserveSendTime(world, address, undefined);
      expect(open.wait).toMatchObject({ at: world.now() + 5000, is_open: true });
      expect(open.wait?.why).toContain('did not answer several times in a row');
      world.pass(5000);
      const tries = await Promise.all(Array.from({ length: 20 }, () => reserveSendTime(world, address, undefined)));
      expect(tries.filter(({ wait }) => !wait)).toEqual([{ after_timeouts: true }]);
      expect(tries.filter(({ wait }) => wait?.is_open)).toHaveLength(19);
    });

    it('come later after each time-out, at most a minute later', async () => {
      const pauses: number[] = [];
      for (let i = 0; i < 6; i++) {
        const { wait } = await reserveSendTime(world, address, undefined);
        pauses.push((wait!.at - world.now()) / 1000);
        world.pass(wait!.at - world.now());
        expect((await reserveSendTime(world, address, undefined)).wait).toBeUndefined();
        const sent_at = world.now();
        world.pass(10_000);
        await paceAfterTimeout(world, address, sent_at);
      }
      expect(pauses).toEqual([5, 10, 20, 40, 60, 60]);
    });

    it('lie a second apart again as soon as it answers', async () => {
      world.pass(5000);
      expect(await reserveSendTime(world, address, undefined)).toEqual({ after_timeouts: true });
      await paceAfterSuccess(world, address);
      expect(await turnAt()).toBe(world.now());
      expect(await turnAt()).toBe(world.now() + GAP);
    });
  });
});

describe('many alerts at once to a receiver with a limit', () => {
  const MINUTE = 60_000;

  it('that takes twenty and one a second, and asks for half a minute, are told within minutes', async () => {
    using receiver = await limitedReceiver({ burst: 20, refill_ms: 1000, retry_s: 30 });
    await receiver.alert(200);
    await receiver.pass(10 * MINUTE);
    const took = receiver.took();
    expect(took).toHaveLength(200);
    expect(took[100]).toBeLessThan(3 * MINUTE);
    expect(took[199]).toBeLessThan(5 * MINUTE);
    expect(receiver.log()).toEqual(Array(200).fill('sent after 1'));
    expect(receiver.requests.filter(({ status }) => status === 429)).toHaveLength(1);
  });

  it('that is far too slow for them wait their turn for an hour and no longer', async () => {
    using receiver = await limitedReceiver({ burst: 1, refill_ms: 5 * MINUTE, retry_s: 60 });
    await receiver.alert(100);
    await receiver.pass(59 * MINUTE);
    expect(new Set(receiver.log())).toEqual(new Set(['sent after 1', 'retrying after 0', 'pending after 0']));
    await receiver.pass(2 * MINUTE);
    expect(new Set(receiver.log())).toEqual(new Set(['sent after 1', 'failed after 3']));
  });

  it('that come hours late, as the service was away, wait as long for their turn as others', async () => {
    using receiver = await limitedReceiver({ burst: 5, refill_ms: 1000, retry_s: 10 });
    await receiver.alert(40, 120 * MINUTE);
    await receiver.pass(2 * MINUTE);
    expect(receiver.log()).toEqual(Array(40).fill('sent after 1'));
  });

  const limits = fc.record({
    burst: fc.integer({ min: 1, max: 40 }),
    refill_ms: fc.integer({ min: 500, max: 8000 }),
    retry_s: fc.integer({ min: 0, max: 60 }),
  });

  it('are all told, none before its Retry-After, and in not much more time than it needs', async () => {
    const story = fc.asyncProperty(limits, fc.integer({ min: 1, max: 60 }), async (limit, count) => {
      using receiver = await limitedReceiver(limit);
      await receiver.alert(count);
      await receiver.pass(60 * MINUTE);
      expect(receiver.log()).toEqual(Array(count).fill('sent after 1'));
      const pause = Math.max(1, limit.retry_s) * 1000;
      expect(receiver.soonestAfterRefusal()).toBeGreaterThanOrEqual(pause);
      const needed = Math.max(0, count - limit.burst) * Math.max(limit.refill_ms, GAP);
      expect(receiver.took().at(-1)!).toBeLessThanOrEqual(3 * needed + 5 * pause);
    });
    await fc.assert(story, { numRuns: 20 });
  }, 60_000);
});
