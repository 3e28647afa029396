import { schedules, queues as specs } from '#infra/topology.ts';
import { createAccount } from '#lib/access/change-account.ts';
import { keyTable } from '#lib/keys.ts';
import type { ApiResult } from '#lib/platform/http/api-event.ts';
import { iso } from '#lib/platform/time.ts';
import { readSettings } from '#lib/settings.ts';
import '#test/support/all-loaded.ts';
import { memoryFiles } from '#infra/local/files.ts';
import { NO_LINEAGE } from '#test/support/lineage.ts';
import { makeRandom } from '#test/support/random.ts';
import type { Caller, Services } from './clients.ts';
import { makeResultCounter, type NewItemCounts } from './count-results.ts';
import { makeCpuClock } from './cpu-clock.ts';
import { dynamoAnswers } from './dynamo-answers.ts';
import { makeEnvironments, portsOf, type World } from './environments.ts';
import { makeQueues, makeStream, type SourceWorld } from './event-sources.ts';
import { makeItemStore } from './item-store.ts';
import { makeMeter, type Reading } from './meter.ts';
import { makeTargets } from './targets.ts';

const START = Date.UTC(2026, 10, 21, 9, 0, 0);
const MINUTE_MS = 60_000;

/** Counted units and new items. `alerts`: number of received alerts. */
export type Counted = Reading & NewItemCounts & { alerts: number };

/** Request of a client to the gateway. */
export type Call = { method: string; path: string; body?: object; headers?: Record<string, string> };

/**
 * Runs the deployed service in virtual time: its functions with the adapters and clients of AWS, on a table, queues
 * with pollers, a stream, and a scheduler, all of which count units. Settings are the defaults of a deployment, except
 * for the rate limit `store`, so that a scenario can create its checks at once.
 * @param pathOf returns the path (row of the cost table) of an invocation, by its queue or stream and its function
 * @param seed of all ids, and thus of the phases of cells
 */
export function virtualAws(settings: Record<string, string>, pathOf: SourceWorld['pathOf'], seed = 1) {
  const clock = makeCpuClock(START);
  const meter = makeMeter();
  const targets = makeTargets();
  const store = makeItemStore();
  const failures: unknown[] = [];
  const counter = makeResultCounter();
  const services: Services = {
    table: dynamoAnswers(store, (item) => {
      counter.inserted(item);
      stream.inserted(item);
    }),
    send: (queue, messages) => {
      if (consumed) queues.send(queue, messages);
    },
  };
  const world: World = {
    services,
    meter,
    clock,
    random: makeRandom(seed),
    targets,
    files: memoryFiles(),
    settings: readSettings({ RATE_LIMITS: 'store=1000000/10000000', ...settings }),
  };
  const environments = makeEnvironments(world);
  const sourceWorld: SourceWorld = { clock, meter, environments, pathOf, fail: (error) => void failures.push(error) };
  const stream = makeStream(sourceWorld);
  const queues = makeQueues(sourceWorld);
  let accounts = 0;
  let consumed = false;

  async function pass(ms: number): Promise<void> {
    await clock.runFor(ms);
    if (failures.length > 0) throw failures[0];
  }

  /** Lets time pass until the promise is settled. */
  async function done<T>(promise: Promise<T>): Promise<T> {
    let open = true;
    const close = () => {
      open = false;
    };
    promise.then(close, close);
    while (open) await pass(1);
    return promise;
  }

  /** Simulates EventBridge Scheduler: a separately billed call, which sends a message. */
  function tick(minute: number): void {
    for (const { queue } of schedules) {
      const path = pathOf(queue, specs[queue].consumer);
      meter.add(path, 'schedule_calls', 1);
      meter.add(path, 'queue_requests', 1);
      queues.send(queue, [{ body: JSON.stringify({ scheduled_time: iso(minute) }), delay_ms: 0, lineage: NO_LINEAGE }]);
    }
    clock.in(MINUTE_MS, () => tick(minute + MINUTE_MS));
  }

  return {
    now: clock.now,
    targets,
    pass,
    done,
    /** Lets a time (ms) pass and returns what was counted in it. */
    count: async (ms: number): Promise<Counted> => {
      meter.reset();
      counter.reset();
      const alerts = targets.taken();
      await pass(ms);
      return { ...meter.reading(), ...counter.made(), alerts: targets.taken() - alerts };
    },
    /** Counts the costs of work until it is done. */
    during: async (work: () => Promise<void>): Promise<Reading> => {
      meter.reset();
      await done(work());
      return meter.reading();
    },
    /** Returns the bytes of a published file. */
    file: async (path: string): Promise<Uint8Array> => (await world.files.get(path))!.bytes,
    /** Calls `work` after a delay (ms). */
    in: (ms: number, work: () => void) => clock.in(ms, work),
    /** Creates an account and returns its admin key. */
    account: async (): Promise<string> => {
      const caller: Caller = { cpu_ms: 0, path: 'set-up', lineage: NO_LINEAGE };
      const made = createAccount(
        { ports: portsOf(world, 'api', caller), keys: keyTable(world.settings) },
        {
          email: `ops-${++accounts}@shop.test`,
          name: 'Shop',
          entity_limit_per_bp: 100_000,
        },
      );
      return (await done(made)).key.key;
    },
    /** Sends a request through the gateway, counted for `path`. Rejects if the status is 300 or higher. */
    call: async <Answer = { id: string }>(
      name: 'api' | 'ingest' | 'sign-in',
      path: string,
      key: string,
      { method, path: target, body, headers = {} }: Call,
    ): Promise<Answer> => {
      meter.add(path, 'gateway_requests', 1);
      const [rawPath = '', rawQueryString = ''] = target.split('?');
      const {
        statusCode,
        headers: replyHeaders,
        body: text,
      } = (await environments.invoke(name, path, {
        rawPath,
        rawQueryString,
        headers: { ...(key && { authorization: `Bearer ${key}` }), 'content-type': 'application/json', ...headers },
        body: body && JSON.stringify(body),
        isBase64Encoded: false,
        requestContext: { requestId: 'r', http: { method, path: rawPath } },
      })) as ApiResult;
      if (statusCode >= 300) throw new Error(`${method} ${target}: ${statusCode} ${text}`);
      const isText = replyHeaders['content-type']?.startsWith('text/plain');
      return (text && !isText ? JSON.parse(text) : undefined) as Answer;
    },
    /** Starts ticks and consumers. Earlier messages are dropped, because jobs of new checks are not measured. */
    start: () => {
      consumed = true;
      queues.start();
      tick(Math.floor(clock.now() / MINUTE_MS) * MINUTE_MS);
    },
  };
}

export type VirtualAws = ReturnType<typeof virtualAws>;
