import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, memberOf, newTenant, TIME } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newEntity } from '#test/support/fleet.ts';
import { call, refused, registerCatalogOps, toolResult } from '#test/support/mcp.ts';
import { httpTarget } from '#test/support/socket-target.ts';
import { startReceiver, type WebhookReceiver } from '#test/support/webhook-receiver.ts';

let admin: Client;
let ci: WebhookReceiver;
beforeAll(async () => {
  admin = await newTenant();
  ci = await startReceiver({ host: '127.77.0.1' });
});
afterAll(() => ci.close());

describe('a tool bound to an action', () => {
  const inputSchema = {
    type: 'object',
    properties: { service: { type: 'string', minLength: 2 }, force: { type: 'boolean' }, tags: { type: 'array' } },
    required: ['service'],
    additionalProperties: false,
  };
  const action = (more: object = {}) => ({
    name: 'Restart',
    url: `${ci.url}/restart/{{service}}`,
    body_template: '{"force": "{{force}}", "tags": "{{tags}}", "by": "{{action_name}}"}',
    trigger_type: 'manual',
    ...more,
  });
  let tools = 0;
  async function bind(client: Client, more: object = {}) {
    const { id } = got(await client.post('/v1/actions', action(more)), 201);
    const name = `restart_${++tools}`;
    const skill = { slug: name, name, tools: [{ name, inputSchema, action_id: id }] };
    got(await client.post('/v1/skills', skill), 201);
    return { id, name };
  }

  it('runs the action with the arguments and returns the execution like the API', async () => {
    const { id, name } = await bind(admin);
    const member = await memberOf(admin);
    const before = ci.received.length;
    const execution = await toolResult(member, name, { service: 'web shop', force: true, tags: ['a', 'b'] });
    expect(execution).toMatchObject({ action_id: id, trigger: 'manual', dispatch_status: 'success' });
    expect(ci.received.slice(before)).toHaveLength(1);
    expect(ci.received.at(-1)!.path).toBe('/restart/web%20shop');
    expect(JSON.parse(ci.received.at(-1)!.body)).toEqual({
      force: 'true',
      tags: '["a","b"]',
      by: 'Restart',
    });
    expect(got(await admin.get(`/v1/actions/${id}/executions`), 200)).toEqual([execution]);
  });

  it('starts an execution whose log get_execution returns, whole or after a given line', async () => {
    const { name } = await bind(admin);
    const execution = await toolResult(admin, name, { service: 'web' });
    const follow = (args: object = {}) => toolResult(admin, 'get_execution', { execution_id: execution.id, ...args });
    expect(await follow()).toEqual({ ...execution, logs: [] });
    const report = { status: 'running', logs: ['one', 'two', 'three'] };
    got(await admin.post(`/v1/actions/executions/${execution.id}/events`, report), 200);
    const now = { ...execution, pipeline_status: 'running', log_count: 3 };
    const logs = report.logs.map((line, i) => ({ seq: i + 1, line, reported_at: TIME }));
    expect(await follow()).toEqual({ ...now, logs });
    expect(await follow({ after: 2 })).toEqual({ ...now, logs: logs.slice(2) });
    const { id: execution_id } = execution;
    expect(await refused(await newTenant(), 'get_execution', { execution_id })).toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each([
    [{}, 'service'],
    [{ service: 7 }, 'service'],
    [{ service: 'x' }, 'service'],
    [{ service: 'web', force: 'yes' }, 'force'],
    [{ service: 'web', other: 1 }, 'other'],
  ])('runs nothing with the arguments %j', async (args, path) => {
    const { id, name } = await bind(admin);
    const error = await refused(admin, name, args);
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(JSON.stringify(error.details)).toContain(path);
    expect(got(await admin.get(`/v1/actions/${id}/executions`), 200)).toEqual([]);
  });

  it('limits the size of its arguments', async () => {
    const { name } = await bind(admin);
    expect(await refused(admin, name, { service: 'x'.repeat(17_000) })).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await refused(admin, name, { service: 'web', tags: Array(300).fill(1) })).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('returns an error with the execution if the execution failed or was blocked', async () => {
    const failing = await bind(admin, { url: 'http://127.77.0.1:1/{{service}}' });
    expect(await call(admin, failing.name, { service: 'web' })).toMatchObject({
      isError: true,
      structuredContent: { dispatch_status: 'failed', error_message: expect.stringMatching(/\w+/) },
    });
    const blocked = await bind(admin, { url: 'http://{{service}}/x' });
    expect(await call(admin, blocked.name, { service: '10.0.0.1' })).toMatchObject({
      isError: true,
      structuredContent: { dispatch_status: 'blocked' },
    });
  });

  it('reports that its action was deleted', async () => {
    const { id, name } = await bind(admin);
    expect((await admin.del(`/v1/actions/${id}`)).status).toBe(204);
    expect(await refused(admin, name, { service: 'web' })).toMatchObject({ code: 'NOT_FOUND' });
  });
});

it('lets an agent find a failure, restart the target with a tool, and see it up again', {
  timeout: 40_000,
}, async () => {
  const client = await newTenant();
  await registerCatalogOps(client);
  let works = true;
  await using target = await httpTarget((request, response) => {
    if (request.method === 'POST' && request.url === '/restart/web') works = true;
    response.writeHead(works ? 200 : 500).end();
  });
  const action = { name: 'Restart', url: `${target.url}/restart/{{service}}`, trigger_type: 'manual' };
  const { id: action_id } = got(await client.post('/v1/actions', action), 201);
  const restart = {
    name: 'restart_service',
    description: 'Restarts a service',
    inputSchema: { type: 'object', properties: { service: { type: 'string' } }, required: ['service'] },
    action_id,
  };
  got(await client.post('/v1/skills', { slug: 'runbook', name: 'Runbook', tools: [restart] }), 201);

  const { id: entity_id, slug } = await newEntity(client);
  const created = await call(client, 'create_check', { entity_id, target_url: target.url, interval_seconds: 1 });
  const check_id = created.structuredContent.id;
  const state = async () => (await call(client, 'get_status_summary')).structuredContent;
  await eventually(async () => (await state()).up === 1);

  works = false;
  const failure = await eventually(async () => {
    const { transitions } = (await call(client, 'list_incidents')).structuredContent;
    return transitions.find(({ to_state }: { to_state: string }) => to_state === 'down');
  });
  expect(failure).toMatchObject({
    entity_id,
    check_id,
    from_state: 'up',
    error_message: expect.stringMatching(/500/),
  });
  const detail = (await call(client, 'get_entity', { blueprint_slug: 'service', entity_slug: slug })).structuredContent;
  expect(detail).toMatchObject({ state: 'down', checks: [{ id: check_id, state: 'down' }] });
  const { results } = (await call(client, 'get_check_results', { check_id })).structuredContent;
  expect(results[0]).toMatchObject({ success: false, status_code: 500 });

  const run = await call(client, 'restart_service', { service: 'web' });
  expect(run.structuredContent).toMatchObject({ dispatch_status: 'success', status_code: 200, trigger: 'manual' });
  await eventually(async () => (await state()).up === 1);
  expect((await state()).entities).toMatchObject([{ id: entity_id, state: 'up' }]);
});
