import type { Client } from '#test/support/client.ts';
import { got, newCheck } from '#test/support/fleet.ts';

/** Creates an entity of the blueprint `shop` with push checks that are up and go down at their first failure. */
export async function watchedEntity(client: Client, slug: string, name: string, checks: readonly string[]) {
  await client.post('/v1/blueprints', { slug: 'shop', name: 'Shop' });
  const entity = got(await client.post('/v1/blueprints/shop/entities', { slug, name }), 201);
  const ids: string[] = [];
  for (const check of checks) {
    const settings = { entity_id: entity.id, name: check, failure_threshold: 1, interval_seconds: 3600 };
    const { id } = await newCheck(client, settings);
    got(await client.post(`/v1/checks/${id}/policy`, { cooldown_seconds: 0 }), 200);
    await report(client, id, true);
    ids.push(id);
  }
  return { id: entity.id as string, checks: ids };
}

/** Posts a result of a push check. @param outcome error message of a failure; true: success */
export async function report(client: Client, id: string, outcome: string | true): Promise<void> {
  const result = { success: outcome === true, latency_ms: 5, ...(outcome !== true && { error_message: outcome }) };
  got(await client.post(`/v1/checks/${id}/results`, result), 201);
}

export async function slackChannel(client: Client, check: string, url: string): Promise<string> {
  const body = { channel_type: 'slack', config: { url } };
  return got(await client.post(`/v1/checks/${check}/policy/channels`, body), 201).id;
}
