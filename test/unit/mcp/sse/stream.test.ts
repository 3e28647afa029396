import { describe, expect, it } from 'vitest';
import { issueKey } from '#lib/access/issue-key.ts';
import { makeMcp } from '#lib/mcp/endpoint.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Table } from '#lib/platform/ports.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** A stream in virtual time: a rest of it lets the clock go on, until the test holds it. */
async function world({ settings = {}, wrap }: { settings?: object; wrap?: (table: Table) => Table } = {}) {
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

/** Reads a stream, event by event, as they come in virtual time. */
async function open(world: World, headers: Record<string, string> = {}, signal?: AbortSignal) {
  const opened = world.now();
  const reply = await world.ask('GET', { headers, ...(signal && { signal }) });
  expect(reply.status).toBe(200);
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
  const first = (await reader.read()).value!;
  const query = /(\?sessionId=\S+)/.exec(first)![1]!;
  let asked = 0;
  return {
    query,
    next: async () => (await reader.read()).value,
    /** Reads to the end; `each` sees every event with its time (ms since it was opened). */
    rest: async (each: (event: string, at: number) => void | Promise<void> = () => {}) => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return world.now() - opened;
        await each(value, world.now() - opened);
      }
    },
    ping: () => world.ask('POST', { query, body: JSON.stringify({ jsonrpc: '2.0', id: ++asked, method: 'ping' }) }),
    cancel: () => reader.cancel(),
  };
}

