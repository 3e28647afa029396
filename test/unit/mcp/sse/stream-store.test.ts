import { describe, expect, it } from 'vitest';
import { issueKey } from '#lib/access/issue-key.ts';
import { fullKey } from '#lib/access/new-key.ts';
import { makeMcp } from '#lib/mcp/endpoint.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { Table } from '#lib/platform/ports.ts';
import { deletesReplies, open, SECOND, world } from './stream-world.ts';

describe('a stream with a stale or failing table', () => {
  it('sends at its end a reply that no eventually consistent read returned', async () => {
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

  it('sends a reply once even if reads still return it after its deletion', async () => {
    const ignored: Parameters<Table['transact']>[0] = [];
    const home = await world({
      settings: { MCP_STREAM_SECONDS: 20 },
      wrap: (table) => ({
        ...table,
        // As if the first deletions were not visible yet.
        transact: async (writes) => {
          if (!deletesReplies(writes) || ignored.length > 5) return table.transact(writes);
          ignored.push(...writes);
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

  it('sends a reply once even if the store fails to delete it', async () => {
    let fails = 2;
    const home = await world({
      settings: { MCP_STREAM_SECONDS: 20 },
      wrap: (table) => ({
        ...table,
        transact: async (writes) => {
          if (deletesReplies(writes) && fails-- > 0) throw new AppError('UNAVAILABLE', 'The table is throttled.');
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

  it('continues after a failure of the store', async () => {
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
});

describe('open streams', () => {
  it('are rejected, as by a server without streams, if MCP_STREAMS_PER_KEY is 0', async () => {
    const home = await world({ settings: { MCP_STREAMS_PER_KEY: 0 } });
    const refused = await home.ask('GET');
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await refused.json()).toMatchObject({ error: expect.stringContaining('use POST') });
  });

  it('are limited per key; a stream lost in a crash stops counting after 90 seconds', async () => {
    const home = await world({ settings: { MCP_STREAMS_PER_KEY: 2 } });
    const [one, two] = [await home.ask('GET'), await home.ask('GET')];
    expect([one.status, two.status]).toEqual([200, 200]);
    const refused = await home.ask('GET');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(await refused.json()).toMatchObject({ code: 'RATE_LIMITED' });
    // The streams have no readers, as after a crash.
    home.advance(91 * SECOND);
    expect((await home.ask('GET')).status).toBe(200);
  });

  it('are limited per key, also when hundreds are opened at once in two processes', async () => {
    const home = await world({ settings: { MCP_STREAMS_PER_KEY: 20 } });
    // As in another process: calls wait for each other only if they share the table object.
    const other = makeMcp({ ...home, ports: { ...home.ports, table: { ...home.ports.table } } }, { streams: true });
    const there = () =>
      other(new Request('http://fleet.example/v1/mcp', { headers: { authorization: `Bearer ${home.key.key}` } }));
    const replies = await Promise.all(Array.from({ length: 150 }, () => [home.ask('GET'), there()]).flat());
    const statuses = Object.groupBy(replies, ({ status }) => status);
    expect(statuses[200]).toHaveLength(20);
    expect(statuses[429]).toHaveLength(280);
  });

  it('are limited per account to three times the limit of a key, for any number of keys', async () => {
    const home = await world({ settings: { MCP_STREAMS_PER_KEY: 2 } });
    const keys = [];
    for (const label of ['a', 'b', 'c', 'd']) {
      const key = await issueKey(home.context, home.user.id, fullKey(label));
      keys.push(key.key);
    }
    const replies = await Promise.all(keys.flatMap((key) => [home.ask('GET', { key }), home.ask('GET', { key })]));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(6);
    const refused = replies.find(({ status }) => status === 429)!;
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(await refused.text()).toContain('The keys of this account have 6 open MCP streams');
  });
});
