import { describe, expect, it } from 'vitest';
import { holdingSkills, open, SECOND, world } from './stream-world.ts';

const MINUTE = 60 * SECOND;

describe('a stream of protocol version 2024-11-05', () => {
  it('sends a keep-alive every 15 seconds', async () => {
    const stream = await open(await world(), { 'mcp-protocol-version': '2024-11-05' });
    const pings: number[] = [];
    await stream.rest((event, at) => {
      if (event === ': ping\n\n') pings.push(at);
    });
    expect(pings.length).toBeGreaterThan(30);
    for (const [i, at] of pings.entries()) expect(at - (pings[i - 1] ?? 0)).toBeLessThan(16 * SECOND);
  });

  it('ends after 30 seconds without any message', async () => {
    const lived = await (await open(await world())).rest();
    expect(lived / SECOND).toBeCloseTo(30, -0.5);
  });

  it('ends after 10 minutes without messages when its client reconnected, as the version header shows', async () => {
    const stream = await open(await world(), { 'mcp-protocol-version': '2024-11-05' });
    expect((await stream.rest()) / MINUTE).toBeCloseTo(10, 0);
  });

  it('ends after 14 minutes of use, with all replies sent', async () => {
    const home = await world();
    const stream = await open(home);
    expect((await stream.ping()).status).toBe(202);
    let replies = 0;
    let rejected = 0;
    let accepted = 1;
    const lived = await stream.rest(async (event) => {
      if (event.startsWith('event: message')) replies++;
      else if ((await stream.ping()).status === 202) accepted++;
      else rejected++;
    });
    expect(lived / MINUTE).toBeCloseTo(14, 0);
    expect([replies, rejected]).toEqual([accepted, 0]);
    expect((await stream.ping()).status).toBe(404);
  });

  it('extends its end for a pending reply, and sends it', async () => {
    // The reads of the tool wait until the lifetime of the stream is over.
    let release = () => {};
    let held: Promise<void> | undefined;
    const home = await world({
      settings: { MCP_STREAM_SECONDS: 60 },
      wrap: holdingSkills(() => held),
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

  it('polls rarely while idle, and often after a message', async () => {
    const home = await world();
    const idle = await open(home, { 'mcp-protocol-version': '2024-11-05' });
    const readsPerSecond = async (stream: typeof idle) => {
      const [reads, at] = [home.requests.reads, home.now()];
      await stream.next();
      return ((home.requests.reads - reads) / (home.now() - at)) * SECOND;
    };
    for (let i = 0; i < 3; i++) await idle.next();
    expect(await readsPerSecond(idle)).toBeLessThan(1.5);
    await idle.ping();
    await idle.next();
    expect(await readsPerSecond(idle)).toBeGreaterThan(8);
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

  it('ends when aborted, and accepts no further message', async () => {
    const home = await world();
    const client = new AbortController();
    const stream = await open(home, {}, client.signal);
    await stream.ping();
    expect(await stream.next()).toContain('"id":1');
    client.abort();
    expect(await stream.next()).toBeUndefined();
    expect((await stream.ping()).status).toBe(404);
  });

  it('ends before the limit of the platform, even with pending replies', async () => {
    let held: Promise<void> | undefined;
    const home = await world({
      wrap: holdingSkills(() => held),
    });
    const stream = await open(home, { 'mcp-protocol-version': '2024-11-05' });
    held = new Promise(() => {});
    const body = '{"jsonrpc":"2.0","id":7,"method":"tools/list"}';
    const lived = await stream.rest(() => void home.ask('POST', { query: stream.query, body }));
    expect(lived).toBeGreaterThanOrEqual(14 * MINUTE);
    expect(lived).toBeLessThan(890 * SECOND);
  });
});

it('yields the event loop between the messages of a batch', async () => {
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
