import type { Publish } from '#lib/alerting/notify/send.ts';
import { CPU_JOBS } from '#lib/cpu-jobs.ts';
import type { Ports } from '#lib/env.ts';
import type { Net } from '#lib/net/net.ts';
import { NO_ASSETS } from '#lib/platform/assets.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Bus, Files, Ids, Item, Key, Log, Queues, Table, WriteOutcome } from '#lib/platform/ports.ts';
import { cpuBudget, type RunCpuJob } from '#lib/platform/sharing/cpu-budget.ts';
import { memoryLimiter } from '#lib/platform/sharing/memory-limiter.ts';
import type { Settings } from '#lib/settings.ts';
import type { StoreSpell } from '#test/oracle/inside.ts';
import type { Random } from '#test/support/random.ts';
import type { VirtualClock } from '#test/support/virtual-clock.ts';
import { SLOW_EXPRESSION } from './neighbor.ts';
import { count, type Observations } from './observations.ts';
import type { Profile } from './profile.ts';
import { runContext } from './run-context.ts';

/** State that the processes of a run share. `profile` changes when the faults start and stop. */
export type Shared = {
  random: Random;
  clock: VirtualClock;
  ids: Ids;
  settings: Settings;
  seen: Observations;
  table: Table;
  queues: Queues;
  bus: Bus;
  files: Files;
  /** Returns the net of the process with that number. */
  net(process: number): Net;
  publish: Publish;
  log: Log;
  profile: Profile;
  /** Lets time pass for a process, which does not notice time in which its machine sleeps. */
  sleep(ms: number): Promise<void>;
  /** Returns the total duration of stalls so far (ms). */
  stalled(): number;
  /** Returns the current fault of the store. */
  storeSpell(): StoreSpell['kind'] | undefined;
  /** Records an outage, like the host before its first job. */
  noteOutage(outage: { from: number; to: number }): Promise<void>;
};

/** A process of the service. When it is dead, its calls do not return and have no effect. */
export type Process = {
  ports: Ports;
  publish: Publish;
  dead: boolean;
  /** Whether the store executed one of its writes twice. */
  replayed: boolean;
  die(): void;
  onDeath(call: () => void): void;
};

const never = (): Promise<never> => new Promise(() => {});

const unavailable = (): AppError => new AppError('UNAVAILABLE', 'The store is unavailable.');

/** Share of rejected calls while the store throttles. */
const THROTTLED = 0.8;

/** Faults that a call can have. `slow`: factor by which slow calls are more frequent. */
type CallFaults = { refuse?: boolean; replay?: boolean; slow?: number };
/**
 * Factor for changes by users. They are slow more often, so that other functions use the old version in the meantime.
 */
const SLOW_CHANGE = 10;

