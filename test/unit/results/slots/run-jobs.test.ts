import { beforeEach, describe, expect, it } from 'vitest';
import { create } from '#functions/prober.ts';
import type { AccountItem } from '#lib/access/account.ts';
import { updateCheck } from '#lib/checks/change/change-check.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { cellOf, numberOf } from '#lib/keys.ts';
import type { Job } from '#lib/messages.ts';
import type { HttpReply } from '#lib/net/net.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import type { PackItem } from '#lib/results/pack.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { type HealthWorld, healthWorld, jobOfCheck, rhythmOfCheck } from '#test/support/health-world.ts';
import { queueRecord } from '#test/support/queue-record.ts';

const OK: HttpReply = { status: 200, headers: {}, body: '', latency_ms: 20 };

let world: HealthWorld;
let entity_id: string;
/** The paths that were probed since the last look. */
let probed: string[];
/** The path that answers 503. */
let down: string | undefined;
let give: (...jobs: Job[]) => Promise<void>;

beforeEach(async () => {
  world = await healthWorld();
  entity_id = (await world.entity()).id;
  probed = [];
  down = undefined;
  const http = async ({ url }: { url: string }): Promise<HttpReply> => {
    const { pathname } = new URL(url);
    probed.push(pathname);
    return pathname === down ? { ...OK, status: 503 } : OK;
  };
  const { ports } = world;
  const prober = create({ ...ports, net: { ...ports.net, http } as never });
  give = async (...jobs) => {
    expect(await prober({ Records: [queueRecord('m', { jobs })] })).toEqual({ batchItemFailures: [] });
  };
});

const now = () => world.ports.clock.now();
/** Checks of one cell, each with a path of its own: /0, /1 and so on. */
async function checksOf(count: number, more: object = {}): Promise<CheckItem[]> {
  const made: CheckItem[] = [];
  for (let n = 0; n < count; n++) {
    made.push(await world.check({ entity_id, target_url: `https://host-${n}.example.com/${n}`, ...more }));
  }
  expect(new Set(made.map(({ id }) => cellOf(id))).size).toBe(1);
  return made;
}
/** The next slot of a check's cell, a second after which it now is. */
function nextJob(check: CheckItem): Job {
  const rhythm = rhythmOfCheck(check);
  const slot = latestSlot(rhythm, now()) + rhythm.interval_ms;
  world.advance(slot + 1000 - now());
  return jobOfCheck(check, slot);
}
const look = (): string[] => probed.splice(0).sort();
/** Checks that were probed once, so that what follows is quiet. */
async function steadyChecks(count: number): Promise<CheckItem[]> {
  const checks = await checksOf(count);
  await give({ ...nextJob(checks[0]!), only: checks.map(({ id }) => id) });
  look();
  return checks;
}
/** The numbers of the checks in each pack. */
const packs = async ({ tenant_id, id, interval_seconds }: CheckItem): Promise<number[][]> => {
  const partition = world.keys.packs(tenant_id, cellOf(id), interval_seconds);
  const found = await allOf<PackItem>(world.store, { partition });
  return found.map(({ runs }) => runs.split(' ').map((word) => Number.parseInt(word, 10)));
};

