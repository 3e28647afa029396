import { memoryFiles } from '#infra/local/files.ts';
import { openTable } from '#infra/local/store/sqlite-table.ts';
import type { AccountItem, NewAccount, UserItem } from '#lib/access/account.ts';
import type { IssuedKey } from '#lib/access/api-key.ts';
import { authenticate } from '#lib/access/authenticate.ts';
import { createAccount } from '#lib/access/change-account.ts';
import type { Origin } from '#lib/access/context.ts';
import { onChange } from '#lib/alerting/on-change.ts';
import type { StateContext } from '#lib/checks/state/on-change.ts';
import { envOf, type Ports } from '#lib/env.ts';
import { NO_ASSETS } from '#lib/platform/assets.ts';
import type { Message, Table } from '#lib/platform/ports.ts';
import { cpuBudget, runInline } from '#lib/platform/sharing/cpu-budget.ts';
import { memoryLimiter } from '#lib/platform/sharing/memory-limiter.ts';
import { readSettings } from '#lib/settings.ts';
import { memoryLog } from './log.ts';
import { repeatableIds } from './random.ts';

export type Requests = { reads: number; writes: number };

type Options = {
  /** Settings of the environment. */
  env?: Record<string, string>;
  /** Epoch ms at which the clock begins. */
  start?: number;
  /** Ports that replace the default ones. */
  ports?: Partial<Ports>;
};

/**
 * Builds the world of tests that run use cases without a host: a real table in memory whose requests are counted, a
 * clock that a test moves, repeatable ids, queues that record messages, and the hook of alerting. Nothing is rate
 * limited.
 */
export function memoryWorld(
  wrap: (table: Table) => Table = (table) => table,
  { env: variables = {}, start = Date.UTC(2026, 10, 21, 5, 16, 40), ports: own = {} }: Options = {},
) {
  let now = start;
  const clock = {
    now: () => now,
    sleep: async (ms: number) => {
      // The clock has whole milliseconds.
      now += Math.ceil(ms);
      await new Promise(setImmediate);
    },
    stalled: () => 0,
  };
  const requests: Requests = { reads: 0, writes: 0 };
  // Reads start at once and not in turns of the event loop, so that a slow machine does not delay them.
  const store = openTable({ file: ':memory:', inTurn: (_from, begin) => begin() });
  const counted = <M extends 'get' | 'getMany' | 'query' | 'putMany' | 'transact'>(
    method: M,
    kind: keyof Requests,
  ): Table[M] =>
    ((...given: never[]) => {
      requests[kind] += 1;
      return (store[method] as (...given: never[]) => unknown)(...given);
    }) as Table[M];
  const wrapped = wrap({
    get: counted('get', 'reads'),
    getMany: counted('getMany', 'reads'),
    query: counted('query', 'reads'),
    putMany: counted('putMany', 'writes'),
    transact: counted('transact', 'writes'),
  });
  const writing = new Set<Promise<unknown>>();
  const table: Table = {
    ...wrapped,
    transact: (writes) => {
      const done = wrapped.transact(writes);
      const over: Promise<unknown> = done.then(
        () => writing.delete(over),
        () => writing.delete(over),
      );
      writing.add(over);
      return done;
    },
  };
  const sent: { queue: string; message: Message }[] = [];
  const settings = readSettings(variables);
  const log = memoryLog();
  const refuse = () => Promise.reject(new Error('no network in this test'));
  const ports: Ports = {
    table,
    clock,
    ids: repeatableIds(clock),
    log,
    metrics: { count: () => {} },
    limiter: memoryLimiter(clock, undefined),
    cpu: cpuBudget(clock, runInline),
    settings,
    assets: NO_ASSETS,
    net: { http: refuse } as Partial<Ports['net']> as Ports['net'],
    bus: { publish: refuse },
    files: memoryFiles(),
    queues: {
      send: async (queue, messages) => {
        sent.push(...messages.map((message) => ({ queue, message })));
      },
    },
    ...own,
  };
  const env = { ...envOf(ports), onChange };
  return {
    ...env,
    origin: ORIGIN,
    log,
    sent,
    requests,
    /** The table without the wrapper of the test. */
    store,
    advance: (ms: number) => {
      now += ms;
    },
    /** Waits for all started writes, even those that no caller awaits. */
    written: async () => {
      while (writing.size > 0) await Promise.all(writing);
      await new Promise(setImmediate);
    },
    bearer: (raw: string) => authenticate(env, senderOf(raw)),
    /** Creates an account. @returns it with its admin's key and the context of a call with that key */
    account: async (more: Partial<NewAccount> = {}): Promise<Made> => {
      const made = await createAccount(
        env,
        { email: 'ann@example.com', name: 'Ann', egress: 'any', ...more },
        { sharedEmail: true },
      );
      const context = await authenticate(env, senderOf(made.key.key));
      return { ...made, context };
    },
  };
}

/** Origin of an unauthenticated request. */
const ORIGIN: Origin = { via: 'api', request_id: 'r', ip: '', user_agent: '' };

type Made = { account: AccountItem; user: UserItem; key: IssuedKey; context: StateContext };
export type MemoryWorld = ReturnType<typeof memoryWorld>;

/** Builds a world in which `before.act`, once set, runs one time, right before the next transaction. */
export function interruptedWorld() {
  const before: { act?: () => Promise<unknown> } = {};
  const world = memoryWorld((table) => ({
    ...table,
    transact: async (writes) => {
      const { act } = before;
      delete before.act;
      await act?.();
      return table.transact(writes);
    },
  }));
  return { world, before };
}

const senderOf = (raw: string) => ({ headers: { authorization: `Bearer ${raw}` }, address: '', request_id: 'r' });
