import { beforeEach, describe, expect, it } from 'vitest';
import type { Ports } from '#lib/env.ts';
import { NetError } from '#lib/net/net.ts';
import { networkHealth } from '#lib/results/probe/network-health.ts';

const MINUTE = 60_000;

let now: number;
let witnessIsUp: boolean;
/** Delay of the response of a missing reference host. */
let hangs: Promise<void> | undefined;
let network: ReturnType<typeof networkHealth>;
beforeEach(() => {
  now = 0;
  witnessIsUp = true;
  hangs = undefined;
  const resolve = async () => {
    if (witnessIsUp) return [];
    await hangs;
    throw new NetError('timeout', 'no answer', { answered: false });
  };
  network = networkHealth({
    net: { resolve },
    clock: { now: () => now },
    settings: { REFERENCE_HOST: '.' },
  } as unknown as Ports);
});

/** Batch of probes to three hosts with these outcomes. */
async function batch(answered: boolean) {
  for (const host of ['a', 'b', 'c']) network.record(host, answered);
  const blame = answered ? undefined : await network.attribute();
  await network.refreshReference();
  return blame;
}

describe('the reference host', () => {
  it('is ignored when it has never answered', async () => {
    witnessIsUp = false;
    await batch(true);
    expect(await batch(false)).toBe('target');
  });

  it('attributes the failure of all hosts to the network when it answered before', async () => {
    await batch(true);
    witnessIsUp = false;
    expect(await batch(false)).toBe('network');
  });

  it('attributes it also when checked while the network fails', async () => {
    await batch(true);
    now += 10 * MINUTE;
    witnessIsUp = false;
    // The last hosts answer while the reference host fails already.
    await batch(true);
    now += 5000;
    expect(await batch(false)).toBe('network');
  });

  it('is not marked as failed by a lookup that began before its answer', async () => {
    await batch(true);
    witnessIsUp = false;
    expect(await batch(false)).toBe('network');
    const { promise, resolve: timesOut } = Promise.withResolvers<void>();
    hangs = promise;
    const began = network.attribute();
    now += 1000;
    witnessIsUp = true;
    await network.recheck();
    now += 1000;
    timesOut();
    expect(await began).toBe('network');
    expect([network.wasDown(now), network.wasDown(0)]).toEqual([false, true]);
  });

  it('is ignored when it fails while hosts answer, and counts again once it answers', async () => {
    await batch(true);
    witnessIsUp = false;
    for (let minute = 0; minute < 12; minute++) {
      now += MINUTE;
      await batch(true);
    }
    expect(await batch(false)).toBe('target');
    witnessIsUp = true;
    now += 10 * MINUTE;
    await batch(true);
    witnessIsUp = false;
    expect(await batch(false)).toBe('network');
  });
});
