import { join } from 'node:path';
import { type Env, envOf } from '#lib/env.ts';
import type { Keys } from '#lib/keys.ts';
import type { Log } from '#lib/platform/ports.ts';
import { recordOutage } from '#lib/schedule/outages.ts';
import type { Settings } from '#lib/settings.ts';
import { watchDisk } from './disk-watch.ts';
import { startChangeStream } from './feeds/change-stream.ts';
import { startConsumers } from './feeds/consumers.ts';
import type { Feed } from './feeds/feeds.ts';
import { lastTick, startTicks } from './feeds/ticks.ts';
import { ensureFirstAccount, type FirstKey } from './first-account.ts';
import { browserAddress } from './first-link.ts';
import { makeFunctions } from './functions.ts';
import type { TrustedProxies } from './http/client-address.ts';
import { makeGateway } from './http/http.ts';
import { type Liveness, outageBefore, writeLiveness } from './liveness.ts';
import { loopTurns } from './loop-turns.ts';
import { type GivenPorts, type LocalPorts, makePorts } from './ports.ts';
import { keepLayout } from './store/layout.ts';
import { lockDirectory } from './store/lock.ts';
import { migrateStore } from './store/migrate.ts';
import { openStore, STORE_FILE } from './store/store.ts';
import { startSweep } from './store/sweep.ts';

type HostOptions = {
  settings: Settings;
  log: Log;
  dir: string | undefined;
  host: string;
  port: number;
  proxies?: TrustedProxies;
  /** Port of the operator's metrics; undefined: none. */
  metricsPort?: number | undefined;
  world?: Partial<GivenPorts>;
};

export type Host = {
  url: string;
  metricsUrl: string | undefined;
  adminKey: FirstKey;
  ports: LocalPorts;
  keys: Keys;
  /** Stops accepting requests and messages, and waits up to 10 s for those in flight. @returns whether they finished */
  stop(): Promise<boolean>;
};

const DRAIN_MS = 10_000;

/** Starts the service in this process. Throws an Error with the remedy if folder, port or settings do not allow it. */
export async function startHost({
  settings,
  log,
  dir,
  host,
  port,
  proxies,
  metricsPort,
  world,
}: HostOptions): Promise<Host> {
  const undo: (() => void)[] = [];
  const release = () => {
    for (const step of undo.reverse()) step();
  };
  try {
    if (dir !== undefined) {
      undo.push(lockDirectory(dir));
      migrateStore(dir, log);
    }
    const store = openStore({ file: dir === undefined ? ':memory:' : join(dir, STORE_FILE) });
    undo.push(store.close);
    keepLayout(store, settings);
    // The defaults of ping URLs and of links in alerts depend on the port, so they are set after listening.
    const completed: Settings = { ...settings, PING_URL: settings.PING_URL || settings.PUBLIC_URL };
    const inTurn = loopTurns();
    // Loaded only if used, because few starts need it.
    const metrics = metricsPort === undefined ? undefined : (await import('./operator-metrics.ts')).operatorMetrics();
    const onInserted = () => changes?.wake();
    const ports = makePorts(store, { settings: completed, log, dir, inTurn, metrics, ...world, onInserted });
    const env = envOf(ports);
    let changes: Feed | undefined;
    await ports.queues.recover();
    const life = dir === undefined ? undefined : await watchOutages(env, join(dir, 'alive'), lastTick(store));
    if (life) undo.push(life.stop);
    if (dir !== undefined) undo.push((await watchDisk(env, dir)).stop);
    const adminKey = await ensureFirstAccount(env, dir);
    const handlers = makeFunctions(ports);
    const metricsServer = await metrics?.serve(metricsPort!, { store, dir, clock: ports.clock, log });
    if (metricsServer) undo.push(metricsServer.stop);
    const gateway = makeGateway(handlers, {
      settings,
      log,
      inTurn,
      metrics: ports.metrics,
      ...(proxies && { proxies }),
    });
    const bound = await gateway.listen(host, port).catch((error) => Promise.reject(cannotListen(error, host, port)));
    const url = addressOf(host, bound);
    completed.service_url = browserAddress(url);
    completed.PING_URL ||= isWildcard(host) ? completed.service_url : url;

    // Work starts only after the outage before this start was recorded.
    changes = startChangeStream(store, handlers, log);
    const consumers = startConsumers(ports.queues, handlers, { ...ports, afterPause: () => life?.afterPause() });
    const stopTicks = startTicks(store, ports.queues, ports);
    const stopSweep = startSweep(ports, log, consumers.wake);

    return {
      url,
      metricsUrl: metricsServer?.url,
      adminKey,
      ports,
      keys: env.keys,
      stop: async () => {
        stopTicks();
        stopSweep();
        const inTime = await within(DRAIN_MS, Promise.all([gateway.stop(), consumers.stop(), changes.stop()]));
        if (!inTime) log.warn('unfinished work interrupted, will be retried at the next start');
        gateway.cut();
        try {
          if (inTime) store.rewrite();
        } catch (error) {
          log.warn('store not rewritten, traces of deleted data stay until the next stop', { error });
        }
        release();
        return inTime;
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

const isWildcard = (host: string): boolean => host === '0.0.0.0' || host === '::';

const addressOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

async function watchOutages(env: Env, file: string, tick: number | undefined): Promise<Liveness> {
  const outage = outageBefore(file, env.ports.clock.now(), tick);
  if (outage) await recordOutage(env, outage);
  return writeLiveness(file, env.ports.log, (pause) => recordOutage(env, pause));
}

function cannotListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new Error(`Port ${port} on ${host} is in use. Choose another one, as in PORT=8788 npm start.`);
  }
  return new Error(`Fleetwatch cannot listen on ${host}:${port} (${error.code}). Check HOST and PORT.`);
}

async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  return Promise.race([work.then(() => true), late]).finally(() => clearTimeout(timer));
}
