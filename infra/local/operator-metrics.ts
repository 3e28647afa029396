import { statfs } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { queues, streams } from '#infra/topology.ts';
import { createServer } from '#lib/net/node-http.ts';
import { namesOf } from '#lib/platform/plain-data.ts';
import type { Clock, Log, Metrics, Tallied } from '#lib/platform/ports.ts';
import { lastTick } from './feeds/ticks.ts';
import type { Store } from './store/store.ts';

/** Address of the metrics: reading them needs no key, so only this machine can reach them. */
const HOST = '127.0.0.1';

/** Counters by outcome, all exported from the start, because a rate needs a sample before the first event. */
const TALLIES: Readonly<Record<Tallied, { name: string; help: string; outcomes: readonly string[] }>> = {
  probes: {
    name: 'fleetwatch_probes_total',
    help: 'Scheduled probes by outcome; gap: not recorded, because the cause was in the service or its network.',
    outcomes: ['success', 'failure', 'gap'],
  },
  deliveries: {
    name: 'fleetwatch_delivery_attempts_total',
    help: 'Attempts of deliveries by outcome; failed: no further attempt.',
    outcomes: ['sent', 'retrying', 'failed'],
  },
  requests: {
    name: 'fleetwatch_http_requests_total',
    help: 'Requests by status class of the response.',
    outcomes: ['2xx', '3xx', '4xx', '5xx'],
  },
};

/** Counters of the events that AWS counts in CloudWatch, by the name there. */
const EVENTS: Readonly<Record<string, { name: string; help: string }>> = {
  LateProbes: {
    name: 'fleetwatch_late_slots_total',
    help: 'Slots of a cell that were skipped because the service was late by more than their interval.',
  },
  UnknownPings: { name: 'fleetwatch_unknown_pings_total', help: 'Pings whose URL does not exist.' },
  RefusedPings: { name: 'fleetwatch_refused_pings_total', help: 'Pings refused by a rate limit.' },
};

/** Metrics of prom-client whose names promtool rejects: gauges that end in `_total`. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

type Source = { store: Store; dir: string | undefined; clock: Pick<Clock, 'now'>; log: Log };

type OperatorMetrics = Required<Metrics> & {
  /** Serves `GET /metrics` on the loopback address. Throws an Error if the port is in use. */
  serve(port: number, source: Source): Promise<{ url: string; stop(): void }>;
};

/** Creates the metrics of the operator: counts since the start, and values that are read during a scrape. */
export function operatorMetrics(): OperatorMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const events = new Map(
    Object.entries(EVENTS).map(([event, named]) => [event, new Counter({ ...named, registers })] as const),
  );
  const tallies = Object.fromEntries(
    namesOf(TALLIES).map((tallied) => {
      const { name, help, outcomes } = TALLIES[tallied];
      const counter = new Counter({ name, help, labelNames: ['outcome'], registers });
      for (const outcome of outcomes) counter.inc({ outcome }, 0);
      return [tallied, counter];
    }),
  ) as Record<Tallied, Counter<'outcome'>>;

  return {
    count: (name) => events.get(name)?.inc(),
    tally: (tallied, outcome) => tallies[tallied].inc({ outcome }),
    serve: async (port, source) => {
      addStored(registry, source);
      if (source.dir !== undefined) addDisk(registry, source.dir);
      const server = createServer((request, response) => {
        answer(registry, request, response).catch((error: unknown) => {
          source.log.error('operator metrics not read', { error });
          response.writeHead(500).end('The metrics could not be read; the log has the cause.\n');
        });
      });
      await new Promise<void>((resolve, reject) => {
        server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, port)));
        server.listen(port, HOST, resolve);
      });
      return {
        url: `http://${HOST}:${(server.address() as { port: number }).port}/metrics`,
        stop: () => {
          server.close();
          server.closeAllConnections();
        },
      };
    },
  };
}

async function answer(registry: Registry, { method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (url?.split('?')[0] !== '/metrics' || (method !== 'GET' && method !== 'HEAD')) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Only GET /metrics exists here.\n');
    return;
  }
  const text = await registry.metrics();
  response.writeHead(200, { 'content-type': registry.contentType }).end(method === 'HEAD' ? undefined : text);
}

