import { beforeEach, describe, expect, it } from 'vitest';
import type { Ports } from '#lib/env.ts';
import { NetError } from '#lib/net/net.ts';
import { networkHealth } from '#lib/results/probe/network-health.ts';

const MINUTE = 60_000;

let now: number;
let witnessIsUp: boolean;
/** How long a witness that is not takes to say nothing. */
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

/** A batch of probes to three hosts, which end so; whoever is silent asks who is to blame. */
async function batch(answered: boolean) {
  for (const host of ['a', 'b', 'c']) network.record(host, answered);
  const blame = answered ? undefined : await network.attribute();
  await network.refreshReference();
  return blame;
}

describe('the reference host of our own network', () => {
  it('that never answered speaks for nobody', async () => {
    witnessIsUp = false;
    await batch(true);
    expect(await batch(false)).toBe('target');
  });

  it('that was heard and is silent with all hosts tells that our network is down', async () => {
    await batch(true);
    witnessIsUp = false;
    expect(await batch(false)).toBe('network');
  });

  it('tells so also when it is looked at in the moment in which the network fails', async () => {
    await batch(true);
    now += 10 * MINUTE;
    witnessIsUp = false;
    // The last answers of the hosts come in while the reference host is silent already.
    await batch(true);
    now += 5000;
    expect(await batch(false)).toBe('network');
  });

  it('that was heard is not silent again by a look-up that began before', async () => {
    await batch(true);
    witnessIsUp = false;
    expect(await batch(false)).toBe('network');
    const { promise, resolve: timesOut } = Promise.withResolvers<void>();
    hangs = promise;
    const began = network.attribute();
    now += 1000;
    witnessIsUp = true;
    await network.lookAgain();
    now += 1000;
    timesOut();
    expect(await began).toBe('network');
    expect([network.wasDown(now), network.wasDown(0)]).toEqual([false, true]);
  });

  it('is forgotten when it stays silent while hosts answer, and counts again once it is heard', async () => {
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
