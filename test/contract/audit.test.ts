import { beforeAll, describe, expect, it } from 'vitest';
import type { AuditEntry } from '#lib/audit/entry.ts';
import { type Client, failure, keyOf, memberOf, newTenant } from '#test/support/client.ts';
import { got, newCheck } from '#test/support/fleet.ts';
import { toolResult } from '#test/support/mcp.ts';
import { type Tenant, target } from '#test/support/service.ts';

let admin: Client & Tenant;
let check: { id: string; entity_id: string };
let reader: Client;
beforeAll(async () => {
  admin = await newTenant();
  check = await newCheck(admin, { name: 'nightly backup', interval_seconds: 60 });
  got(await admin.put(`/v1/checks/${check.id}`, { interval_seconds: 120, failure_threshold: 2 }), 200);
  const hook = { channel_type: 'slack', config: { url: 'https://hooks.slack.com/services/T0/B0/x1y2' } };
  got(await admin.post(`/v1/checks/${check.id}/policy/channels`, hook), 201);
  reader = await keyOf(admin, { is_read_only: true });
});

const entries = async (query = '', client: Client = admin): Promise<AuditEntry[]> => {
  const response = await client.get(`/v1/audit${query}`);
  expect(response.status, JSON.stringify(response.body)).toBe(200);
  return response.body;
};

/** Returns the path and query of the next page from the Link header. */
const nextOf = (headers: Headers): string => /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? '';

