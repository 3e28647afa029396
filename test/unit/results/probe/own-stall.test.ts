import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failed, outcomeOfProbe, succeeded } from '#lib/checks/outcome.ts';
import { NetError } from '#lib/net/net.ts';
import { isEventLoopStall } from '#lib/results/probe/probe.ts';

const outcomeOf = (error: NetError) => outcomeOfProbe(() => Promise.reject(error));
const timedOut = await outcomeOf(new NetError('timeout', 'no answer'));
const cutOff = await outcomeOf(
  new NetError('connect', 'it closed the connection', { answered: true, interrupted: true }),
);

describe('a probe during a stall of this process', () => {
  it('has no outcome after a timeout when stalled for more than a tenth of it', () => {
    expect(isEventLoopStall(timedOut, 5000, 501)).toBe(true);
    expect(isEventLoopStall(timedOut, 5000, 500)).toBe(false);
  });

  it('has no outcome after a timeout that fired late by more than a tenth', () => {
    expect(isEventLoopStall({ ...timedOut, latency_ms: 5501 }, 5000, 0)).toBe(true);
    expect(isEventLoopStall({ ...timedOut, latency_ms: 5499 }, 5000, 0)).toBe(false);
  });

  it('has no outcome after a closed connection when stalled for more than a quarter of a second', () => {
    expect(isEventLoopStall(cutOff, 30_000, 251)).toBe(true);
    expect(isEventLoopStall(cutOff, 30_000, 250)).toBe(false);
  });

  it('has an outcome after a success, a refusal, a wrong response, a bad certificate, or a DNS error', async () => {
    const outcomes = [
      succeeded(4000, 200),
      failed('status', 'expected status 200, got 503', 4000, 503),
      failed('body', 'the body does not contain "ok"', 4000, 200),
      failed('tls', 'certificate expired', 4000),
      await outcomeOf(new NetError('connect', 'connection refused', { answered: true })),
      await outcomeOf(new NetError('egress', 'refused')),
      await outcomeOf(new NetError('dns', 'NXDOMAIN')),
    ];
    fc.assert(
      fc.property(
        fc.constantFrom(...outcomes),
        fc.integer({ min: 10, max: 30_000 }),
        fc.nat(60_000),
        (one, ms, stalled) => {
          expect(isEventLoopStall(one, ms, stalled)).toBe(false);
        },
      ),
    );
  });

  it('has an outcome after a turn of the event loop of up to 50 ms, however short its timeout', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 30_000 }), fc.nat(50), (timeout_ms, stalled) => {
        expect(isEventLoopStall(timedOut, timeout_ms, stalled)).toBe(false);
      }),
    );
  });
});
