import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import type { RelationCountItem } from '#lib/catalog/relations/relation-count.ts';
import { Me, whoCalls } from '#lib/identity/me.ts';
import { route } from '#lib/platform/http/route.ts';
import type { CheckCountItem } from './check-count.ts';
import { allBlueprints } from './store.ts';

/** What an account has of what its plan limits. */
const Use = z.object({
  blueprints: z.int().describe('Of blueprint_limit.'),
  entities: z.int().describe('Of all blueprints together.'),
  largest_blueprint: z
    .object({
      slug: z.string().describe('Names the blueprint.'),
      entities: z.int().describe('Of entity_limit_per_bp.'),
    })
    .nullable()
    .describe('The blueprint with the most entities; null while there is none.'),
  checks: z.int().describe('Of check_limit.'),
  checks_per_minute: z.int().describe('Of checks_per_minute_limit, rounded up.'),
  relations: z.int().describe('Of relation_limit.'),
});
type Use = z.infer<typeof Use>;

export const MeWithUse = Me.extend({ use: Use.describe('What the account has of what its plan limits.') }).meta({
  id: 'Me',
});

async function useOf(context: Context): Promise<Use> {
  const { ports, keys, tenant } = context;
  const [blueprints, [checks, relations]] = await Promise.all([
    allBlueprints(context),
    ports.table.getMany<[CheckCountItem, RelationCountItem]>([keys.checkCount(tenant), keys.relationCount(tenant)]),
  ]);
  const counts = [...blueprints.values()].map(({ slug, entity_count }) => ({ slug, entities: entity_count }));
  const [largest = null] = counts.toSorted((a, b) => b.entities - a.entities);
  return {
    blueprints: counts.length,
    entities: counts.reduce((sum, { entities }) => sum + entities, 0),
    largest_blueprint: largest,
    checks: checks?.checks ?? 0,
    checks_per_minute: Math.ceil((checks?.load ?? 0) / 1_000_000),
    relations: relations?.count ?? 0,
  };
}

export const meRows = [
  route<Context>()({
    method: 'GET',
    path: '/v1/me',
    access: 'read',
    summary: 'The account of this key, its plan limits and what it has of them, whose key it is, and what it may do',
    status: 200,
    reply: MeWithUse,
    run: async (context) => {
      const [who, use] = await Promise.all([whoCalls(context), useOf(context)]);
      return { ...who, use };
    },
  }),
];
