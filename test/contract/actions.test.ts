import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, clientOf, failure, keyOf, memberOf, newTenant, TIME } from '#test/support/client.ts';
import { everything, got, newCheck } from '#test/support/fleet.ts';
import { target } from '#test/support/service.ts';

const MASK = '********';

let admin: Client;
let member: Client;
let reader: Client;
let stranger: Client;
let anonymous: Client;
beforeAll(async () => {
  admin = await newTenant();
  member = await memberOf(admin);
  reader = await keyOf(admin, { is_read_only: true });
  stranger = await newTenant();
  anonymous = clientOf((await target()).url, '');
});

const deploy = { name: 'Deploy', url: 'https://ci.example.com/hooks/deploy', trigger_type: 'manual' };
const make = async (more: object = {}, client = admin) =>
  got(await client.post('/v1/actions', { ...deploy, ...more }), 201);
const read = async (id: string, client = admin) => got(await client.get(`/v1/actions/${id}`), 200);

describe('an action', () => {
  it('is created from only name, url and trigger, with the documented defaults', async () => {
    const action = await make();
    expect(action).toEqual({
      id: expect.stringMatching(/^act_/),
      ...deploy,
      method: 'POST',
      headers: {},
      body_template: '',
      allowed_hosts: [],
      check_id: null,
      trigger_to_state: '',
      interval_seconds: null,
      timeout_ms: 10_000,
      remediation: null,
      created_at: TIME,
      updated_at: action.created_at,
    });
    expect(await read(action.id)).toEqual(action);
  });

  it('keeps all given properties', async () => {
    const { id: check_id } = await newCheck(admin);
    const whole = {
      name: 'Roll back',
      url: 'https://ci.example.com/{{entity_id}}?to={{to_state}}',
      method: 'PUT',
      body_template: '{"run": "{{execution_id}}"}',
      allowed_hosts: ['ci.example.com', '*.eu.example.com'],
      trigger_type: 'state_change',
      check_id,
      trigger_to_state: 'down',
      interval_seconds: 60,
      timeout_ms: 15_000,
    };
    expect(await make(whole)).toMatchObject(whole);
  });

  it('normalizes its allowed hosts', async () => {
    const { allowed_hosts } = await make({
      allowed_hosts: ['CI.Example.com.', '*.B\u00fccher.example.com', '127.77.1'],
    });
    expect(allowed_hosts).toEqual(['ci.example.com', '*.xn--bcher-kva.example.com', '127.77.0.1']);
  });

  it('shows the names of its headers and never their values', async () => {
    const secret = 'Bearer very-secret';
    const made = await make({ headers: { Authorization: secret, 'X-Empty': '' } });
    expect(made.headers).toEqual({ Authorization: MASK, 'X-Empty': MASK });
    const updated = got(await admin.put(`/v1/actions/${made.id}`, { headers: { Authorization: secret } }), 200);
    expect(updated.headers).toEqual({ Authorization: MASK });
    for (const client of [admin, member, reader]) {
      const responses = [await client.get('/v1/actions'), await client.get(`/v1/actions/${made.id}`)];
      expect(JSON.stringify(responses.map(({ body }) => body))).not.toContain('very-secret');
    }
  });

  it('hides its URL and allowed hosts from a read-only key', async () => {
    const allowed_hosts = ['ci.example.com'];
    const { id } = await make({ url: 'https://ci.example.com/t0ken', body_template: 'as {{written}}', allowed_hosts });
    expect(await read(id, reader)).toMatchObject({ url: MASK, body_template: 'as {{written}}', allowed_hosts: [MASK] });
    const listed = got(await reader.get('/v1/actions'), 200);
    expect(listed.every(({ url }: { url: string }) => url === MASK)).toBe(true);
    expect(await read(id, member)).toMatchObject({ url: 'https://ci.example.com/t0ken' });
  });

  it('is listed oldest first, in pages', async () => {
    const tenant = await newTenant();
    expect(got(await tenant.get('/v1/actions'), 200)).toEqual([]);
    const made = [];
    for (const name of ['one', 'two', 'three']) made.push(await make({ name }, tenant));
    made.sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(got(await tenant.get('/v1/actions'), 200)).toEqual(made);
    expect(await everything(tenant, '/v1/actions?limit=2')).toEqual(made);
  });
});

