import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { type Host, startHost } from '#infra/local/host.ts';
import { readHostSettings } from '#infra/local/settings.ts';
import type { Store } from '#infra/local/store/store.ts';
import { setLimits } from '#lib/access/change-account.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { Log } from '#lib/platform/ports.ts';
import type { Started } from './figures.ts';
import { type ProcessTime, takeProcessTime } from './process-time.ts';
import type { Targets } from './targets.ts';

// biome-ignore lint/suspicious/noExplicitAny: responses of every shape
export type ApiResponse = { body: any; next: string | undefined };

/** An embedded service on disk, in virtual time, across restarts of its host. */
export type Life = Disposable & {
  dir: string;
  store(): Store;
  /** Warnings and errors in its log. */
  logged: { warnings: number; errors: string[] };
  /** Calls the API. @throws if the response is not a 2xx */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
  /** Lets virtual time pass. */
  pass(ms: number): Promise<void>;
  now(): number;
  /** Returns the duration (ms) of each write since the last call, to the end of its COMMIT; only writes with `sync`. */
  takeLatencies(): number[];
  /** Sets whether each commit is flushed to the disk before the response, as in production. */
  sync(on: boolean): void;
  /** Restarts the host on its data, three times, each after two virtual seconds. Returns the shortest durations. */
  restart(): Promise<Started>;
  stop(): Promise<void>;
};

const AWAY_MS = 2000;
const STARTS = 3;
const FIRST_REQUEST = '/v1/status?limit=1';
const UNWATCHED_TURNS = 20;

let writing = 0;
let time: ProcessTime | undefined;

/** Returns the only virtual time of this process; only the first call uses `start` (epoch ms). */
export function processTime(start: number): ProcessTime {
  time ??= takeProcessTime(start, () => writing > 0);
  return time;
}

/** Starts a service on an empty folder. Its account keeps results for `retention` days. */
export async function startLife(clock: ProcessTime, targets: Targets, retention: number): Promise<Life> {
  const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-years-'));
  const logged: Life['logged'] = { warnings: 0, errors: [] };
  const log: Log = {
    info: () => {},
    warn: () => logged.warnings++,
    error: (message, fields) => logged.errors.push(`${message} ${inspect(fields, { breakLength: Infinity })}`),
  };
  const { settings } = readHostSettings({});
  const latencies: number[] = [];
  let synced = true;
  let host: Host;
  let key = '';

  const world = { clock, ids: makeIds(clock), net: targets.net };
  const startOn = (folder: string) => startHost({ settings, log, dir: folder, host: '127.0.0.1', port: 0, world });

  async function start(): Promise<void> {
    host = await startOn(dir);
    key = host.adminKey?.raw ?? key;
    watch(host.ports.table.store);
    // Writes that began before `watch` are not counted as pending: these turns let them end.
    for (let turns = 0; turns < UNWATCHED_TURNS; turns++) await new Promise((resolve) => setImmediate(resolve));
  }

  /** Counts pending writes of the service, and measures them. */
  function watch(store: Store): void {
    const { write } = store;
    store.write = async (job, keep) => {
      writing++;
      const begun = performance.now();
      try {
        return await write(job, synced ? keep : 'soon');
      } finally {
        writing--;
        if (synced && keep !== 'soon') latencies.push(performance.now() - begun);
      }
    };
  }

  const call: Life['call'] = (method, path, body, headers) =>
    clock.passUntil(send(host.url + path, { method, headers: { authorization: `Bearer ${key}`, ...headers } }, body));

  await start();
  const { body: me } = await call('GET', '/v1/me');
  const scope = { ports: host!.ports, keys: host!.keys, tenant: me.id as string, origin: 'operator' } as const;
  const limits = { entity_limit_per_bp: 1000, retention_days: retention };
  await setLimits(scope, limits);

  return {
    dir,
    logged,
    store: () => host.ports.table.store,
    call,
    now: clock.now,
    pass: clock.pass,
    takeLatencies: () => latencies.splice(0),
    sync: (on) => {
      synced = on;
    },
    restart: async () => {
      const took: Started[] = [];
      for (let n = 0; n < STARTS; n++) {
        await clock.passUntil(host.stop());
        await clock.pass(AWAY_MS);
        const begun = performance.now();
        await start();
        await call('GET', FIRST_REQUEST);
        took.push({ start: performance.now() - begun, start0: await startEmpty(startOn) });
        await clock.settle();
      }
      return {
        start: Math.min(...took.map((one) => one.start)),
        start0: Math.min(...took.map((one) => one.start0)),
      };
    },
    stop: async () => void (await clock.passUntil(host.stop())),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }),
  };
}

/** Measures the real ms from an empty folder to the first response. */
async function startEmpty(startOn: (folder: string) => Promise<Host>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'fleetwatch-empty-'));
  const begun = performance.now();
  const empty = await startOn(folder);
  await send(
    empty.url + FIRST_REQUEST,
    { method: 'GET', headers: { authorization: `Bearer ${empty.adminKey?.raw}` } },
    undefined,
  );
  const took = performance.now() - begun;
  await empty.stop();
  rmSync(folder, { recursive: true, force: true });
  return took;
}

type Sent = { method: string; headers: Record<string, string> };

/** Sends one request on a separate connection. Does not use fetch, whose timers would be virtual too. */
function send(url: string, { method, headers }: Sent, body: unknown): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, async (response) => {
      let text = '';
      for await (const part of response.setEncoding('utf8')) text += part;
      if (response.statusCode! >= 300) reject(new Error(`${method} ${url}: ${response.statusCode} ${text}`));
      const answer = text === '' ? undefined : JSON.parse(text);
      resolve({ body: answer, next: nextOf(url, response.headers.link, answer?.next_cursor) });
    });
    sent.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Returns the path of the next page. */
function nextOf(url: string, link: string | string[] | undefined, cursor: string | null | undefined) {
  const named = /<(.+)>; rel="next"/.exec(String(link ?? ''))?.[1];
  if (named) return named;
  if (!cursor) return undefined;
  const page = new URL(url);
  page.searchParams.set('cursor', cursor);
  return page.pathname + page.search;
}