describe('GET /v1/audit', () => {
  it('shows actor, change, time, origin and summary', async () => {
    const { body: me } = await admin.get('/v1/me');
    const changed = await admin.put(`/v1/checks/${check.id}`, { interval_seconds: 180 });
    const [entry] = await entries('?limit=1');
    expect(entry).toEqual({
      id: expect.stringMatching(/^aud_[0-9a-z]{26}$/),
      at: expect.stringMatching(/^\d{4}-/),
      kind: 'config',
      action: 'check.update',
      actor: {
        type: 'key',
        user_id: me.user.id,
        email: me.user.email,
        key_id: expect.any(String),
        key_label: 'First admin key',
      },
      via: 'api',
      tool: null,
      target: { type: 'check', id: check.id, name: 'nightly backup' },
      changes: [{ path: 'interval_seconds', from: 120, to: 180 }],
      more_changes: 0,
      request_id: changed.headers.get('x-request-id'),
      ip: expect.any(String),
      user_agent: 'node',
      summary: `${me.user.email} (key "First admin key") changed check "nightly backup": interval_seconds.`,
    });
  });

  it('begins with the creation of the account by the operator', async () => {
    const all = await entries('?limit=500');
    expect(all.at(-1)).toMatchObject({
      action: 'account.create',
      actor: { type: 'operator', user_id: null, email: null, key_id: null, key_label: null },
      via: 'cli',
      request_id: null,
      summary: 'The operator created account "Test account".',
    });
  });

  it('masks a secret as ********, also for an admin', async () => {
    const [entry] = await entries('?action=channel.add');
    expect(entry!.changes).toContainEqual({ path: 'config.url', from: null, to: '********' });
    expect(JSON.stringify(await entries('?limit=500'))).not.toMatch(/x1y2|hooks\.slack/);
  });

  it('shows only configuration changes, without IP address and user agent, to members and to keys that can only read', async () => {
    const member = await memberOf(admin);
    const scoped = await keyOf(admin, { scopes: ['read'] });
    expect((await entries('?kind=access')).length).toBeGreaterThan(1);
    for (const client of [reader, member, scoped]) {
      const shown = await entries('?limit=500', client);
      expect(shown.map(({ id }) => id)).toEqual((await entries('?kind=config&limit=500')).map(({ id }) => id));
      expect(shown.length).toBeGreaterThan(3);
      for (const entry of shown) expect(Object.keys(entry)).not.toContain('ip');
      for (const entry of shown) expect(Object.keys(entry)).not.toContain('user_agent');
    }
    expect(await reader.get('/v1/audit?kind=access')).toMatchObject(failure(403, 'READ_ONLY'));
    expect(await member.get('/v1/audit?kind=access')).toMatchObject(failure(403, 'FORBIDDEN'));
  });

  it('shows everything to a key with the scope audit, which can do nothing else', async () => {
    const auditor = await keyOf(admin, { scopes: ['audit'] });
    const all = await entries('?limit=500', auditor);
    expect(all).toEqual(await entries('?limit=500'));
    expect((await auditor.get('/v1/checks')).status).toBe(403);
    const pusher = await keyOf(admin, { scopes: ['push'] });
    expect(await pusher.get('/v1/audit')).toMatchObject(failure(403, 'FORBIDDEN'));
  });

  it('finds the changes of an object and of the objects that belong to it', async () => {
    const actions = async (query: string) => (await entries(query)).map(({ action }) => action);
    expect(await actions(`?target=${check.id}&action=check.`)).toContain('check.create');
    expect(await actions(`?target=${check.id}`)).toContain('channel.add');
    const ofEntity = await actions(`?target=${check.entity_id}`);
    expect(ofEntity).toContain('entity.create');
    expect(ofEntity).toContain('check.update');
    expect(await actions('?action=check.create')).toEqual(['check.create']);
    const { user } = (await admin.get('/v1/me')).body;
    expect((await actions(`?actor=${user.id}`)).length).toBe(
      (await actions(`?actor=${user.email.toUpperCase()}`)).length,
    );
    expect(await actions('?actor=operator')).toEqual(['account.create']);
    expect(await actions(`?since=2090-01-01`)).toEqual([]);
  });

  it('continues page by page', async () => {
    const all = await entries('?limit=500');
    const found: string[] = [];
    let path = '/v1/audit?limit=2';
    while (path !== '') {
      const page = await admin.get(path);
      found.push(...page.body.map(({ id }: AuditEntry) => id));
      path = nextOf(page.headers);
    }
    expect(found).toEqual(all.map(({ id }) => id));
  });

  it('returns NDJSON when the client accepts it', async () => {
    const { url } = await target();
    const headers = { authorization: `Bearer ${admin.key}`, accept: 'application/json;q=0.5, application/x-ndjson' };
    const response = await fetch(`${url}/v1/audit?limit=2`, { headers });
    expect(response.headers.get('content-type')).toBe('application/x-ndjson');
    expect(nextOf(response.headers)).not.toBe('');
    const lines = (await response.text()).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => JSON.parse(line))).toEqual(await entries('?limit=2'));
    const none = await fetch(`${url}/v1/audit?since=2090-01-01`, { headers });
    expect([none.status, await none.text()]).toEqual([200, '']);
  });

  it('returns a cursor with order=asc even if no entry is old enough to be shown', async () => {
    const fresh = await newTenant();
    const page = await fresh.get('/v1/audit?order=asc');
    expect(page).toMatchObject({ status: 200, body: [] });
    expect(await fresh.get(nextOf(page.headers))).toMatchObject({ status: 200, body: [] });
  });

  it.each([
    ['an unknown kind', 'kind=all', 'kind'],
    ['an unknown action', 'action=check.paint', 'action'],
    ['an action of an unknown kind', 'action=shop.update', 'action'],
    ['a word that is not an action', 'action=check', 'action'],
    ['since after until', 'since=2026-11-22&until=2026-11-21', 'since'],
    ['an invalid time', 'until=tomorrow', 'until'],
    ['a limit of 0', 'limit=0', 'limit'],
    ['a limit that is not a number', 'limit=ten', 'limit'],
    ['an unknown order', 'order=up', 'order'],
    ['a garbled cursor', 'cursor=abc', 'cursor'],
    ['an empty actor', 'actor=', 'actor'],
  ])('rejects %s', async (_name, query, path) => {
    expect(await admin.get(`/v1/audit?${query}`)).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
  });

  it('rejects a cursor of another account, another list or the other order', async () => {
    const cursorOf = async (client: Client, path: string) =>
      new URL(nextOf((await client.get(path)).headers), 'http://x').searchParams.get('cursor');
    const other = await newTenant();
    got(await other.post('/v1/blueprints', { slug: 'a', name: 'A' }), 201);
    got(await admin.post('/v1/blueprints', { slug: 'second', name: 'Second' }), 201);
    for (const cursor of [
      await cursorOf(other, '/v1/audit?limit=1'),
      await cursorOf(admin, '/v1/blueprints?limit=1'),
      await cursorOf(admin, '/v1/audit?order=asc'),
    ]) {
      expect(cursor).not.toBeNull();
      expect(await admin.get(`/v1/audit?cursor=${cursor}`)).toMatchObject(failure(400, 'VALIDATION_ERROR', 'cursor'));
    }
  });

  it('has no method that changes an entry', async () => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await admin.send(method, '/v1/audit')).status).toBe(405);
    }
  });
});

