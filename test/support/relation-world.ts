import { type Client, newTenant } from '#test/support/client.ts';

export type Entity = { id: string; path: string };

/** Creates a tenant with a blueprint `service`. */
export async function tenantWithBlueprint(): Promise<Client> {
  const tenant = await newTenant();
  await tenant.post('/v1/blueprints', { slug: 'service', name: 'Service' });
  return tenant;
}

let count = 0;
/** Creates an entity of the blueprint `service`. */
export async function entityOf(tenant: Client): Promise<Entity> {
  const slug = `e-${++count}`;
  const made = await tenant.post('/v1/blueprints/service/entities', { slug, name: slug });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return { id: made.body.id, path: `/v1/blueprints/service/entities/${slug}` };
}

/** Returns the body of a request that creates a relation. */
export const relation = (from: Entity, to: Entity, relation_type = 'depends_on') => ({
  from_entity_id: from.id,
  to_entity_id: to.id,
  relation_type,
});
