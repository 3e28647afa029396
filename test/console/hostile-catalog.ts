import { type Client, keyOf, memberOf } from '#test/support/client.ts';
import { got } from '#test/support/fleet.ts';

const START = '<script>alert(1)</script> متجر 𝒲𝒾𝒹ℯ🛰 ';

/** A hostile name: markup, right-to-left text, 4-byte characters, and a long word without a line break. */
export const HOSTILE = START + 'w'.repeat(200 - [...START].length);

/** A right-to-left name of about the same length. */
const RIGHT_TO_LEFT = 'متجر الويب '.repeat(18).trim();

/** Values of the parameters of page addresses, keyed by first segment and parameter: `checks :id`. */
export type Params = Record<string, string>;

/** Creates records with hostile names and errors for all pages. @returns values of the parameters of page addresses */
export async function hostileCatalog(admin: Client): Promise<Params> {
  const post = async (path: string, body: object, status = 201) => got(await admin.post(path, body), status);
  await post('/v1/blueprints', {
    slug: 'service',
    name: HOSTILE,
    description: HOSTILE,
    fields: [
      { name: 'owner', field_type: 'string', default_value: HOSTILE },
      { name: 'runbook', field_type: 'url', default_value: 'https://example.com/<script>' },
    ],
  });
  const entity = (slug: string, name: string) =>
    post('/v1/blueprints/service/entities', { slug, name, fields: { owner: HOSTILE } });
  const shop = await entity('shop', HOSTILE);
  const database = await entity('database', RIGHT_TO_LEFT);
  const relation = { from_entity_id: shop.id, to_entity_id: database.id, relation_type: 'depends_on' };
  await post('/v1/relations', relation);

  const settings = { check_type: 'push', interval_seconds: 3600, failure_threshold: 1 };
  const check = await post('/v1/checks', { ...settings, entity_id: shop.id, name: HOSTILE });
  await post('/v1/checks', { ...settings, entity_id: database.id, name: HOSTILE });
  await post(`/v1/checks/${check.id}/policy/channels`, {
    channel_type: 'slack',
    config: { url: 'https://127.77.0.9/hooks' },
  });
  const channel = { channel_type: 'slack', config: { url: 'https://127.77.0.9/account' } };
  await post('/v1/notify/channels', { ...channel, name: HOSTILE, applies_to: { labels: { team: 'none' } } });
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await post('/v1/notify/silences', { applies_to: { entity_ids: [database.id] }, until, reason: HOSTILE });
  const times = { starts_at: until, ends_at: new Date(Date.now() + 7_200_000).toISOString() };
  const window = await post('/v1/windows', {
    name: HOSTILE,
    note: HOSTILE,
    scope: { entity_ids: [shop.id] },
    ...times,
  });
  for (const failed of [{}, { success: false, error_message: HOSTILE }]) {
    await post(`/v1/checks/${check.id}/results`, { success: true, latency_ms: 5, status_code: 0, ...failed });
  }

  const action = await post('/v1/actions', {
    name: HOSTILE,
    url: 'https://127.77.0.9/{{entity_name}}',
    trigger_type: 'manual',
  });
  const execution = await post(`/v1/actions/${action.id}/run`, { vars: {} }, 200);
  await post('/v1/skills', { slug: 'restart', name: HOSTILE, description: HOSTILE, version: '1.0.0', tools: [] });
  await keyOf(admin, { label: HOSTILE });
  const member = await memberOf(admin, 'member');
  got(await admin.put(`/v1/settings/users/${member.id}`, { name: HOSTILE }), 200);

  const incident = await post('/v1/incidents', { title: HOSTILE, impact: 'outage', entity_ids: [shop.id] });
  await post(`/v1/incidents/${incident.id}/notes`, { text: HOSTILE });
  const shortName = HOSTILE.slice(0, 100);
  const page = await post('/v1/status-pages', {
    slug: `hostile-${Date.now()}`,
    title: shortName,
    description: shortName,
    groups: [{ name: shortName, components: [{ name: shortName, description: shortName, entity_id: shop.id }] }],
  });
  return {
    'status-pages :id': page.id,
    'incidents :id': incident.id,
    'alerts :id': window.id,
    'checks :id': check.id,
    'catalog :blueprint': 'service',
    'entities :blueprint': 'service',
    'entities :slug': 'shop',
    'actions :id': action.id,
    'executions :id': execution.exec_id ?? execution.id,
    'link :token': 'fwl_none',
    'invitation :token': 'fwi_none',
  };
}