describe('a stream of 2024-11-05', () => {
  it('says every 15 seconds that it is there', async () => {
    const stream = await open(await world(), { 'mcp-protocol-version': '2024-11-05' });
    const pings: number[] = [];
    await stream.rest((event, at) => {
      if (event === ': ping\n\n') pings.push(at);
    });
    expect(pings.length).toBeGreaterThan(30);
    for (const [i, at] of pings.entries()) expect(at - (pings[i - 1] ?? 0)).toBeLessThan(16 * SECOND);
  });

  it('ends after 30 seconds when nobody ever sent anything', async () => {
    const lived = await (await open(await world())).rest();
    expect(lived / SECOND).toBeCloseTo(30, -0.5);
  });

  it('is given 10 minutes to be quiet when its client was there before', async () => {
    const stream = await open(await world(), { 'mcp-protocol-version': '2024-11-05' });
    expect((await stream.rest()) / MINUTE).toBeCloseTo(10, 0);
  });

  it('lives 14 minutes when it is used, and ends with nothing unsaid', async () => {
    const home = await world();
    const stream = await open(home);
    expect((await stream.ping()).status).toBe(202);
    let answers = 0;
    let refused = 0;
    let asked = 1;
    const lived = await stream.rest(async (event) => {
      if (event.startsWith('event: message')) answers++;
      else if ((await stream.ping()).status === 202) asked++;
      else refused++;
    });
    expect(lived / MINUTE).toBeCloseTo(14, 0);
    expect([answers, refused]).toEqual([asked, 0]);
    expect((await stream.ping()).status).toBe(404);
  });

  it('waits beyond its end for an answer that is awaited, and sends it', async () => {
    // The tool's own reads are held up until the stream's life is over.
    let release = () => {};
    let held: Promise<void> | undefined;
    const home = await world({
      settings: { MCP_STREAM_SECONDS: 60 },
      wrap: (table) => ({
        ...table,
        query: async (query) => {
          if (query.partition.endsWith('#SKILLS')) await held;
          return table.query(query);
        },
      }),
    });
    const stream = await open(home, { 'mcp-protocol-version': '2024-11-05' });
    held = new Promise((resolve) => {
      release = resolve;
    });
    let posted: Promise<Response> | undefined;
    let last = '';
    const lived = await stream.rest((event, at) => {
      last = event;
      const body = '{"jsonrpc":"2.0","id":7,"method":"tools/list"}';
      if (at > 40 * SECOND) posted ??= home.ask('POST', { query: stream.query, body });
      if (at > 70 * SECOND) release();
    });
    expect((await posted!).status).toBe(202);
    expect(JSON.parse(last.replace(/^event: message\ndata: /, ''))).toMatchObject({ id: 7, result: { tools: [] } });
    expect(lived).toBeGreaterThan(70 * SECOND);
  });

  it('finds at its end what no eventual read has shown', async () => {
    const home = await world({
      settings: { MCP_STREAM_SECONDS: 20 },
      wrap: (table) => ({
        ...table,
        query: async (query) => (query.eventual ? { items: [] } : table.query(query)),
      }),
    });
    const stream = await open(home);
    expect((await stream.ping()).status).toBe(202);
    let all = '';
    await stream.rest((event) => {
      all += event;
    });
    expect(all.match(/"id":1,"result":\{\}/g)).toHaveLength(1);
  });

  it('sends nothing twice that an eventual read shows twice', async () => {
    const before: Parameters<Table['transact']>[0] = [];
    const home = await world({
      settings: { MCP_STREAM_SECONDS: 20 },
      wrap: (table) => ({
        ...table,
        // A deletion is not seen for a while.
        transact: async (writes) => {
          const isDeletion = writes.some((write) => 'delete' in write && write.delete.pk.includes('#REPLIES#'));
          if (!isDeletion || before.length > 5) return table.transact(writes);
          before.push(...writes);
          return { ok: true };
        },
      }),
    });
    const stream = await open(home);
    for (let i = 0; i < 3; i++) await stream.ping();
    let all = '';
    await stream.rest((event) => {
      all += event;
    });
    expect(all.match(/event: message/g)).toHaveLength(3);
  });

  it('looks seldom while nobody asks, and often after somebody did', async () => {
    const home = await world();
    const idle = await open(home, { 'mcp-protocol-version': '2024-11-05' });
    const looks = async (stream: typeof idle) => {
      const [reads, at] = [home.requests.reads, home.now()];
      await stream.next();
      return ((home.requests.reads - reads) / (home.now() - at)) * SECOND;
    };
    for (let i = 0; i < 3; i++) await idle.next();
    expect(await looks(idle)).toBeLessThan(1.5);
    await idle.ping();
    await idle.next();
    expect(await looks(idle)).toBeGreaterThan(8);
    await idle.cancel();
  });

  it('ends within seconds when its key is deleted', async () => {
    const home = await world();
    const stream = await open(home, { 'mcp-protocol-version': '2024-11-05' });
    await stream.next();
    const deleted = home.now();
    const key = home.keys.apiKeyPointer(home.account.id, home.key.id);
    const { digest } = (await home.store.get<{ pk: string; sk: string; digest: string }>(key))!;
    await home.store.transact([{ delete: home.keys.apiKey(digest) }]);
    await stream.rest();
    expect(home.now() - deleted).toBeLessThan(20 * SECOND);
  });

  it('ends when it is told to, and no reply can be queued any more', async () => {
    const home = await world();
    const left = new AbortController();
    const stream = await open(home, {}, left.signal);
    await stream.ping();
    expect(await stream.next()).toContain('"id":1');
    left.abort();
    expect(await stream.next()).toBeUndefined();
    expect((await stream.ping()).status).toBe(404);
  });

  it('sends a reply though the store fails to delete it, and then once', async () => {
    let fails = 2;
    const home = await world({
      settings: { MCP_STREAM_SECONDS: 20 },
      wrap: (table) => ({
        ...table,
        transact: async (writes) => {
          const isDeletion = writes.some((write) => 'delete' in write && write.delete.pk.includes('#REPLIES#'));
          if (isDeletion && fails-- > 0) throw new AppError('UNAVAILABLE', 'The table is throttled.');
          return table.transact(writes);
        },
      }),
    });
    const stream = await open(home);
    await stream.ping();
    let all = '';
    await stream.rest((event) => {
      all += event;
    });
    expect(all.match(/event: message/g)).toHaveLength(1);
    const partition = home.keys.replyQueue(home.account.id, /sessionId=(\S+)/.exec(stream.query)![1]!);
    expect((await home.store.query({ partition })).items).toEqual([]);
  });

  it('is over before a platform cuts it, whatever is awaited', async () => {
    let held: Promise<void> | undefined;
    const home = await world({
      wrap: (table) => ({
        ...table,
        query: async (query) => {
          if (query.partition.endsWith('#SKILLS')) await held;
          return table.query(query);
        },
      }),
    });
    const stream = await open(home, { 'mcp-protocol-version': '2024-11-05' });
    held = new Promise(() => {});
    const body = '{"jsonrpc":"2.0","id":7,"method":"tools/list"}';
    const lived = await stream.rest(() => void home.ask('POST', { query: stream.query, body }));
    expect(lived).toBeGreaterThanOrEqual(14 * MINUTE);
    expect(lived).toBeLessThan(890 * SECOND);
  });

  it('goes on when the store fails for a moment', async () => {
    let fails = 0;
    const home = await world({
      wrap: (table) => ({
        ...table,
        query: async (query) => {
          if (query.partition.includes('#REPLIES#') && fails-- > 0) {
            throw new AppError('UNAVAILABLE', 'The table is throttled.');
          }
          return table.query(query);
        },
      }),
    });
    const stream = await open(home);
    fails = 3;
    await stream.ping();
    expect(await stream.next()).toContain('"id":1');
    expect(home.log.lines.filter(({ level }) => level === 'warn')).toHaveLength(3);
    await stream.cancel();
  });

  it('is one of so many that a key may hold; one that a crash cut off counts no more after 90 seconds', async () => {
    const home = await world({ settings: { MCP_STREAMS_PER_KEY: 2 } });
    const [one, two] = [await home.ask('GET'), await home.ask('GET')];
    expect([one.status, two.status]).toEqual([200, 200]);
    const refused = await home.ask('GET');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(await refused.json()).toMatchObject({ code: 'RATE_LIMITED' });
    // Nobody reads from them: they are as dead as after a crash.
    home.advance(91 * SECOND);
    expect((await home.ask('GET')).status).toBe(200);
  });

  it('is one of so many that a key may hold, also when hundreds are opened at once in two processes', async () => {
    const home = await world({ settings: { MCP_STREAMS_PER_KEY: 20 } });
    // Another process has a table of its own on the same store, and so none of its queues.
    const other = makeMcp({ ...home, ports: { ...home.ports, table: { ...home.ports.table } } }, { streams: true });
    const there = () =>
      other(new Request('http://fleet.example/v1/mcp', { headers: { authorization: `Bearer ${home.key.key}` } }));
    const replies = await Promise.all(Array.from({ length: 150 }, () => [home.ask('GET'), there()]).flat());
    const statuses = Object.groupBy(replies, ({ status }) => status);
    expect(statuses[200]).toHaveLength(20);
    expect(statuses[429]).toHaveLength(280);
  });

  it('is one of three times as many that an account may hold, however many keys it has', async () => {
    const home = await world({ settings: { MCP_STREAMS_PER_KEY: 2 } });
    const keys = [];
    for (const label of ['a', 'b', 'c', 'd']) {
      const key = await issueKey(home.context, home.user.id, { label, is_read_only: false });
      keys.push(key.key);
    }
    const replies = await Promise.all(keys.flatMap((key) => [home.ask('GET', { key }), home.ask('GET', { key })]));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(6);
    const refused = replies.find(({ status }) => status === 429)!;
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(await refused.text()).toContain('The keys of this account hold 6 MCP streams');
  });
});

it('a batch leaves the event loop to others between its messages', async () => {
  const home = await world();
  let turns = 0;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const batch = Array.from({ length: 10 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
  const reply = await home.ask('POST', { body: JSON.stringify(batch) });
  clearImmediate(next);
  expect(await reply.json()).toHaveLength(10);
  expect(turns).toBeGreaterThanOrEqual(10);
});
