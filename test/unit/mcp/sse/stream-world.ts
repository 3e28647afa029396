import { expect } from 'vitest';
import { makeMcp } from '#lib/mcp/endpoint.ts';
import type { Table, Write } from '#lib/platform/ports.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

export const SECOND = 1000;

/** Creates a world with MCP in virtual time: each wait of a stream advances the clock. */
export async function world({ settings = {}, wrap }: { settings?: object; wrap?: (table: Table) => Table } = {}) {
  const memory = memoryWorld(wrap);
  Object.assign(memory.ports.settings, settings);
  const made = await memory.account();
  const mcp = makeMcp(memory, { streams: true });
  const ask = (
    method: string,
    more: { query?: string; body?: string; headers?: Record<string, string>; signal?: AbortSignal; key?: string } = {},
  ) =>
    mcp(
      new Request(`http://fleet.example/v1/mcp${more.query ?? ''}`, {
        method,
        headers: { authorization: `Bearer ${more.key ?? made.key.key}`, ...more.headers },
        ...(more.body !== undefined && { body: more.body }),
        ...(more.signal && { signal: more.signal }),
      }),
    );
  return { ...memory, ...made, ask, now: () => memory.ports.clock.now() };
}
type World = Awaited<ReturnType<typeof world>>;

/** Returns a wrapper of a table whose reads of skills wait for `held`. */
export const holdingSkills =
  (held: () => Promise<void> | undefined) =>
  (table: Table): Table => ({
    ...table,
    query: async (query) => {
      if (query.partition.endsWith('#SKILLS')) await held();
      return table.query(query);
    },
  });

/** Whether a transaction deletes replies from the queue of a stream. */
export const deletesReplies = (writes: Write[]): boolean =>
  writes.some((write) => 'delete' in write && write.delete.pk.includes('#REPLIES#'));

/** Opens a stream that the test reads event by event, in virtual time. */
export async function open(world: World, headers: Record<string, string> = {}, signal?: AbortSignal) {
  const opened = world.now();
  const reply = await world.ask('GET', { headers, ...(signal && { signal }) });
  expect(reply.status).toBe(200);
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
  const first = (await reader.read()).value!;
  const query = /(\?sessionId=\S+)/.exec(first)![1]!;
  let lastId = 0;
  return {
    query,
    next: async () => (await reader.read()).value,
    /**
     * Reads to the end. `each` receives every event with its time.
     * @returns time of the end; times in ms since the start
     */
    rest: async (each: (event: string, at: number) => void | Promise<void> = () => {}) => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return world.now() - opened;
        await each(value, world.now() - opened);
      }
    },
    ping: () => world.ask('POST', { query, body: JSON.stringify({ jsonrpc: '2.0', id: ++lastId, method: 'ping' }) }),
    cancel: () => reader.cancel(),
  };
}
