import { beforeEach, describe, expect, it } from 'vitest';
import type { Ports } from '#lib/env.ts';
import { NetError } from '#lib/net/net.ts';
import { networkHealth } from '#lib/results/probe/network-health.ts';

const MINUTE = 60_000;

let now: number;
let isReferenceUp: boolean;
/** Promise that a lookup awaits before it fails; undefined if it fails immediately. */
let beforeFailure: Promise<void> | undefined;
let network: ReturnType<typeof networkHealth>;
beforeEach(() => {
  now = 0;
  isReferenceUp = true;
  beforeFailure = undefined;
  const resolve = async () => {
    if (isReferenceUp) return [];
    await beforeFailure;
    throw new NetError('timeout', 'no answer', { answered: false });
  };
  network = networkHealth({
    net: { resolve },
    clock: { now: () => now },
    settings: { REFERENCE_HOST: '.' },
  } as unknown as Ports);
});

/** Records a batch of probes to three hosts. Returns the attribution if none answered. */
async function batch(answered: boolean) {
  for (const host of ['a', 'b', 'c']) network.record(host, answered);
  const attribution = answered ? undefined : await network.attribute();
  await network.refreshReference();
  return attribution;
}

describe('the reference host', () => {
  it('is ignored when it has never answered', async () => {
    isReferenceUp = false;
    await batch(true);
    expect(await batch(false)).toBe('target');
  });

  it('makes the network the cause of a failure of all hosts when it answered before', async () => {
    await batch(true);
    isReferenceUp = false;
    expect(await batch(false)).toBe('network');
  });

  it('makes the network the cause even if one of its lookups failed while the hosts still answered', async () => {
    await batch(true);
    now += 10 * MINUTE;
    isReferenceUp = false;
    // The hosts still answer, but the reference host does not.
    await batch(true);
    now += 5000;
    expect(await batch(false)).toBe('network');
  });

  it('does not mark the network as down if a lookup that began before its last answer fails', async () => {
    await batch(true);
    isReferenceUp = false;
    expect(await batch(false)).toBe('network');
    const { promise, resolve: timesOut } = Promise.withResolvers<void>();
    beforeFailure = promise;
    const attribution = network.attribute();
    now += 1000;
    isReferenceUp = true;
    await network.recheck();
    now += 1000;
    timesOut();
    expect(await attribution).toBe('network');
    expect([network.wasDown(now), network.wasDown(0)]).toEqual([false, true]);
  });

  it('is ignored after it failed repeatedly while hosts answered, and counts again once it answers', async () => {
    await batch(true);
    isReferenceUp = false;
    for (let minute = 0; minute < 12; minute++) {
      now += MINUTE;
      await batch(true);
    }
    expect(await batch(false)).toBe('target');
    isReferenceUp = true;
    now += 10 * MINUTE;
    await batch(true);
    isReferenceUp = false;
    expect(await batch(false)).toBe('network');
  });
});