describe('a change over MCP', () => {
  it('is recorded with its tool, and list_changes returns it', async () => {
    const url = 'https://example.com/health';
    const made = await toolResult(admin, 'create_check', { entity_id: check.entity_id, target_url: url });
    const [entry] = await entries('?limit=1');
    expect(entry).toMatchObject({ action: 'check.create', via: 'mcp', tool: 'create_check', target: { id: made.id } });
    expect(entry!.summary).toContain(' by the tool create_check.');
    const { changes } = await toolResult(admin, 'list_changes', { hours: 1, target: check.entity_id });
    expect(changes[0]).toMatchObject({ action: 'check.create', target: { id: made.id } });
    expect(changes).toEqual(await entries(`?kind=config&target=${check.entity_id}&limit=500`, reader));
  });

  it('can be read with a key that has the scopes mcp and read', async () => {
    const agent = await keyOf(admin, { scopes: ['mcp', 'read'] });
    const { changes } = await toolResult(agent, 'list_changes', {});
    expect(changes.length).toBeGreaterThan(3);
    for (const one of changes) expect(one.kind).toBe('config');
  });
});

describe('a rejected request', () => {
  it('creates no entry', async () => {
    const before = await entries('?limit=500');
    const calls = [
      reader.put(`/v1/checks/${check.id}`, { name: 'x' }),
      admin.put(`/v1/checks/${check.id}`, { interval_seconds: 0 }),
      admin.del('/v1/checks/chk_none'),
      admin.post('/v1/blueprints', { slug: 'second', name: 'Second' }),
    ];
    for (const call of calls) expect((await call).status).toBeGreaterThanOrEqual(400);
    expect(await entries('?limit=500')).toEqual(before);
  });
});

describe('an execution of an action and a test of a channel', () => {
  it('are recorded with the id of the execution or delivery', async () => {
    const settings = { name: 'Restart', url: 'https://127.77.0.9/x', trigger_type: 'manual' };
    const action = got(await admin.post('/v1/actions', settings), 201);
    const run = got(await admin.post(`/v1/actions/${action.id}/run`, {}), 200);
    expect((await entries('?limit=1'))[0]).toMatchObject({
      action: 'action.run',
      target: { type: 'action', id: action.id, name: 'Restart' },
      changes: [{ path: 'execution_id', from: null, to: run.id }],
    });
    const channels = `/v1/checks/${check.id}/policy/channels`;
    const hook = { channel_type: 'slack', config: { url: 'http://127.77.0.9/hook' } };
    const channel = got(await admin.post(channels, hook), 201);
    const delivery = got(await admin.post(`${channels}/${channel.id}/test`), 200);
    expect((await entries('?limit=1'))[0]).toMatchObject({
      action: 'channel.test',
      target: { type: 'channel', id: channel.id, name: 'slack channel of nightly backup' },
      changes: [{ path: 'delivery_id', from: null, to: delivery.id }],
    });
  });
});
