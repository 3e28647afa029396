import { memoryFiles } from '#infra/local/files.ts';
import { createAccount } from '#lib/access/change-account.ts';
import type { Ports } from '#lib/env.ts';
import { keyTable } from '#lib/keys.ts';
import type { QueueName } from '#lib/messages.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { Item } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import { recordOutage } from '#lib/schedule/outages.ts';
import { readSettings } from '#lib/settings.ts';
import { memoryLog } from '#test/support/log.ts';
import { plainTable } from '#test/support/plain-table.ts';
import { makeRandom } from '#test/support/random.ts';
import { makeClock, type VirtualClock } from '#test/support/virtual-clock.ts';
import '#test/support/all-loaded.ts';
import { makeObservations } from './observations.ts';
import { observedTable } from './observed-table.ts';
import type { Shared } from './process.ts';
import { type Profile, repaired } from './profile.ts';
import { makeClient } from './requests.ts';
import { virtualCloud } from './virtual-cloud.ts';
import { virtualHosts } from './virtual-hosts.ts';

type ApiCall = [method: string, path: string, body?: unknown];

const DAY = '2026-11-21';
/** Returns a time of DAY (epoch ms), given as `09:40` or `09:40:30`. */
export const timeOfDay = (text: string): number => Date.parse(`${DAY}T${text}${text.length === 5 ? ':00' : ''}Z`);

/**
 * Starts the real functions in virtual time, with a table in memory, the simulated cloud without faults, and scripted
 * targets and receivers: `await service.until('09:40'); service.host('shop.test').does('fails');`.
 * @param settings override the settings of one machine
 * @param machines `one`: one for everything; `many`: one for each invocation, with the queues of AWS
 * @param quick whether the table is made of plain objects instead of SQLite, has no observations, and takes no time;
 *   for long runs and many entities
 */
