import { leaseLimiter } from '#lib/aws/lease-limiter.ts';
import { keyTable } from '#lib/keys.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { Item, Key, Table, Write, WriteOutcome } from '#lib/platform/ports.ts';
import type { Rate } from '#lib/platform/sharing/rates.ts';
import { readSettings } from '#lib/settings.ts';
import { memoryLog } from '#test/support/log.ts';
import { makeRandom } from '#test/support/random.ts';
import { makeClock } from '#test/support/virtual-clock.ts';

export const START = Date.UTC(2026, 10, 21);

/** Returns a store whose operations take effect at once, in the order of their calls. */
function itemsByKey() {
  const items = new Map<string, Item>();
  const nameOf = ({ pk, sk }: Key) => `${pk} ${sk}`;
  return {
    get: (key: Key) => items.get(nameOf(key)),
    write: (write: Write): WriteOutcome => {
      if (!('put' in write)) throw new Error('only puts are expected');
      const present = items.get(nameOf(write.put));
      const holds = write.if === 'absent' ? !present : present?.v === (write.if as { version: string }).version;
      if (!holds) return { ok: false, failed: [0], present: [present], conflict: false };
      items.set(nameOf(write.put), write.put);
      return { ok: true };
    },
  };
}

/** Creates the processes of one service in virtual time, on a table with reads of 4 ms and writes of 8 ms. */
export function fleet(processes: number, wrap: (table: Table) => Table = (table) => table) {
  const clock = makeClock(START);
  const random = makeRandom(7);
  const store = itemsByKey();
  const counted: string[] = [];
  const requests = { reads: 0, writes: 0 };
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
  const limiters = Array.from({ length: processes }, () => leaseLimiter({ ports, keys }));
  return { clock, limiters, requests, counted, random };
}
type Fleet = ReturnType<typeof fleet>;

/**
 * Sends `perSecond` requests per second, each to a random process. `rate` is the limit of the account.
 * @param skip seconds at the start that are not counted, in which bursts are used up; `seconds` are counted after them
 * @returns requests, allowed requests and store writes per second
 */
export async function sendRequests(
  { clock, limiters, random, requests }: Fleet,
  rate: Rate,
  perSecond: number,
  { skip, seconds }: { skip: number; seconds: number },
) {
  let requested = 0;
  let granted = 0;
  let writesBefore = 0;
  const from = START + skip * 1000;
  clock.at(from, () => {
    writesBefore = requests.writes;
  });
  for (let i = 0; i < perSecond * (skip + seconds); i++) {
    const at = START + (i * 1000) / perSecond;
    clock.at(at, () => {
      const limiter = limiters[random.int(0, limiters.length - 1)]!;
      Promise.resolve(limiter.takeForAccount('acc_a', 'push', rate, 1)).then(({ allowed }) => {
        if (at < from) return;
        requested++;
        if (allowed) granted++;
      });
    });
  }
  await clock.runUntil(from + (seconds + 5) * 1000);
  return {
    requested: requested / seconds,
    granted: granted / seconds,
    writes: (requests.writes - writesBefore) / seconds,
  };
}
