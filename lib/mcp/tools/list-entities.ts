import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import type { Entity } from '#lib/catalog/entity.ts';
import { allBlueprints, entityList, requireBlueprint } from '#lib/catalog/store.ts';
import { gather } from '#lib/platform/table/paging.ts';
import { defineTool, listed, READS, TOOL_PAGE } from './tool.ts';

export const listEntities = defineTool({
  name: 'list_entities',
  description: 'Entities of the catalog with their fields and status, optionally of one blueprint alone.',
  annotations: READS,
  access: 'read',
  input: z.strictObject({ blueprint_slug: z.string().optional().describe('Only entities of this blueprint') }),
  run: async (context, { blueprint_slug }) => {
    const blueprints =
      blueprint_slug === undefined
        ? [...(await allBlueprints(context)).values()]
        : [(await requireBlueprint(context, blueprint_slug)).blueprint];
    const advice =
      blueprint_slug === undefined
        ? 'Ask for one blueprint_slug at a time.'
        : `The API lists all of them page by page: GET /v1/blueprints/${blueprint_slug}/entities.`;
    return listed('entities', await entitiesOf(context, blueprints), advice);
  },
});

/** Blueprint by blueprint, as far as there is room. */
async function entitiesOf(context: Context, blueprints: Parameters<typeof entityList>[1][]) {
  const values: Entity[] = [];
  let { limit, maxBytes } = TOOL_PAGE;
  for (const blueprint of blueprints) {
    if (limit <= 0 || maxBytes <= 0) return { values, next: blueprint.slug };
    const page = await gather(entityList(context, blueprint), { limit, maxBytes });
    values.push(...page.values);
    if (page.next !== undefined) return { values, next: page.next };
    limit -= page.values.length;
    maxBytes -= Buffer.byteLength(JSON.stringify(page.values));
  }
  return { values };
}
