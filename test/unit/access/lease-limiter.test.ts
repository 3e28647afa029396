import { describe, expect, it } from 'vitest';
import { leaseLimiter } from '#lib/access/lease-limiter.ts';
import { keyTable } from '#lib/keys.ts';
import { AppError } from '#lib/platform/errors.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { Item, Key, Limiter, Outcome, Table, Write } from '#lib/platform/ports.ts';
import { readSettings } from '#lib/platform/settings.ts';
import { memoryLog } from '#test/support/log.ts';
import { makeRandom } from '#test/support/random.ts';
import { makeClock } from '#test/support/virtual-clock.ts';

const START = Date.UTC(2026, 10, 21);
const PUSH = { per_second: 500, burst: 5000 };

/** One item at a time, as a real table does it, without the time that a real one takes. */
function itemsByKey() {
  const items = new Map<string, Item>();
  const nameOf = ({ pk, sk }: Key) => `${pk} ${sk}`;
  return {
    get: (key: Key) => items.get(nameOf(key)),
    write: (write: Write): Outcome => {
      if (!('put' in write)) throw new Error('puts alone are expected here');
      const present = items.get(nameOf(write.put));
      const holds = write.if === 'absent' ? !present : present?.v === (write.if as { version: string }).version;
      if (!holds) return { ok: false, failed: [0], present: [present], conflict: false };
      items.set(nameOf(write.put), write.put);
      return { ok: true };
    },
  };
}

/** Processes of one service in virtual time, on a table whose reads take 4 ms and whose writes take 8. */
function fleet(processes: number, wrap: (table: Table) => Table = (table) => table) {
  const clock = makeClock(START);
  const random = makeRandom(7);
  const store = itemsByKey();
  const counted: string[] = [];
  const requests = { reads: 0, writes: 0, granted: 0 };
  const table = wrap({
    get: async (key: Key) => {
      requests.reads++;
      await clock.sleep(4);
      return store.get(key);
    },
    transact: async (writes: Write[]) => {
      requests.writes++;
      await clock.sleep(4);
      const outcome = store.write(writes[0]!);
      await clock.sleep(4);
      if (outcome.ok) requests.granted++;
      return outcome;
    },
  } as Partial<Table> as Table);
  const settings = readSettings({});
  const ports = {
    table,
    clock,
    ids: { ...makeIds(clock), random: () => random.int(0, 999) / 1000 },
    metrics: { count: (name: string) => void counted.push(name) },
    log: memoryLog(),
    settings,
  };
  const keys = keyTable(settings);
  const limiters = Array.from({ length: processes }, () => leaseLimiter(ports, keys));
  return { clock, limiters, requests, counted, random };
}
type Fleet = ReturnType<typeof fleet>;

/**
 * So many requests a second for so long, each to some process.
 * @param skip seconds that are not counted, until the burst is used up
 * @returns what was asked, let in and written to the store, a second
 */
async function ask({ clock, limiters, random, requests }: Fleet, perSecond: number, seconds: number, skip: number) {
  let asked = 0;
  let let_in = 0;
  let before = 0;
  clock.at(START + skip * 1000, () => {
    before = requests.writes;
  });
  for (let i = 0; i < perSecond * seconds; i++) {
    const at = START + (i * 1000) / perSecond;
    clock.at(at, () => {
      const limiter = limiters[random.int(0, limiters.length - 1)]!;
      Promise.resolve(limiter.takeOf('acc_a', 'push', PUSH, 1)).then(({ allowed }) => {
        if (at < START + skip * 1000) return;
        asked++;
        if (allowed) let_in++;
      });
    });
  }
  await clock.runUntil(START + (seconds + 5) * 1000);
  const counted = seconds - skip;
  return { asked: asked / counted, let_in: let_in / counted, writes: (requests.writes - before) / counted };
}

describe('leases of an account that many processes serve', () => {
  it('let everything in below its rate, and cost ten leases a second and process at most', async () => {
    const service = fleet(10);
    const { asked, let_in } = await ask(service, 450, 20, 0);
    expect(let_in).toBe(asked);
    expect(service.requests.granted / 20).toBeLessThan(15);
  });

  it.each([2000, 5000])(
    'let in about its rate when %i a second are asked for, and leave the store alone',
    async (rate) => {
      const service = fleet(40);
      const { let_in, writes } = await ask(service, rate, 20, 12);
      // What each process lets in by itself comes on top.
      expect(let_in).toBeLessThan(PUSH.per_second + service.limiters.length + 30);
      expect(let_in).toBeGreaterThan(0.7 * PUSH.per_second);
      expect(writes).toBeLessThan(150);
    },
  );

  it('cost nothing for an account of one request a second', async () => {
    const service = fleet(1);
    const { asked, let_in } = await ask(service, 1, 60, 0);
    expect(let_in).toBe(asked);
    expect(service.requests).toMatchObject({ reads: 0, writes: 0 });
  });

  it('hold a small rate exactly, as no process lets anything in by itself', async () => {
    const { limiters, clock } = fleet(20);
    const send = { per_second: 5, burst: 20 };
    const taken = Promise.all(
      Array.from({ length: 100 }, (_, i) => limiters[i % 20]!.takeOf('acc_a', 'send', send, 1)),
    );
    await clock.runUntil(START + 5000);
    const allowed = (await taken).filter((one) => one.allowed).length;
    expect(allowed).toBeGreaterThanOrEqual(10);
    expect(allowed).toBeLessThanOrEqual(20 + 5);
  });

  it('are asked for once by a process, however many requests wait for one', async () => {
    const { limiters, clock, requests } = fleet(1);
    const taken = Promise.all(Array.from({ length: 60 }, () => limiters[0]!.takeOf('acc_a', 'push', PUSH, 1)));
    await clock.runUntil(START + 1000);
    expect((await taken).every(({ allowed }) => allowed)).toBe(true);
    expect(requests.writes).toBeLessThan(6);
  });

  it('say how long to wait when they are refused, and are asked for again only then', async () => {
    const { limiters, clock, requests } = fleet(1);
    const rate = { per_second: 1, burst: 10 };
    const take = async () => {
      const standing = Promise.resolve(limiters[0]!.takeOf('acc_a', 'mcp', rate, 1));
      await clock.runUntil(clock.now() + 20);
      return standing;
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

  it('let in when the store fails, and count that', async () => {
    const broken = (table: Table): Table => ({
      ...table,
      get: () => Promise.reject(new AppError('UNAVAILABLE', 'away')),
    });
    const { limiters, clock, counted } = fleet(1, broken);
    const taken = Promise.all(
      Array.from({ length: 50 }, () => (limiters[0] as Limiter).takeOf('acc_a', 'push', PUSH, 1)),
    );
    await clock.runUntil(START + 100);
    expect((await taken).every(({ allowed }) => allowed)).toBe(true);
    expect(counted).toEqual(['LimiterFailed']);
  });
});
