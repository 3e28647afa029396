import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import type { BlueprintItem } from '#lib/catalog/blueprint.ts';
import type { Entity } from '#lib/catalog/entity.ts';
import type { EntityFilter } from '#lib/catalog/entity-filter.ts';
import { EntityState } from '#lib/catalog/states.ts';
import { allBlueprints, entityList, requireBlueprint } from '#lib/catalog/store.ts';
import { gather } from '#lib/platform/http/paging.ts';
import { defineTool, listed, TOOL_PAGE } from './tool.ts';

export const listEntities = defineTool({
  description: 'Entities of the catalog with fields, labels and state: all, or by blueprint, state and labels.',
  input: z.strictObject({
    blueprint_slug: z.string().optional().describe('Only entities of this blueprint'),
    state: z.array(z.enum(EntityState.options)).min(1).optional().describe('Only entities in one of these states'),
    label: z
      .record(z.string(), z.string())
      .optional()
      .describe('Only entities with all of these labels: {"team": "payments"}'),
  }),
  run: async (context, { blueprint_slug, state, label }) => {
    const blueprints =
      blueprint_slug === undefined
        ? [...(await allBlueprints(context)).values()]
        : [(await requireBlueprint(context, blueprint_slug)).blueprint];
    const advice =
      blueprint_slug === undefined
        ? 'Request one blueprint_slug at a time.'
        : `The API lists all of them page by page: GET /v1/blueprints/${blueprint_slug}/entities.`;
    const wanted: EntityFilter = {
      ...(state && { state }),
      ...(label && { label: Object.entries(label).map(([key, value]) => [{ key, value }]) }),
    };
    return listed('entities', await entitiesOf(context, blueprints, wanted), advice);
  },
});

async function entitiesOf(context: Context, blueprints: BlueprintItem[], wanted: EntityFilter) {
  const values: Entity[] = [];
  let { limit, maxBytes } = TOOL_PAGE;
  for (const blueprint of blueprints) {
    if (limit <= 0 || maxBytes <= 0) return { values, next: blueprint.slug };
    const page = await gather(entityList(context, blueprint, wanted), { limit, maxBytes });
    values.push(...page.values);
    if (page.next !== undefined) return { values, next: page.next };
    limit -= page.values.length;
    maxBytes -= Buffer.byteLength(JSON.stringify(page.values));
  }
  return { values };
}