const cannotListen = ({ code }: NodeJS.ErrnoException, port: number): Error =>
  new Error(
    code === 'EADDRINUSE'
      ? `Port ${port} on ${HOST} is in use. Choose another one, as in METRICS_PORT=9788 npm start.`
      : `The metrics cannot listen on ${HOST}:${port} (${code}). Check METRICS_PORT.`,
  );

type Labels = Readonly<Record<string, string>>;

/** Adds values of the store. Their queries read indexes only, except dead letters, which are few. */
function addStored(registry: Registry, { store, clock }: Source): void {
  const { db, read } = store;
  const due = db.prepare(
    `SELECT count(*) AS count, min(visible_at) AS oldest FROM messages INDEXED BY messages_by_due
     WHERE queue = ? AND dead_at IS NULL AND visible_at <= ?`,
  );
  const later = db.prepare(
    `SELECT count(*) AS count FROM messages INDEXED BY messages_by_due
     WHERE queue = ? AND dead_at IS NULL AND visible_at > ?`,
  );
  const dead = db.prepare('SELECT count(*) AS count FROM messages WHERE dead_at IS NOT NULL AND queue = ?');
  const unread = db.prepare(
    `SELECT max(0, coalesce((SELECT max(seq) FROM changes), 0) - seq) AS count FROM checkpoints WHERE consumer = ?`,
  );
  const pragma = (name: string) => Number(db.prepare(`PRAGMA ${name}`).get()![name]);
  const pageSize = pragma('page_size');
  const ofQueues = (value: (queue: string, set: (value: number, more?: Labels) => void) => void) => (set: SetValue) => {
    for (const queue of namesOf(queues)) value(queue, (number, more) => set(number, { queue, ...more }));
  };
  const add = (name: string, help: string, labelNames: string[], collect: (set: SetValue) => void) =>
    addGauge(registry, { name: `fleetwatch_${name}`, help, labelNames }, (set) => read(() => collect(set)));

  add(
    'queue_messages',
    'Messages of each queue; due: waiting for a free function, later: delayed or in flight.',
    ['queue', 'state'],
    ofQueues((queue, set) => {
      const now = clock.now();
      set(Number(due.get(queue, now)!.count), { state: 'due' });
      set(Number(later.get(queue, now)!.count), { state: 'later' });
    }),
  );
  add(
    'queue_oldest_due_message_age_seconds',
    'Time since the oldest due message of each queue became due; 0 without one.',
    ['queue'],
    ofQueues((queue, set) => {
      const now = clock.now();
      set((now - Number(due.get(queue, now)!.oldest ?? now)) / 1000);
    }),
  );
  add(
    'dead_letters',
    'Messages of each queue that failed permanently.',
    ['queue'],
    ofQueues((queue, set) => set(Number(dead.get(queue)!.count))),
  );
  add('unread_changes', 'Changes of the table that each consumer has yet to read.', ['consumer'], (set) => {
    for (const { name } of streams) set(Number(unread.get(name)?.count ?? 0), { consumer: name });
  });
  add('last_tick_timestamp_seconds', 'Minute for which the schedule last sent its messages.', [], (set) => {
    const last = lastTick(store);
    if (last !== undefined) set(last / 1000);
  });
  add('store_bytes', 'Size of the database file.', [], (set) => set(pageSize * pragma('page_count')));
  add('store_unused_bytes', 'Free space inside the database file, from deleted data, reused for new data.', [], (set) =>
    set(pageSize * pragma('freelist_count')),
  );
}

function addDisk(registry: Registry, dir: string): void {
  const named = (name: string, help: string) => ({ name: `fleetwatch_disk_${name}_bytes`, help, labelNames: [] });
  addGauge(registry, named('size', 'Size of the disk with DATA_DIR.'), async (set) => {
    const { blocks, bsize } = await statfs(dir);
    set(blocks * bsize);
  });
  addGauge(registry, named('free', 'Space of the disk with DATA_DIR that the service can use.'), async (set) => {
    const { bavail, bsize } = await statfs(dir);
    set(bavail * bsize);
  });
}

type SetValue = (value: number, labels?: Labels) => void;

function addGauge(
  registry: Registry,
  named: { name: string; help: string; labelNames: string[] },
  collect: (set: SetValue) => void | Promise<void>,
): void {
  new Gauge({
    ...named,
    registers: [registry],
    collect() {
      return collect((value, labels = {}) => this.set(labels, value));
    },
  });
}
