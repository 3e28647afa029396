import { catalogOps, otherTools } from '#test/support/catalog-ops.ts';
import type { Client } from '#test/support/client.ts';
import { got, newCheck, runAction } from '#test/support/fleet.ts';

export type Call = { name: string; arguments: Record<string, unknown> };

/** Observations of a client: the negotiated version, the listed tools, and the response to each call. */
export type Seen = {
  version: string | undefined;
  tools: string[];
  results: { isError?: boolean | null | undefined; structuredContent?: unknown; content: unknown }[];
};

/**
 * Creates records, and registers every built-in tool and a tool that runs an action which posts to `hook`.
 * @returns a call of each tool
 */
export async function prepare(client: Client, hook: string): Promise<Call[]> {
  const check = await newCheck(client);
  got(await client.post(`/v1/checks/${check.id}/heartbeat`), 201);
  const failing = await newCheck(client, { failure_threshold: 1 });
  got(await client.post(`/v1/checks/${failing.id}/results`, { success: false, latency_ms: 5 }), 201);
  const page = { slug: `agents-${check.id.slice(4)}`, title: 'Agents' };
  const { id: status_page_id } = got(await client.post('/v1/status-pages', page), 201);
  const { id: incident_id } = got(await client.post('/v1/incidents', { title: 'Slow', impact: 'none' }), 201);
  const target_url = `${hook}/health`;
  const probed = await newCheck(client, { entity_id: check.entity_id, check_type: 'http', target_url });
  const action = { name: 'Restart', url: `${hook}/restart/{{service}}`, trigger_type: 'manual' };
  const { id: action_id } = got(await client.post('/v1/actions', action), 201);
  const inputSchema = { type: 'object', properties: { service: { type: 'string' } }, required: ['service'] };
  const restart = { name: 'restart_service', description: 'Restarts a service', inputSchema, action_id };
  got(await client.post('/v1/skills', catalogOps()), 201);
  got(await client.post('/v1/skills', otherTools()), 201);
  got(await client.post('/v1/skills', { slug: 'runbook', name: 'Runbook', tools: [restart] }), 201);
  const [entity] = got(await client.get('/v1/blueprints/service/entities'), 200);
  const { id: execution_id } = await runAction(client, action_id);
  return withNewSubscriber(client, [
    { name: 'get_status_summary', arguments: {} },
    { name: 'list_entities', arguments: { blueprint_slug: 'service' } },
    { name: 'get_entity', arguments: { blueprint_slug: 'service', entity_slug: entity.slug } },
    { name: 'list_blueprints', arguments: {} },
    { name: 'list_incidents', arguments: { hours: 24 } },
    { name: 'get_check_results', arguments: { check_id: check.id } },
    { name: 'explain_alert', arguments: { check_id: check.id } },
    { name: 'get_incident', arguments: { incident_id } },
    { name: 'add_incident_note', arguments: { incident_id, text: 'looking' } },
    {
      name: 'post_incident_update',
      arguments: { incident_id, status: 'investigating', message: 'Looking into it', notify: false },
    },
    { name: 'acknowledge_alert', arguments: { check_id: failing.id } },
    { name: 'get_history', arguments: { check_id: check.id, hours: 24 } },
    { name: 'list_slos', arguments: {} },
    { name: 'get_report', arguments: {} },
    { name: 'list_status_pages', arguments: {} },
    { name: 'get_status_page', arguments: { status_page_id } },
    { name: 'list_subscribers', arguments: { status_page_id } },
    {
      name: 'add_subscriber',
      arguments: { status_page_id, channel_type: 'slack', config: { url: `${hook}/subscriber` } },
    },
    { name: 'delete_subscriber', arguments: { status_page_id } },
    { name: 'list_pings', arguments: { check_id: check.id } },
    { name: 'get_execution', arguments: { execution_id } },
    { name: 'list_changes', arguments: { target: check.id } },
    { name: 'who_is_on_call', arguments: {} },
    { name: 'create_monitor', arguments: { target: target_url } },
    { name: 'create_check', arguments: { entity_id: entity.id, target_url } },
    { name: 'test_check', arguments: { check_type: 'http', target_url, expected_status: 204 } },
    { name: 'run_check', arguments: { check_id: probed.id } },
    { name: 'silence', arguments: { check_ids: [check.id], minutes: 1 } },
    { name: 'restart_service', arguments: { service: 'web shop' } },
  ]);
}

/** Returns the calls with a new subscriber to delete, because each client deletes one. */
export async function withNewSubscriber(client: Client, calls: Call[]): Promise<Call[]> {
  const { status_page_id, ...subscriber } = calls.find(({ name }) => name === 'add_subscriber')!.arguments;
  const { id } = got(await client.post(`/v1/status-pages/${status_page_id}/subscribers`, subscriber), 201);
  const named = { name: 'delete_subscriber', arguments: { status_page_id, subscriber_id: id } };
  return calls.map((call) => (call.name === named.name ? named : call));
}
