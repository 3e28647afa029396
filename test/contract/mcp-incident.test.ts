import { expect, it } from 'vitest';
import { newTenant } from '#test/support/client.ts';
import { eventually } from '#test/support/eventually.ts';
import { got, newEntity } from '#test/support/fleet.ts';
import { call, registerCatalogOps } from '#test/support/mcp.ts';
import { httpTarget } from '#test/support/socket-target.ts';

it('an agent finds an incident, restarts the target by a tool, and sees it up again', { timeout: 40_000 }, async () => {
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
  const incident = await eventually(async () => {
    const { transitions } = (await call(client, 'list_incidents')).structuredContent;
    return transitions.find(({ to_state }: { to_state: string }) => to_state === 'down');
  });
  expect(incident).toMatchObject({
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
