import type { Ports } from '#lib/env.ts';
import { makeNet } from '#lib/net/node-net.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { Log, Metrics } from '#lib/platform/ports.ts';
import { cpuBudget } from '#lib/platform/sharing/cpu-budget.ts';
import { memoryLimiter } from '#lib/platform/sharing/memory-limiter.ts';
import { type Rates, ratesIn } from '#lib/platform/sharing/rates.ts';
import type { Settings } from '#lib/settings.ts';
import { localAssets } from './assets.ts';
import { cpuThread } from './cpu-thread.ts';
import { type LocalBus, makeBus } from './feeds/bus.ts';
import { type LocalQueues, makeQueues } from './feeds/queues.ts';
import { localFiles } from './files.ts';
import type { LoopTurns } from './loop-turns.ts';
import { makeTable, type SqliteTable } from './store/sqlite-table.ts';
import type { Store } from './store/store.ts';

export type LocalPorts = Ports & { table: SqliteTable; queues: LocalQueues; bus: LocalBus };

/** Default rates on one machine; RATE_LIMITS overrides them. */
const RATES: Rates = {
  read: { per_second: 500, burst: 5000 },
  write: { per_second: 500, burst: 5000 },
  push: { per_second: 5000, burst: 20_000 },
  mcp: { per_second: 100, burst: 1000 },
  send: { per_second: 5, burst: 20 },
  // In KB: 2 GB on the first day, 1.8 GB on each later day.
  store: { per_second: 20, burst: 262_144 },
  open: { per_second: 20, burst: 100 },
  'sign-in': { per_second: 1, burst: 20 },
  ping: { per_second: 100, burst: 1000 },
  'ping-url': { per_second: 2, burst: 60 },
};

/** Creates the ports of all functions on one machine: one store, and the clock and sockets of the machine. */
export function makePorts(
  store: Store,
  {
    settings,
    log,
    inTurn,
    onInserted,
    dir,
    // One machine has no alarms: GET /v1/health shows the last failed delivery.
    metrics = { count: () => {} },
    clock = systemClock,
    ids = makeIds(clock),
    net = makeNet(settings),
  }: Options,
): LocalPorts {
  return {
    table: makeTable(store, { now: clock.now, inTurn, ...(onInserted && { onInserted }) }),
    queues: makeQueues(store, { clock, log }),
    bus: makeBus(log),
    files: localFiles(dir),
    net,
    clock,
    ids,
    log,
    metrics,
    limiter: memoryLimiter(clock, ratesIn(settings.RATE_LIMITS, RATES)),
    cpu: cpuBudget(clock, cpuThread()),
    settings,
    assets: localAssets(log),
  };
}

/** Ports of the machine that tests and recordings replace. */
export type GivenPorts = Pick<Ports, 'clock' | 'ids' | 'net'>;

type Options = Partial<GivenPorts> & {
  settings: Settings;
  log: Log;
  inTurn: LoopTurns;
  /** Data directory; undefined: in memory. */
  dir?: string | undefined;
  onInserted?: () => void;
  metrics?: Metrics | undefined;
};
