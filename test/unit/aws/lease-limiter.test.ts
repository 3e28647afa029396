import { describe, expect, it } from 'vitest';
import { AppError } from '#lib/platform/errors.ts';
import type { Table } from '#lib/platform/ports.ts';
import type { Limiter } from '#lib/platform/sharing/rates.ts';
import { fleet, START, sendRequests } from './lease-fleet.ts';

const PUSH = { per_second: 500, burst: 5000 };

describe('leases of an account served by many processes', () => {
  it.each([1, 10, 50, 100, 200])(
    'refuse nothing below its rate and cost at most 3 %% writes: %i processes',
    async (count) => {
      for (const share of [0.5, 0.9]) {
        const { requested, granted, writes } = await sendRequests(fleet(count), PUSH, share * PUSH.per_second, {
          skip: 60,
          seconds: 30,
        });
        expect(granted).toBe(requested);
        expect(writes / requested).toBeLessThan(0.03);
      }
    },
  );

  // The skipped seconds use up the burst of the account, tokens granted without a lease, and unused leases.
  it.each([
    [1, 2, 15],
    [1, 20, 5],
    [10, 2, 15],
    [10, 5, 10],
    [50, 2, 20],
    [50, 5, 10],
    [200, 2, 50],
    [200, 20, 5],
  ])('allow about its rate after its burst: %i processes with %i times the rate', async (count, times, skip) => {
    const { granted, writes } = await sendRequests(fleet(count), PUSH, times * PUSH.per_second, { skip, seconds: 15 });
    expect(granted).toBeGreaterThan(0.75 * PUSH.per_second);
    // Each process grants up to one token per second without a lease.
    expect(granted).toBeLessThan(1.1 * PUSH.per_second + count);
    expect(writes).toBeLessThan(50);
  });

  it('cost nothing for an account with one request per second', async () => {
    const service = fleet(1);
    const { requested, granted } = await sendRequests(service, PUSH, 1, { skip: 0, seconds: 60 });
    expect(granted).toBe(requested);
    expect(service.requests).toMatchObject({ reads: 0, writes: 0 });
  });

  it('limit a small rate exactly, because no process grants tokens without a lease', async () => {
    const { limiters, clock } = fleet(20);
    const send = { per_second: 5, burst: 20 };
    const taken = Promise.all(
      Array.from({ length: 100 }, (_, i) => limiters[i % 20]!.takeForAccount('acc_a', 'send', send, 1)),
    );
    await clock.runUntil(START + 5000);
    const granted = (await taken).filter((one) => one.allowed).length;
    expect(granted).toBeGreaterThanOrEqual(10);
    expect(granted).toBeLessThanOrEqual(20 + 5);
  });

  it('are requested once per process for any number of waiting requests', async () => {
    const { limiters, clock, requests } = fleet(1);
    const taken = Promise.all(Array.from({ length: 60 }, () => limiters[0]!.takeForAccount('acc_a', 'push', PUSH, 1)));
    await clock.runUntil(START + 1000);
    expect((await taken).every(({ allowed }) => allowed)).toBe(true);
    expect(requests.writes).toBeLessThan(6);
  });

  it('report the waiting time when refused, and are requested again only after it', async () => {
    const { limiters, clock, requests } = fleet(1);
    const rate = { per_second: 1, burst: 10 };
    const take = async () => {
      const status = Promise.resolve(limiters[0]!.takeForAccount('acc_a', 'mcp', rate, 1));
      await clock.runUntil(clock.now() + 20);
      return status;
    };
    for (let i = 0; i < 10; i++) expect((await take()).allowed).toBe(true);
    const refused = await take();
    expect(refused).toMatchObject({ allowed: false, left: 0 });
    expect([1, 2]).toContain(refused.retry_s);
    const reads = requests.reads;
    for (let i = 0; i < 10; i++) await take();
    expect(requests.reads).toBe(reads);
    await clock.runUntil(clock.now() + refused.retry_s * 1000);
    await take();
    expect(requests.reads).toBe(reads + 1);
  });

  it('allow requests if the store fails, and count the failure', async () => {
    const broken = (table: Table): Table => ({
      ...table,
      get: () => Promise.reject(new AppError('UNAVAILABLE', 'away')),
    });
    const { limiters, clock, counted } = fleet(1, broken);
    const taken = Promise.all(
      Array.from({ length: 50 }, () => (limiters[0] as Limiter).takeForAccount('acc_a', 'push', PUSH, 1)),
    );
    await clock.runUntil(START + 100);
    expect((await taken).every(({ allowed }) => allowed)).toBe(true);
    expect(counted).toEqual(['LimiterFailed']);
  });
});
