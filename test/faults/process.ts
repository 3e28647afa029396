import { AppError } from '#lib/platform/errors.ts';
import type { Net } from '#lib/platform/net.ts';
import type { Bus, Ids, Item, Log, Outcome, Ports, Queues, Table } from '#lib/platform/ports.ts';
import type { Settings } from '#lib/platform/settings.ts';
import { count, type Observations } from './observations.ts';
import type { Profile } from './profile.ts';
import type { Random } from './random.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** What the processes of a run share. `profile` changes when the faults stop. */
export type Shared = {
  random: Random;
  clock: VirtualClock;
  ids: Ids;
  settings: Settings;
  seen: Observations;
  table: Table;
  queues: Queues;
  bus: Bus;
  /** The net as the process with that number sees it. */
  net(process: number): Net;
  log: Log;
  profile: Profile;
  /** What the host does before its first job: writes down that nobody watched. */
  noteOutage(outage: { from: number; to: number }): Promise<void>;
};

/** A process of the service. Once it is dead, none of its calls answers, and none takes effect. */
export type Process = {
  ports: Ports;
  dead: boolean;
  /** The store did a write of it twice. */
  replayed: boolean;
  die(): void;
  onDeath(call: () => void): void;
};

const never = (): Promise<never> => new Promise(() => {});

const unavailable = (): AppError => new AppError('UNAVAILABLE', 'The store cannot serve at the moment.');

/** A process whose every call takes time, may fail, and may be its last. */
export function startProcess(shared: Shared): Process {
  const { random, clock, seen } = shared;
  const deaths: (() => void)[] = [];
  const process: Process = {
    ports: undefined as never,
    dead: false,
    replayed: false,
    die: () => {
      if (process.dead) return;
      process.dead = true;
      for (const call of deaths) call();
    },
    onDeath: (call) => deaths.push(call),
  };

  const hits = (fault: 'crash' | 'refuse' | 'lost' | 'replay' | 'conflict' | 'slow', name: string = fault): boolean => {
    const hit = random.chance(shared.profile[fault]);
    if (hit) count(seen, name);
    return hit;
  };

  /** One call: time passes before and after it takes effect, and any of it may be the last. */
  async function call<T>(work: () => Promise<T>, faults: { refuse?: boolean; replay?: boolean } = {}): Promise<T> {
    if (process.dead) return never();
    await clock.sleep(hits('slow') ? random.int(200, 3000) : random.int(1, 8));
    if (!process.dead && hits('crash', 'crash before')) process.die();
    if (process.dead) return never();
    if (faults.refuse && hits('refuse')) throw unavailable();
    let answer = await work();
    if (faults.replay && hits('replay')) {
      process.replayed = true;
      answer = await work();
    }
    if (hits('crash', 'crash after')) process.die();
    if (process.dead) return never();
    if (faults.refuse && hits('lost', 'answer lost')) throw unavailable();
    await clock.sleep(random.int(0, 4));
    return process.dead ? never() : answer;
  }

  const read = { refuse: true };
  const { table, queues, bus } = shared;
  const net = shared.net(seen.next());
  // Every machine has its own idea of the time.
  const skew = shared.profile.oneProcess ? 0 : random.int(-shared.profile.skewMs, shared.profile.skewMs);
  const conflict: Outcome = { ok: false, failed: [], present: [], conflict: true };
  const tableOfProcess: Table = {
    get: (key) => call(() => table.get(key), read),
    getMany: (keys) => call(() => table.getMany(keys), read),
    query: <T extends Item>(query: Parameters<Table['query']>[0]) => call(() => table.query<T>(query), read),
    putMany: (items) => call(() => table.putMany(items), { refuse: true, replay: true }),
    transact: (writes) =>
      call(() => (hits('conflict') ? Promise.resolve(conflict) : table.transact(writes)), {
        refuse: true,
        replay: true,
      }),
  };
  process.ports = {
    table: tableOfProcess,
    queues: { send: (queue, messages) => call(() => queues.send(queue, messages), { refuse: true, replay: true }) },
    bus: { publish: (events) => call(() => bus.publish(events), { refuse: true }) },
    net: {
      ...net,
      http: (request) => call(() => net.http(request)),
      resolve: (request) => call(() => net.resolve(request)),
      judge: (request) => call(() => net.judge(request)),
    },
    clock: {
      now: () => clock.now() + skew,
      sleep: async (ms) => {
        await clock.sleep(ms);
        if (process.dead) await never();
      },
    },
    ids: shared.ids,
    log: shared.log,
    settings: shared.settings,
  };
  return process;
}
