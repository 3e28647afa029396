import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { catalogOps } from '#test/support/catalog-ops.ts';
import { type Client, keyOf, newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newCheck, newEntity } from '#test/support/fleet.ts';
import { refused, registerCatalogOps, rpc, toolResult } from '#test/support/mcp.ts';
import { newJob, ping, pingsOf } from '#test/support/pings.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

let admin: Client;
let ci: WebhookReceiver;
beforeAll(async () => {
  admin = await newTenant();
  await registerCatalogOps(admin);
  ci = await startReceiver({ host: '127.77.0.1' });
});
afterAll(() => ci.close());

describe('a built-in tool', () => {
  it('matches docs/catalog-ops.json, with hints about its effects', async () => {
    const { tools } = (await rpc(admin, 'tools/list')).body.result;
    const reads = { readOnlyHint: true, openWorldHint: false };
    const writes = { readOnlyHint: false, destructiveHint: false, openWorldHint: true };
    const expected = catalogOps()
      .tools.map((tool) => ({ ...tool, annotations: /^create_/.test(tool.name) ? writes : reads }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    expect(tools).toEqual(expected);
  });

  it('returns blueprints, entities and one entity like the API', async () => {
    const client = await newTenant();
    expect(await toolResult(client, 'list_blueprints', {})).toEqual({ blueprints: [] });
    const check = await newCheck(client);
    const other = got(await client.post('/v1/blueprints', { slug: 'other', name: 'Other' }), 201);
    const elsewhere = got(await client.post('/v1/blueprints/other/entities', { slug: 'x', name: 'X' }), 201);
    const { body: blueprints } = await client.get('/v1/blueprints');
    const { body: entities } = await client.get('/v1/blueprints/service/entities');

    expect(blueprints).toContainEqual(other);
    expect(await toolResult(client, 'list_blueprints', {})).toEqual({ blueprints });
    expect(await toolResult(client, 'list_entities', { blueprint_slug: 'service' })).toEqual({ entities });
    expect(await toolResult(client, 'list_entities', undefined)).toEqual({ entities: [elsewhere, ...entities] });
    expect(
      await toolResult(client, 'get_entity', { blueprint_slug: 'service', entity_slug: entities[0].slug }),
    ).toEqual({
      ...entities[0],
      checks: [expect.objectContaining({ id: check.id, check_type: 'push' })],
    });
  });

  it('returns status, incidents and results like the API', async () => {
    const client = await newTenant();
    const check = await newCheck(client, { failure_threshold: 1 });
    for (const success of [true, false]) {
      got(await client.post(`/v1/checks/${check.id}/results`, { success, latency_ms: 5, error_message: 'x' }), 201);
    }
    const { body: status } = await client.get('/v1/status');
    expect(status).toMatchObject({ total: 1, down: 1 });
    expect(await toolResult(client, 'get_status_summary', {})).toEqual(status);
    const { body: transitions } = await client.get('/v1/status/transitions');
    expect(transitions).toHaveLength(2);
    const incidents = await eventually(async () => {
      const { body } = await client.get('/v1/incidents');
      return body.length > 0 && body;
    });
    expect(await toolResult(client, 'list_incidents', {})).toEqual({ transitions, incidents });
    const { entity_id } = check;
    expect(await toolResult(client, 'list_incidents', { entity_id })).toEqual({ transitions, incidents });
    const { id: calm } = await newEntity(client);
    expect(await toolResult(client, 'list_incidents', { entity_id: calm })).toEqual({ transitions: [], incidents: [] });
    const path = `/v1/incidents/${incidents[0].id}`;
    const note = await toolResult(client, 'add_incident_note', { incident_id: incidents[0].id, text: 'looking' });
    const news = { status: 'identified', message: 'The disk is full.', notify: false };
    const update = await toolResult(client, 'post_incident_update', { incident_id: incidents[0].id, ...news });
    expect(update).toMatchObject(news);
    expect(await toolResult(client, 'get_incident', { incident_id: incidents[0].id })).toEqual({
      ...(await client.get(path)).body,
      timeline: (await client.get(`${path}/timeline`)).body,
      updates: [update],
    });
    expect((await client.get(`${path}/timeline`)).body).toContainEqual(note);
    const { results } = (await client.get(`/v1/checks/${check.id}/results`)).body;
    expect(await toolResult(client, 'get_check_results', { check_id: check.id, hours: 1 })).toEqual({ results });
    const at = transitions[0].timestamp;
    const { body: explained } = await client.get(`/v1/checks/${check.id}/explain?at=${at}`);
    expect(explained).toMatchObject({ verdict: 'skipped', transition: transitions[0] });
    expect(await toolResult(client, 'explain_alert', { check_id: check.id, at })).toEqual(explained);
  });

  it('lists status pages like the API, and shows one as visitors see it', async () => {
    const client = await newTenant();
    const { entity_id } = await newCheck(client);
    const groups = [{ components: [{ name: 'Checkout', entity_id }] }];
    const page = { slug: `tools-${entity_id.slice(4)}`, title: 'Acme', groups };
    const { id: status_page_id } = got(await client.post('/v1/status-pages', page), 201);
    const pages = got(await client.get('/v1/status-pages'), 200);
    expect(await toolResult(client, 'list_status_pages', {})).toEqual({ pages });
    expect(await toolResult(client, 'get_status_page', { status_page_id })).toMatchObject({
      ...pages[0],
      shown: { state: 'unknown', components: [{ name: 'Checkout', state: 'unknown', uptime: null }], incidents: [] },
    });
  });

  it('lists, adds and deletes subscribers of a status page, with access and hidden secrets as in the API', async () => {
    const client = await newTenant();
    const reader = await keyOf(client, { scopes: ['mcp', 'read'] });
    const page = { slug: `subscribers-${Date.now()}`, title: 'Acme', groups: [{ components: [{ name: 'Shop' }] }] };
    const { id: status_page_id, groups } = got(await client.post('/v1/status-pages', page), 201);
    const path = `/v1/status-pages/${status_page_id}/subscribers`;
    const component_ids = [groups[0].components[0].id];
    const config = { url: 'https://example.com/canary', secret: 'canary' };
    const given = { status_page_id, channel_type: 'webhook', config, component_ids };

    expect(await refused(reader, 'add_subscriber', given)).toMatchObject({ code: 'FORBIDDEN' });
    const insecure = { ...given, config: { url: 'http://example.com' } };
    expect(await refused(client, 'add_subscriber', insecure)).toMatchObject({ details: [{ path: 'config.url' }] });
    const added = await toolResult(client, 'add_subscriber', given);
    expect(added).toMatchObject({ channel_type: 'webhook', config, component_ids });
    expect(got(await client.get(path), 200)).toEqual([added]);
    expect(await toolResult(client, 'list_subscribers', { status_page_id })).toEqual({ subscribers: [added] });

    const subscribers = got(await reader.get(path), 200);
    expect(subscribers).toEqual([{ ...added, config: { url: '********', secret: '********' } }]);
    expect(await toolResult(reader, 'list_subscribers', { status_page_id })).toEqual({ subscribers });

    const named = { status_page_id, subscriber_id: added.id };
    expect(await refused(reader, 'delete_subscriber', named)).toMatchObject({ code: 'FORBIDDEN' });
    expect(await toolResult(client, 'delete_subscriber', named)).toEqual({ deleted: added.id });
    expect(await refused(client, 'delete_subscriber', named)).toMatchObject({ code: 'NOT_FOUND' });
    expect(got(await client.get(path), 200)).toEqual([]);
    const audited = got(await client.get(`/v1/audit?target=${added.id}`), 200);
    expect(audited).toMatchObject([{ tool: 'delete_subscriber' }, { tool: 'add_subscriber', via: 'mcp' }]);
    expect(JSON.stringify(audited)).not.toContain('canary');
  });

  it('names the person on call in each rota, and the channels without their configuration', async () => {
    const client = await newTenant();
    const channel = { name: 'Ada', channel_type: 'slack', config: { url: `${ci.url}/secret` } };
    const { id } = got(await client.post('/v1/notify/channels', channel), 201);
    const rota = got(
      await client.post('/v1/rotas', {
        name: 'Payments',
        members: ['Ada', 'Grace'].map((name) => ({ name, channel_ids: [id] })),
        handover: { every: 'week', at: '09:00' },
        starts_on: '2026-01-05',
      }),
      201,
    );
    const channels = [{ id, name: 'Ada', channel_type: 'slack', enabled: true }];
    const shift = ({ channel_ids: _, ...one }: Record<string, unknown>) => ({ ...one, channels });
    const { name, time_zone } = rota;
    expect(await toolResult(client, 'who_is_on_call', {})).toEqual({
      rotas: [{ id: rota.id, name, time_zone, on_call: shift(rota.on_call), next: shift(rota.next) }],
    });
  });

  it('silences some checks for a time', async () => {
    const check = await newCheck(admin);
    const made = await toolResult(admin, 'silence', { check_ids: [check.id], minutes: 5, reason: 'a move' });
    expect(made).toMatchObject({ reason: 'a move', notice: null });
    expect(Date.parse(made.until) - Date.now()).toBeLessThanOrEqual(300_000);
    const { body: policy } = await admin.get(`/v1/checks/${check.id}/policy`);
    expect(policy.silenced_by).toMatchObject([{ by: 'account', id: made.id, reason: 'a move' }]);
  });

  it('silences for more than a day only with the scope write', async () => {
    const { id } = await newCheck(admin);
    const agent = await keyOf(admin, { scopes: ['mcp', 'respond'] });
    const error =
      'It lasts longer than a day. This key has the scopes mcp, respond; this needs write. Create a key that has it.';
    expect(await refused(agent, 'silence', { check_ids: [id], minutes: 1500 })).toEqual({ code: 'FORBIDDEN', error });
    expect(await toolResult(agent, 'silence', { check_ids: [id], minutes: 1440 })).toMatchObject({ notice: null });
    const trusted = await keyOf(admin, { scopes: ['mcp', 'write'] });
    expect(await toolResult(trusted, 'silence', { check_ids: [id], minutes: 1500 })).toMatchObject({ notice: null });
  });

  it('looks back the given number of hours', async () => {
    const check = await newCheck(admin);
    const at = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    for (const hours of [0.5, 1.5, 30]) {
      const result = { success: true, latency_ms: 1, checked_at: at(hours) };
      got(await admin.post(`/v1/checks/${check.id}/results`, result), 201);
    }
    const seen = async (args: object) =>
      (await toolResult(admin, 'get_check_results', { check_id: check.id, ...args })).results.length;
    expect(await seen({})).toBe(1);
    expect(await seen({ hours: 2 })).toBe(2);
    expect(await seen({ hours: 31 })).toBe(3);
  });

  it('creates an HTTP check, which is probed immediately', async () => {
    const { id: entity_id } = await newEntity(admin);
    const { port } = new URL(ci.url);
    const made = await toolResult(admin, 'create_check', { entity_id, target_url: `http://127.77.0.1:${port}/` });
    expect(made).toMatchObject({ entity_id, check_type: 'http', interval_seconds: 60, expected_status: 200 });
    expect(got(await admin.get(`/v1/checks/${made.id}`), 200)).toMatchObject({ id: made.id });
    await eventually(
      async () => (await toolResult(admin, 'get_check_results', { check_id: made.id })).results.length > 0,
    );
  });

  it('creates a check with assertions and reports errors in them', async () => {
    const { id: entity_id } = await newEntity(admin);
    const checkOf = (assertion: object) => ({ entity_id, target_url: `${ci.url}/health`, assertions: [assertion] });
    const slow = { source: 'latency_ms', operator: 'less_than', value: 800, severity: 'warn' };
    expect((await toolResult(admin, 'create_check', checkOf(slow))).config).toEqual({ assertions: [slow] });
    const wrong = await refused(admin, 'create_check', checkOf({ ...slow, operator: 'contains' }));
    expect(wrong.details).toEqual([expect.objectContaining({ path: 'config.assertions.0.operator' })]);
  });

  it('creates a monitor from a URL and returns its entity', async () => {
    const client = await newTenant();
    const monitor = await toolResult(client, 'create_monitor', { target: `${ci.url}/health` });
    expect(monitor).toMatchObject({
      entity: { slug: '127-77-0-1', blueprint_slug: 'service' },
      check: { check_type: 'http', target_url: `${ci.url}/health` },
      channels: [],
      notes: [expect.stringContaining('No channel receives the alerts')],
    });
    const again = await toolResult(client, 'create_monitor', { target: `${ci.url}/health` });
    expect(again.check.id).toBe(monitor.check.id);
  });

  it('tests settings and stores nothing', async () => {
    const client = await newTenant();
    const target_url = `${ci.url}/health`;
    const tried = await toolResult(client, 'test_check', { check_type: 'http', target_url });
    expect(tried).toMatchObject({ success: true, status_code: 200, response: { body_bytes: 0 } });
    expect(got(await client.get('/v1/checks'), 200)).toEqual([]);
  });

  it('runs a check immediately, and the result counts', async () => {
    const client = await newTenant();
    const settings = { check_type: 'http', target_url: `${ci.url}/health`, interval_seconds: 86_400 };
    const { id } = await newCheck(client, settings);
    expect(await toolResult(client, 'run_check', { check_id: id })).toMatchObject({
      check_id: id,
      kind: 'manual',
      success: true,
      check_state: 'up',
    });
    const [entry] = (await client.get(`/v1/audit?target=${id}&action=check.run`)).body;
    expect(entry).toMatchObject({ via: 'mcp', tool: 'run_check' });
  });

  it('lists the pings of a job and reports truncation; a read-only user sees no address', async () => {
    const client = await newTenant();
    const job = await newJob(client);
    for (const rest of ['/start', '', '/3']) await ping(job, rest);
    const { pings } = await toolResult(client, 'list_pings', { check_id: job.id });
    expect(pings).toEqual(await pingsOf(client, job.id));
    expect(pings.map(({ kind }: { kind: string }) => kind)).toEqual(['fail', 'success', 'start']);
    const reader = await keyOf(client, { scopes: ['mcp', 'read'] });
    const cut = await toolResult(reader, 'list_pings', { check_id: job.id, limit: 1 });
    expect(cut).toMatchObject({
      pings: [{ kind: 'fail', exit_status: 3, remote_addr: '********' }],
      truncated: expect.stringContaining('pings: only the first 1'),
    });
  });

  it.each<[string, object, string]>([
    ['list_pings', { check_id: 'chk_none' }, 'NOT_FOUND'],
    ['list_pings', {}, 'VALIDATION_ERROR'],
    ['test_check', {}, 'VALIDATION_ERROR'],
    ['test_check', { check_type: 'http', target_url: 'http://169.254.169.254/' }, 'VALIDATION_ERROR'],
    ['test_check', { check_id: 'chk_none' }, 'NOT_FOUND'],
    ['run_check', { check_id: 'chk_none' }, 'NOT_FOUND'],
    ['run_check', {}, 'VALIDATION_ERROR'],
    ['create_monitor', {}, 'VALIDATION_ERROR'],
    ['create_monitor', { target: 'http://169.254.169.254/' }, 'VALIDATION_ERROR'],
    ['create_check', { entity_id: 'ent_none', target_url: 'https://example.com' }, 'NOT_FOUND'],
    ['create_check', { target_url: 'https://example.com' }, 'VALIDATION_ERROR'],
    ['create_check', { entity_id: 'ent_1', target_url: 'ftp://example.com' }, 'VALIDATION_ERROR'],
    ['create_check', { entity_id: 'ent_1', target_url: 'http://169.254.169.254/' }, 'VALIDATION_ERROR'],
    ['create_check', { entity_id: 'ent_1', target_url: 'https://example.com', intervall: 9 }, 'VALIDATION_ERROR'],
    ['get_entity', { blueprint_slug: 'none', entity_slug: 'x' }, 'NOT_FOUND'],
    ['get_entity', { blueprint_slug: 'service', entity_slug: 'ü#/' }, 'NOT_FOUND'],
    ['get_entity', { blueprint_slug: 'service' }, 'VALIDATION_ERROR'],
    ['list_entities', { blueprint_slug: 'none' }, 'NOT_FOUND'],
    ['list_entities', { blueprint: 'service' }, 'VALIDATION_ERROR'],
    ['get_check_results', { check_id: 'chk_none' }, 'NOT_FOUND'],
    ['get_check_results', { check_id: 'chk_none', hours: 0 }, 'VALIDATION_ERROR'],
    ['explain_alert', { check_id: 'chk_none' }, 'NOT_FOUND'],
    ['explain_alert', { check_id: 'chk_none', at: 'noon' }, 'NOT_FOUND'],
    ['silence', { check_ids: ['nonsense'] }, 'VALIDATION_ERROR'],
    ['silence', { minutes: 5 }, 'VALIDATION_ERROR'],
    ['get_execution', { execution_id: 'exe_none' }, 'NOT_FOUND'],
    ['get_execution', { execution_id: 'ü#/' }, 'NOT_FOUND'],
    ['get_execution', { execution_id: 'exe_none', after: -1 }, 'VALIDATION_ERROR'],
    ['get_execution', {}, 'VALIDATION_ERROR'],
    ['list_incidents', { hours: '24' }, 'VALIDATION_ERROR'],
    ['get_status_page', { status_page_id: 'pag_none' }, 'NOT_FOUND'],
    ['list_subscribers', { status_page_id: 'pag_none' }, 'NOT_FOUND'],
    ['add_subscriber', { status_page_id: 'pag_none', channel_type: 'email', config: {} }, 'VALIDATION_ERROR'],
    ['delete_subscriber', { status_page_id: 'pag_none', subscriber_id: 'sub_none' }, 'NOT_FOUND'],
    ['list_incidents', { entity_id: 'ent_none' }, 'NOT_FOUND'],
    ['list_incidents', { hours: 1.5 }, 'VALIDATION_ERROR'],
    ['get_status_summary', { verbose: true }, 'VALIDATION_ERROR'],
  ])('%s with %j fails with a result that the model can read', async (name, args, code) => {
    expect(await refused(admin, name, args)).toEqual({
      error: expect.stringMatching(/\w+ \w+/),
      code,
      ...(code === 'VALIDATION_ERROR' && { details: expect.any(Array) }),
    });
  });

  it('sees nothing of another account', async () => {
    const check = await newCheck(admin);
    const other = await newTenant();
    expect(await refused(other, 'get_check_results', { check_id: check.id })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await toolResult(other, 'get_status_summary', {})).toMatchObject({ total: 0 });
  });
});
