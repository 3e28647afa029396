import { accountChannel, type OperatorWorld } from './alerting-bodies.ts';
import { hostOf, TRUE_RELATIONS } from './places.ts';
import { insist } from './requests.ts';

/**
 * Creates the catalog of a second tenant, with the same names as the first, on hosts that depend on the same
 * infrastructure. Its failures affect both tenants, and neither tenant may affect the other.
 */
export async function runTwin({ random, clock, client }: Omit<OperatorWorld, 'seen'>): Promise<void> {
  const post = (path: string, body: object) => insist(random, clock, () => client('POST', path, body));
  await post('/v1/blueprints', { slug: 'service', name: 'Service', fields: [] });
  await post('/v1/notify/channels', { name: 'account', ...accountChannel });
  const [from, to] = TRUE_RELATIONS[0]!;
  for (const [i, slug] of [to, from].entries()) {
    const made = await post('/v1/blueprints/service/entities', { slug, name: `Entity ${slug}`, fields: {} });
    const entity_id = (made?.body as { id: string } | undefined)?.id;
    const target_url = `http://${hostOf(`twin${i}`, { slug })}/`;
    const settings = { interval_seconds: 20, timeout_ms: 5000, failure_threshold: 1 };
    await post('/v1/checks', { entity_id, check_type: 'http', target_url, ...settings });
  }
  const ends = { from_entity: `service/${from}`, to_entity: `service/${to}` };
  await post('/v1/relations', { ...ends, relation_type: 'depends_on' });
}