describe('the job of a cell', () => {
  it('probes those of its checks that are enabled and have its interval, and they share a pack', async () => {
    const [a, b, slower, resting] = await steadyChecks(4);
    await world.pushCheck({ entity_id });
    await updateCheck(world.context, slower!, { interval_seconds: 300 });
    await updateCheck(world.context, resting!, { enabled: false });
    await give(nextJob(a!));
    expect(look()).toEqual(['/0', '/1']);
    expect(await packs(a!)).toEqual([[numberOf(a!.id), numberOf(b!.id)]]);
  });

  it('leaves out a check that was made or changed after its slot: that one has a job of its own', async () => {
    const [a] = await steadyChecks(2);
    const job = nextJob(a!);
    const [fresh] = await checksOf(1, { target_url: 'https://example.com/fresh' });
    await updateCheck(world.context, a!, { timeout_ms: 4000 });
    await give(job);
    expect(look()).toEqual(['/1']);
    await give({ ...job, only: [fresh!.id] }, { ...job, only: [a!.id] });
    expect(look()).toEqual(['/0', '/fresh']);
    await give(nextJob(a!));
    expect(look()).toEqual(['/0', '/1', '/fresh']);
  });

  it('that names some of its checks probes just those, and none that was deleted or has another interval', async () => {
    const [a, b, slower] = await steadyChecks(3);
    await updateCheck(world.context, slower!, { interval_seconds: 300 });
    const gone = `${a!.id.slice(0, -1)}z`;
    await give({ ...nextJob(a!), only: [b!.id, slower!.id, gone] });
    expect(look()).toEqual(['/1']);
  });

  it('at a time that is no slot of its interval probes nothing', async () => {
    const [a] = await steadyChecks(1);
    const job = nextJob(a!);
    await give({ ...job, slot: job.slot + 50 });
    expect(look()).toEqual([]);
  });

  it('of a disabled account probes nothing', async () => {
    const [a] = await steadyChecks(1);
    const key = world.keys.account(world.context.tenant);
    const account = await world.store.get<AccountItem>(key);
    const disabled: AccountItem = { ...account!, disabled: true };
    await world.store.putMany([disabled]);
    await give(nextJob(a!));
    expect(look()).toEqual([]);
  });

  it('reads the account and, however many checks it has, its cell, and writes one item', async () => {
    const checks = await steadyChecks(25);
    Object.assign(world.requests, { reads: 0, writes: 0 });
    // No time passes while they wait.
    world.ports.clock.sleep = () => new Promise(() => {});
    await give(nextJob(checks[0]!));
    expect(look()).toHaveLength(25);
    expect(world.requests).toEqual({ reads: 2, writes: 1 });
  });
});

it('a job whose next slot is due reads nothing and probes nothing', async () => {
  const [a] = await steadyChecks(3);
  const job = nextJob(a!);
  world.advance(job.slot + 60_000 - now());
  const { table } = world.ports;
  const asked: unknown[] = [];
  for (const method of ['get', 'getMany', 'query'] as const) {
    const read = table[method] as (argument: unknown) => unknown;
    table[method] = ((argument: unknown) => {
      // Nothing is asked for by no key.
      if (!Array.isArray(argument) || argument.length > 0) asked.push(argument);
      return read(argument);
    }) as never;
  }
  await give(job, { ...job, only: [a!.id] });
  expect(asked).toEqual([]);
  expect(look()).toEqual([]);
  expect(await packs(a!)).toEqual([]);
});

describe('a job that could not record its quiet runs', () => {
  it('is sent again with the names of just those, and then they are there once', async () => {
    const [a, b, c] = await steadyChecks(3);
    const job = nextJob(a!);
    // A failure changes something, so that it is recorded by itself.
    down = '/1';
    world.sent.length = 0;
    const { table } = world.ports;
    const { transact } = table;
    table.transact = (writes) =>
      writes.some((write) => 'put' in write && write.put.pk.includes('#PACKS#'))
        ? Promise.reject(new Error('throttled'))
        : transact(writes);
    await give(job);
    table.transact = transact;
    expect(await packs(a!)).toEqual([]);
    expect(await world.fresh(b!)).toMatchObject({ consecutive_failures: 1 });
    look();

    const again = world.sent.flatMap(({ queue, message }) =>
      queue === 'job' ? (message.body as { jobs: Job[] }).jobs : [],
    );
    // Where the probes of a cell begin is drawn.
    const inOrder = again.map((one) => ({ ...one, only: one.only?.toSorted() }));
    expect(inOrder).toEqual([{ ...job, only: [a!.id, c!.id].sort() }]);
    await give(...again);
    expect(look()).toEqual(['/0', '/2']);
    expect(await packs(a!)).toEqual([[a!, c!].map(({ id }) => numberOf(id))]);
    expect(world.log.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'pack not written', fields: { checks: 2 } },
    ]);
  });
});
