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

describe('retryAfterMs', () => {
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
  ])('reads Retry-After %j as %i ms', (header, ms) => {
    expect(retryAfterMs(header, NOW)).toBe(ms);
  });
});

describe('pacing of a URL', () => {
  let world: AlertWorld;
  beforeEach(async () => {
    world = await alertWorld();
  });
  afterEach(() => world.table.store.close());
  const address = { tenant_id: 'acc_a', url: 'https://hooks.test/one' };
  /** Handles a 429 response. @param ms Retry-After @param sent_at start of the request (epoch ms) */
  const refused = (ms: number, sent_at = world.now()) => paceAfterRateLimit(world, address, ms, sent_at);
  /** Returns the reserved send time; undefined if the delivery can be sent. */
  const turnAt = async (turn?: number, at = address) => (await reserveSendTime(world, at, turn)).wait?.at;
  /** Returns the gap between two send times reserved now, in ms. */
  const gap = async () => {
    const [one, two] = [await turnAt(), await turnAt()];
    return two! - one!;
  };

  it('reserves no send times before the first 429', async () => {
    expect(await turnAt()).toBeUndefined();
  });

  it('spaces send times a second apart after the pause, and each is valid when due', async () => {
    const first = await refused(30_000);
    expect(first).toBe(world.now() + 33_000);
    const taken = await Promise.all(Array.from({ length: 50 }, () => turnAt()));
    const turns = [first, ...taken.map((turn) => turn!)].sort((a, b) => a - b);
    for (const [i, turn] of turns.entries()) expect(turn).toBe(first + i * GAP);
    expect(await turnAt(first)).toBeGreaterThan(turns.at(-1)!);
    world.pass(33_000);
    expect(await turnAt(first)).toBeUndefined();
  });

  it('writes each reservation with a new version and expiry', async () => {
    const key = world.keys.pace(address.tenant_id, createHash('sha256').update(address.url).digest('hex').slice(0, 32));
    await refused(1000);
    const before = await world.table.get<Item & { v: string; expires_at: number }>(key);
    for (let i = 0; i < 5; i++) await turnAt();
    const after = await world.table.get<Item & { v: string; expires_at: number }>(key);
    expect(after!.v).not.toBe(before!.v);
    expect(after!.expires_at).toBeGreaterThan(before!.expires_at);
  });

  it('delays all send times after another 429, including reserved ones', async () => {
    const first = await refused(1000);
    const second = (await turnAt())!;
    world.pass(GAP);
    await refused(30_000);
    world.pass(GAP);
    expect(second).toBeLessThanOrEqual(world.now());
    expect(await turnAt(second)).toBeGreaterThan(first + 30_000);
  });

  it('does not widen the gap for refusals of one burst, or directly after the pause', async () => {
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

  it('doubles the gap, up to the requested pause, when a request that kept the gap is refused', async () => {
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

  it('narrows the gap after ten successful send times', async () => {
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

  it('applies to one tenant and one URL', async () => {
    await refused(60_000);
    expect(await turnAt(undefined, { ...address, url: 'https://hooks.test/two' })).toBeUndefined();
    expect(await turnAt(undefined, { ...address, tenant_id: 'acc_b' })).toBeUndefined();
  });

  it('ends half a minute after the last send time', async () => {
    const reserved = await refused(1000);
    world.pass(reserved - world.now() + GAP + 30_001);
    expect(await turnAt()).toBeUndefined();
    expect(await refused(1000)).toBe(world.now() + GAP);
  });

  it('spaces send times after a timeout, and counts concurrent timeouts once', async () => {
    const sent_at = world.now();
    world.pass(10_000);
    for (let i = 0; i < 5; i++) await paceAfterTimeout(world, address, sent_at);
    expect(await reserveSendTime(world, address, undefined)).toMatchObject({
      wait: { at: world.now() + GAP, is_open: false, why: expect.stringContaining('did not respond in time') },
    });
    expect(await gap()).toBe(GAP);
  });

  describe('after three timeouts in a row', () => {
    beforeEach(async () => {
      for (let i = 0; i < 3; i++) {
        const sent_at = world.now();
        world.pass(10_000);
        await paceAfterTimeout(world, address, sent_at);
      }
    });

    it('sends nothing for 5 s, then one delivery at a time', async () => {
      const open = await reserveSendTime(world, address, undefined);
      expect(open.wait).toMatchObject({ at: world.now() + 5000, is_open: true });
      expect(open.wait?.why).toContain('timed out several times in a row');
      world.pass(5000);
      const attempts = await Promise.all(Array.from({ length: 20 }, () => reserveSendTime(world, address, undefined)));
      expect(attempts.filter(({ wait }) => !wait)).toEqual([{ after_timeouts: true }]);
      expect(attempts.filter(({ wait }) => wait?.is_open)).toHaveLength(19);
    });

    it('lengthens the pause after each timeout, up to a minute', async () => {
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

    it('spaces send times a second apart when the receiver responds again', async () => {
      world.pass(5000);
      expect(await reserveSendTime(world, address, undefined)).toEqual({ after_timeouts: true });
      await paceAfterSuccess(world, address);
      expect(await turnAt()).toBe(world.now());
      expect(await turnAt()).toBe(world.now() + GAP);
    });
  });
});

describe('many alerts to a rate-limited receiver', () => {
  const MINUTE = 60_000;

  it('are sent within five minutes if it accepts twenty at once and one per second', async () => {
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

  it('fail after an hour when the receiver is too slow', async () => {
    using receiver = await limitedReceiver({ burst: 1, refill_ms: 5 * MINUTE, retry_s: 60 });
    await receiver.alert(100);
    await receiver.pass(59 * MINUTE);
    expect(new Set(receiver.log())).toEqual(new Set(['sent after 1', 'retrying after 0', 'pending after 0']));
    await receiver.pass(2 * MINUTE);
    expect(new Set(receiver.log())).toEqual(new Set(['sent after 1', 'failed after 3']));
  });

  it('have the full retry time when an outage of the service delayed them', async () => {
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

  it('are all sent, never before Retry-After, in little more than the necessary time', async () => {
    const property = fc.asyncProperty(limits, fc.integer({ min: 1, max: 60 }), async (limit, count) => {
      using receiver = await limitedReceiver(limit);
      await receiver.alert(count);
      await receiver.pass(60 * MINUTE);
      expect(receiver.log()).toEqual(Array(count).fill('sent after 1'));
      const pause = Math.max(1, limit.retry_s) * 1000;
      expect(receiver.soonestAfterRefusal()).toBeGreaterThanOrEqual(pause);
      const needed = Math.max(0, count - limit.burst) * Math.max(limit.refill_ms, GAP);
      expect(receiver.took().at(-1)!).toBeLessThanOrEqual(3 * needed + 5 * pause);
    });
    await fc.assert(property, { numRuns: 20 });
  }, 60_000);
});