/** Starts a process whose every call takes time, can fail, and can be its last. */
export function startProcess(shared: Shared): Process {
  const { random, seen, sleep, clock } = shared;
  const deaths: (() => void)[] = [];
  const process: Process = {
    ports: undefined as never,
    publish: (...message) => call(() => shared.publish(...message)),
    dead: false,
    replayed: false,
    die: () => {
      if (process.dead) return;
      process.dead = true;
      for (const call of deaths) call();
    },
    onDeath: (call) => deaths.push(call),
  };
  const time = machineTime(shared);

  const hits = (
    fault: 'crash' | 'refuse' | 'lost' | 'partly' | 'replay' | 'conflict' | 'slow',
    name: string = fault,
    times = 1,
  ): boolean => {
    const hit = random.chance(shared.profile[fault] * times);
    if (hit) count(seen, name);
    return hit;
  };

  /** Executes one call: time passes before and after it takes effect, and each step can be the last. */
  async function call<T>(work: () => Promise<T>, faults: CallFaults = {}): Promise<T> {
    if (process.dead) return never();
    time.perhapsJump();
    const { instant } = shared.profile;
    if (!instant) await sleep(hits('slow', 'slow', faults.slow) ? random.int(200, 3000) : random.int(1, 8));
    if (!process.dead && hits('crash', 'crash before')) process.die();
    if (process.dead) return never();
    if (faults.refuse) refuse();
    let response = await work();
    if (faults.replay && hits('replay')) {
      process.replayed = true;
      response = await work();
    }
    if (hits('crash', 'crash after')) process.die();
    if (process.dead) return never();
    if (faults.refuse && hits('lost', 'timeout after success')) throw unavailable();
    if (!instant) await sleep(random.int(0, 4));
    return process.dead ? never() : response;
  }

  function refuse(): void {
    if (shared.storeSpell() === 'throttling' && random.chance(THROTTLED)) {
      count(seen, 'throttled');
      throw unavailable();
    }
    if (hits('refuse')) throw unavailable();
  }

  /** Executes a batch, sometimes only a part of it: the caller then learns only that the batch failed. */
  async function perhapsPartly<T>(batch: T[], put: (part: T[]) => Promise<void>): Promise<void> {
    if (batch.length < 2 || !hits('partly', 'batch sent partly')) return put(batch);
    await put(batch.slice(0, random.int(1, batch.length - 1)));
    throw unavailable();
  }

  const read = { refuse: true };
  const write = { refuse: true, replay: true };
  const { table, queues, bus, files } = shared;
  const net = shared.net(seen.next());
  const conflict: WriteOutcome = { ok: false, failed: [], present: [], conflict: true };
  process.ports = {
    table: {
      get: (key) => call(() => table.get(key), read),
      getMany: (keys: Key[]) => call(() => table.getMany(keys), read),
      query: <T extends Item>(query: Parameters<Table['query']>[0]) => call(() => table.query<T>(query), read),
      putMany: (items) => call(() => perhapsPartly(items, table.putMany), write),
      transact: (writes) =>
        call(() => (hits('conflict') ? Promise.resolve(conflict) : table.transact(writes)), {
          ...write,
          slow: runContext.getStore()?.function === 'api' ? SLOW_CHANGE : 1,
        }),
    },
    queues: {
      send: (queue, messages) =>
        call(() => perhapsPartly(messages, (part) => sendTo(shared, queues, queue, part)), write),
    },
    bus: { publish: (events) => call(() => bus.publish(events), { refuse: true }) },
    files: {
      get: (path) => call(() => files.get(path), { refuse: true }),
      put: (path, file) => call(() => files.put(path, file), { refuse: true }),
      remove: (paths) => call(() => files.remove(paths), { refuse: true }),
    },
    net: {
      http: (request) => call(() => net.http(request)),
      open: (request, work) => call(() => net.open(request, work)),
      resolve: (request) => call(() => net.resolve(request)),
      guard: (request) => call(() => net.guard(request)),
    },
    clock: {
      now: time.now,
      sleep: async (ms) => {
        await sleep(ms);
        if (process.dead) await never();
      },
      stalled: shared.stalled,
    },
    ids: shared.ids,
    log: shared.log,
    metrics: { count: () => {} },
    limiter: memoryLimiter(clock, undefined),
    cpu: cpuBudget({ now: time.now, sleep }, simulatedCpu(seen, time.now)),
    settings: shared.settings,
    assets: NO_ASSETS,
  };
  return process;
}

/** CPU jobs by name, loaded before the first simulation, because an import takes real time. */
const jobs = new Map(await Promise.all(CPU_JOBS.map(async ({ name, load }) => [name, await load()] as const)));

/** Returns a runner that counts CPU time without using any: 300 ms for a slow expression, else 0.1 ms. */
function simulatedCpu(seen: Observations, now: () => number): RunCpuJob {
  const process = seen.next();
  return async (job, input) => {
    const isSlow = JSON.stringify(input).includes(SLOW_EXPRESSION);
    const used_ms = isSlow ? 300 : 0.1;
    if (isSlow) seen.searches.push({ process, at: now(), used_ms });
    return { output: jobs.get(job.name)!(input as never) as never, used_ms };
  };
}

/** Sends messages, unless the disk is full: the queues of one machine are in the same file as its table. */
async function sendTo(shared: Shared, queues: Queues, queue: string, messages: Parameters<Queues['send']>[1]) {
  if (shared.storeSpell() === 'disk full') throw unavailable();
  await queues.send(queue, messages);
}

/**
 * Returns the clock of a machine, which jumps occasionally if jumps are enabled. Jumps of up to `jumpMs` break only
 * promises about time, and skewOf adds twice that to their tolerance. Everything else that needs an order has a version
 * or a sequence number, except the network knowledge of a process: only its clock orders it, and it is not checked if
 * clocks jump. A clock jumps forward by minutes only while its machine sleeps, which is an outage.
 */
function machineTime(shared: Shared) {
  const { random, clock, seen } = shared;
  const { oneProcess, skewMs } = shared.profile;
  let off = oneProcess ? 0 : random.int(-skewMs, skewMs);
  return {
    now: () => clock.now() + off,
    perhapsJump: () => {
      const { jumpMs, jump } = shared.profile;
      if (jumpMs === 0 || !random.chance(jump)) return;
      off = random.int(-jumpMs, jumpMs);
      count(seen, 'clock jump');
    },
  };
}
