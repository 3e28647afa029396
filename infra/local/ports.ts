import { systemClock } from '#lib/platform/clock.ts';
import { makeIds } from '#lib/platform/ids.ts';
import { makeNet } from '#lib/platform/node-net.ts';
import type { Log, Ports } from '#lib/platform/ports.ts';
import type { Settings } from '#lib/platform/settings.ts';
import { type LocalBus, makeBus } from './bus.ts';
import { type LocalQueues, makeQueues } from './queues.ts';
import { makeTable, type SqliteTable } from './sqlite-table.ts';
import type { Store } from './store.ts';

export type LocalPorts = Ports & { table: SqliteTable; queues: LocalQueues; bus: LocalBus };

/** The world of every function on one machine: one store, the machine's clock and sockets. */
export function makePorts(
  store: Store,
  { settings, log, onInserted, clock = systemClock, ids = makeIds(clock), net = makeNet(settings) }: Options,
): LocalPorts {
  return {
    table: makeTable(store, { now: clock.now, ...(onInserted && { onInserted }) }),
    queues: makeQueues(store, { clock, log }),
    bus: makeBus(log),
    net,
    clock,
    ids,
    log,
    // On one machine no alarm is there to look: GET /v1/health says when a delivery last failed.
    metrics: { count: () => {} },
    settings,
  };
}

/** What the machine gives to the functions. */
export type World = Pick<Ports, 'clock' | 'ids' | 'net'>;

type Options = Partial<World> & { settings: Settings; log: Log; onInserted?: () => void };