export async function virtualService(
  from: string,
  settings: Record<string, string> = {},
  machines: 'one' | 'many' = 'one',
  quick = false,
) {
  const random = makeRandom(7);
  const time = makeClock(timeOfDay(from));
  /** Time by which the service's clock was set back (ms). */
  let behind = 0;
  /** Total duration of stalls of its processes (ms). */
  let stalled_ms = 0;
  const clock: VirtualClock = {
    ...time,
    now: () => time.now() - behind,
    // Work that waits for a time waits longer when the clock is set back.
    at: (when, work) =>
      time.at(when + behind, () => (clock.now() < when && behind > 0 ? clock.at(when, work) : work())),
    runUntil: (end) => time.runUntil(end + behind),
  };
  const seen = makeObservations();
  const parsed = readSettings({
    CHECK_EGRESS: 'any',
    MIN_INTERVAL_SECONDS: '1',
    SHARDS: '1',
    BUCKETS: '1',
    JOB_GROUP_MS: '50',
    REFERENCE_HOST: '.',
    ...settings,
  });
  const keys = keyTable(parsed);
  const observed = quick ? undefined : observedTable(clock, seen, (item) => cloud.inserted(item));
  const plain = plainTable((item) => cloud.inserted(item));
  const log = memoryLog();
  /** Replaced by a test: whether the whole service crashes before a send to a queue or the response of a host. */
  const fatal = { send: (_queue: QueueName): boolean => false, call: (_host: string): boolean => false };
  const killed = (): Promise<never> => {
    cloud.outage(3000);
    return new Promise(() => {});
  };
  const hosts = virtualHosts(clock, async (host) => {
    if (fatal.call(host)) await killed();
  });
  const published = memoryFiles();
  const renderings: number[] = [];
  /** If set, the next write of a file waits until it resolves, which stops the publisher. */
  let stopped: Promise<void> | undefined;
  const files: Shared['files'] = {
    ...published,
    put: async (path, file) => {
      const waiting = stopped;
      stopped = undefined;
      await waiting;
      if (path.endsWith('.json')) renderings.push(time.now());
      await published.put(path, file);
    },
  };
  const shared: Shared = {
    random,
    clock,
    ids: makeIds(clock, random.bytes),
    settings: parsed,
    seen,
    table: observed ?? plain,
    queues: {
      send: async (queue, messages) => {
        if (fatal.send(queue as QueueName)) await killed();
        cloud.send(queue, messages);
      },
    },
    bus: { publish: async () => {} },
    files,
    net: () => hosts.net,
    publish: async () => {},
    sleep: clock.sleep,
    stalled: () => stalled_ms,
    storeSpell: () => undefined,
    log,
    profile: repaired({
      oneProcess: machines === 'one',
      shards: 1,
      jobGroupMs: 50,
      quiet: true,
      instant: quick,
    } as Profile),
    noteOutage: (outage) => recordOutage({ ports: outside, keys }, outage),
  };
  const outside = shared as unknown as Ports;
  const cloud = virtualCloud(shared);

  /** Lets time pass until the promise settles. */
  async function done<T>(promise: Promise<T>): Promise<T> {
    let open = true;
    const close = () => {
      open = false;
    };
    promise.then(close, close);
    while (open) await clock.runUntil(clock.now() + 10);
    return promise;
  }

  let ticking = true;
  const tick = (): void => {
    const minute = Math.floor(clock.now() / 60_000) * 60_000;
    if (ticking && cloud.isRunning()) cloud.send('tick', [{ body: { scheduled_time: iso(minute) } }]);
    time.at(minute + 60_000 + behind, tick);
  };
  tick();

  /** Creates an account with a blueprint `service`. @returns its id, and functions that call the API with its key */
  async function makeAccount(name: string) {
    const email = `ops@${name.toLowerCase()}.test`;
    const { account, key } = await done(createAccount({ ports: outside, keys }, { email, name, egress: 'any' }));
    const client = makeClient(cloud.request, key.key, clock);
    async function request(...[method, path, body]: ApiCall) {
      const response = await client(method, path, body);
      if (!response || response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(response)}`);
      // biome-ignore lint/suspicious/noExplicitAny: a test reads responses of every shape
      return response.body as any;
    }
    await done(request('POST', '/v1/blueprints', { slug: 'service', name: 'Service' }));
    return { id: account.id, request, call: (...one: ApiCall) => done(request(...one)) };
  }
  const { request, call } = await makeAccount('Shop');
  let entities = 0;

  return {
    /**
     * Sends one API call and waits for it; throws unless it returns a 2xx. Calls must not overlap, because each moves
     * the clock.
     */
    call,
    /** Creates another account. */
    account: makeAccount,
    /** Sends concurrent calls. */
    callAtOnce: (calls: ApiCall[]) => done(Promise.all(calls.map((one) => request(...one)))),
    host: hosts.host,
    log,
    keys,
    files: published,
    /** Returns the times of the renderings of status pages so far (epoch ms). */
    rendered: () => renderings,
    /** Stops the next publisher before its first file. @returns a function that lets it continue */
    stopPublisher: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      stopped = promise;
      return resolve;
    },
    fatal,
    seen,
    now: clock.now,
    sleep: clock.sleep,
    /** Lets time pass up to a time of day, or epoch ms. */
    until: (time: string | number) => clock.runUntil(typeof time === 'number' ? time : timeOfDay(time)),
    pass: (ms: number) => clock.runUntil(clock.now() + ms),
    /** Sets whether messages are received but not run, as when Lambda has no concurrency left for queues. */
    throttle: (isThrottled: boolean) => {
      shared.profile.unrun = isThrottled ? 1 : 0;
    },
    /** Sets the service's clock back: work that waits for a time on it has to wait longer. */
    stepBack: (ms: number) => {
      behind += ms;
    },
    /** Makes the processes record a stall of this length (ms). */
    stallFor: (ms: number) => {
      stalled_ms += ms;
    },
    /** Sets whether later ticks arrive; everything else continues. */
    ticks: (arrive: boolean) => {
      ticking = arrive;
    },
    /** Stops the whole service for `ms`; one machine sends the current minute's tick when it is back. */
    away: (ms: number) => {
      cloud.outage(ms);
      clock.at(clock.now() + ms + 100, () => {
        cloud.send('tick', [{ body: { scheduled_time: iso(Math.floor(clock.now() / 60_000) * 60_000) } }]);
      });
    },
    entity: async () => {
      const slug = `entity-${++entities}`;
      return call('POST', '/v1/blueprints/service/entities', { slug, name: `Entity ${entities}` });
    },
    /** Returns all items of the table. */
    items: (): Item[] => (observed ? [...seen.table.values()] : plain.items()),
    close: () => observed?.close(),
  };
}

export type VirtualService = Awaited<ReturnType<typeof virtualService>>;

/**
 * Creates an entity with a check that alerts the host `receiver`, by default over a webhook. By default the check
 * probes http://shop.test/ every ten seconds and goes down at the first failure.
 */
export async function alertingCheck(
  service: VirtualService,
  {
    receiver = 'pager.test',
    channel_type = 'webhook',
    policy = {},
    ...more
  }: { receiver?: string; channel_type?: string; policy?: object; [member: string]: unknown } = {},
) {
  const entity = await service.entity();
  const http = { check_type: 'http', target_url: 'http://shop.test/', interval_seconds: 10 };
  const settings = { ...(more.check_type === undefined && http), failure_threshold: 1, ...more };
  const check = await service.call('POST', '/v1/checks', { ...settings, entity_id: entity.id });
  const base = `/v1/checks/${check.id}`;
  await service.call('POST', `${base}/policy`, policy);
  const config = { url: `https://${receiver}/hook` };
  await service.call('POST', `${base}/policy/channels`, { channel_type, config });
  return {
    id: check.id as string,
    entity,
    policy: (change: object) => service.call('POST', `${base}/policy`, change),
    change: (change: object) => service.call('PUT', base, change),
    remove: () => service.call('DELETE', base),
    push: (success: boolean, warning_message = '') =>
      service.call('POST', `${base}/results`, { success, latency_ms: 5, warning_message }),
    read: (what: '' | '/transitions' | '/results' | '/gaps' | '/sparkline' | '/policy' = '') =>
      service.call('GET', `${base}${what}`),
  };
}

/** Returns the alerts that a receiver accepted, in order, such as `09:40 state_change down`. */
export const alertsAt = (service: VirtualService, receiver = 'pager.test'): string[] =>
  service
    .host(receiver)
    .calls.flatMap(({ at, headers, body, status }) =>
      status === 200
        ? [`${iso(at).slice(11, 16)} ${headers['X-Service-Kind']} ${JSON.parse(body).check_to_state}`]
        : [],
    );