describe('an update', () => {
  it('changes the given properties and keeps the rest', async () => {
    const before = await make({ body_template: 'a', timeout_ms: 500, headers: { 'X-A': '1' } });
    const after = got(await admin.put(`/v1/actions/${before.id}`, { name: 'Renamed', body_template: 'b' }), 200);
    expect(after).toEqual({ ...before, name: 'Renamed', body_template: 'b', updated_at: TIME });
    expect(await read(before.id)).toEqual(after);
  });

  it('treats null as absent', async () => {
    const before = await make({ timeout_ms: 500 });
    const after = got(await admin.put(`/v1/actions/${before.id}`, { timeout_ms: null, name: null }), 200);
    expect(after).toEqual({ ...before, updated_at: TIME });
  });

  it('accepts a whole record as it was read', async () => {
    const { id: check_id } = await newCheck(admin);
    const before = await make({ trigger_type: 'state_change', check_id, headers: { 'X-Token': 'abc' } });
    const after = got(await admin.put(`/v1/actions/${before.id}`, before), 200);
    expect(after).toEqual({ ...before, updated_at: TIME });
  });

  it('replaces all headers, and keeps the value of a masked one', async () => {
    const { id } = await make({ headers: { 'X-A': '1', 'X-B': '2' } });
    const changed = got(await admin.put(`/v1/actions/${id}`, { headers: { 'X-B': MASK, 'X-C': '3' } }), 200);
    expect(changed.headers).toEqual({ 'X-B': MASK, 'X-C': MASK });
    expect(got(await admin.put(`/v1/actions/${id}`, { headers: {} }), 200).headers).toEqual({});
  });

  it('requires the headers again when the URL gets another origin', async () => {
    const { id } = await make({ url: 'https://127.77.0.8/a', headers: { 'X-A': '1', 'X-B': '2' } });
    const put = (body: object) => admin.put(`/v1/actions/${id}`, body);
    for (const url of ['https://127.77.0.9/a', 'http://127.77.0.8/a', 'https://127.77.0.8:444/a'])
      expect(await put({ url })).toMatchObject(failure(400, 'VALIDATION_ERROR', 'headers'));
    const url = 'https://127.77.0.9/a';
    const kept = await put({ url, headers: { 'X-A': '1', 'X-B': MASK } });
    expect(kept).toMatchObject(failure(400, 'VALIDATION_ERROR', 'headers.X-B'));
    expect((await read(id)).url).toBe('https://127.77.0.8/a');
    expect(got(await put({ url: 'https://127.77.0.8:443/b' }), 200).headers).toEqual({ 'X-A': MASK, 'X-B': MASK });
    expect(got(await put({ url, headers: { 'X-A': '1' } }), 200)).toMatchObject({ url, headers: { 'X-A': MASK } });
    expect(got(await put({ url: 'https://127.77.0.8/a', headers: {} }), 200).headers).toEqual({});
    got(await put({ url }), 200);
  });

  it('requires the headers again when a placeholder can lead to further hosts', async () => {
    const url = 'https://{{host}}/hook';
    const { id } = await make({ url, headers: { 'X-A': '1' }, allowed_hosts: ['ci.example.com', 'cd.example.com'] });
    const put = (body: object) => admin.put(`/v1/actions/${id}`, body);
    for (const wider of [{ allowed_hosts: ['ci.example.com', 'evil.example'] }, { url: 'https://{{host}}:444/hook' }])
      expect(await put(wider)).toMatchObject(failure(400, 'VALIDATION_ERROR', 'headers'));
    expect(got(await put({ allowed_hosts: ['ci.example.com'] }), 200).allowed_hosts).toEqual(['ci.example.com']);
    const allowed_hosts = ['evil.example'];
    expect(got(await put({ allowed_hosts, headers: { 'X-A': '2' } }), 200)).toMatchObject({ allowed_hosts });
  });

  it('rejects a masked header value that is not stored', async () => {
    const { id } = await make({ headers: { 'X-A': '1' } });
    const response = await admin.put(`/v1/actions/${id}`, { headers: { 'x-a': MASK, 'X-New': MASK } });
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'headers.X-New'));
    expect((await read(id)).headers).toEqual({ 'X-A': MASK });
    const create = await admin.post('/v1/actions', { ...deploy, headers: { 'X-A': MASK } });
    expect(create).toMatchObject(failure(400, 'VALIDATION_ERROR', 'headers.X-A'));
  });

  it('cannot change the id', async () => {
    const { id } = await make();
    const response = await admin.put(`/v1/actions/${id}`, { id: 'act_other' });
    expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', 'id'));
  });

  it('rejects a trigger without its required properties', async () => {
    const { id } = await make();
    for (const [trigger_type, path] of [
      ['state_change', 'check_id'],
      ['schedule', 'interval_seconds'],
    ]) {
      const response = await admin.put(`/v1/actions/${id}`, { trigger_type });
      expect(response).toMatchObject(failure(400, 'VALIDATION_ERROR', path));
    }
    expect((await read(id)).trigger_type).toBe('manual');
  });

  it('works after the check of the action was deleted', async () => {
    const check = await newCheck(admin);
    const { id } = await make({ trigger_type: 'state_change', check_id: check.id });
    got(await admin.del(`/v1/checks/${check.id}`), 204);
    expect(got(await admin.put(`/v1/actions/${id}`, { name: 'Orphan' }), 200)).toMatchObject({ check_id: check.id });
    got(await admin.put(`/v1/actions/${id}`, { trigger_type: 'manual' }), 200);
    const rebound = await admin.put(`/v1/actions/${id}`, { trigger_type: 'state_change' });
    expect(rebound).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('a deletion', () => {
  it('removes the action and its history immediately', async () => {
    const { id } = await make({ url: 'http://127.77.0.9:9/', timeout_ms: 100 });
    const run = got(await admin.post(`/v1/actions/${id}/run`), 200);
    got(await admin.del(`/v1/actions/${id}`), 204);
    for (const response of [
      await admin.get(`/v1/actions/${id}`),
      await admin.get(`/v1/actions/${id}/executions`),
      await admin.get(`/v1/actions/executions/${run.id}/logs`),
      await admin.post(`/v1/actions/executions/${run.id}/events`, { status: 'running' }),
      await admin.post(`/v1/actions/${id}/run`),
      await admin.del(`/v1/actions/${id}`),
    ]) {
      expect(response).toMatchObject(failure(404, 'NOT_FOUND'));
    }
  });
});

describe('permissions', () => {
  it('require an admin to create, change and delete', async () => {
    const { id } = await make();
    for (const response of [
      await member.post('/v1/actions', deploy),
      await member.put(`/v1/actions/${id}`, { name: 'x' }),
      await member.del(`/v1/actions/${id}`),
    ]) {
      expect(response).toMatchObject(failure(403, 'FORBIDDEN'));
    }
  });

  it('let a member run actions, read their executions and report', async () => {
    const { id } = await make({ url: 'http://127.77.0.9:9/', timeout_ms: 100 });
    const run = got(await member.post(`/v1/actions/${id}/run`), 200);
    expect(got(await member.get(`/v1/actions/${id}/executions`), 200)).toEqual([run]);
    got(await member.post(`/v1/actions/executions/${run.id}/events`, { logs: ['x'] }), 200);
    expect(got(await member.get(`/v1/actions/executions/${run.id}/logs`), 200)).toEqual(['x']);
  });

  it('let a read-only key only read', async () => {
    const { id } = await make({ url: 'http://127.77.0.9:9/', timeout_ms: 100 });
    const run = got(await member.post(`/v1/actions/${id}/run`), 200);
    for (const response of [
      await reader.post('/v1/actions', deploy),
      await reader.put(`/v1/actions/${id}`, { name: 'x' }),
      await reader.del(`/v1/actions/${id}`),
      await reader.post(`/v1/actions/${id}/run`),
      await reader.post(`/v1/actions/executions/${run.id}/events`, { status: 'running' }),
    ]) {
      expect(response).toMatchObject(failure(403, 'READ_ONLY'));
    }
    expect(got(await reader.get(`/v1/actions/${id}/executions`), 200)).toHaveLength(1);
    expect(got(await reader.get(`/v1/actions/executions/${run.id}/logs`), 200)).toEqual([]);
  });

  it('hide actions from another tenant and reject requests without a key', async () => {
    const { id } = await make({ url: 'http://127.77.0.9:9/', timeout_ms: 100 });
    const run = got(await admin.post(`/v1/actions/${id}/run`), 200);
    const calls = (client: Client) => [
      client.get(`/v1/actions/${id}`),
      client.put(`/v1/actions/${id}`, { name: 'x' }),
      client.del(`/v1/actions/${id}`),
      client.post(`/v1/actions/${id}/run`),
      client.get(`/v1/actions/${id}/executions`),
      client.post(`/v1/actions/executions/${run.id}/events`, { status: 'failed' }),
      client.get(`/v1/actions/executions/${run.id}/logs`),
    ];
    for (const response of await Promise.all(calls(stranger)))
      expect(response).toMatchObject(failure(404, 'NOT_FOUND'));
    for (const response of await Promise.all(calls(anonymous)))
      expect(response).toMatchObject(failure(401, 'UNAUTHORIZED'));
    expect(got(await stranger.get('/v1/actions'), 200)).toEqual([]);
    expect(got(await admin.get(`/v1/actions/${id}/executions`), 200)).toEqual([run]);

    const check = await newCheck(admin);
    const bound = await stranger.post('/v1/actions', { ...deploy, trigger_type: 'state_change', check_id: check.id });
    expect(bound).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});
