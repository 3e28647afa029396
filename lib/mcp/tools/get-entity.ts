import * as z from 'zod';
import { entityRecord } from '#lib/catalog/entity.ts';
import { requireEntity } from '#lib/catalog/store.ts';
import { checkRecord } from '#lib/checks/settings/check-record.ts';
import { checksOf } from '#lib/checks/settings/store.ts';
import { notFound } from '#lib/platform/errors.ts';
import { isIdOrSlug } from '#lib/platform/text.ts';
import { defineTool } from './tool.ts';

export const getEntity = defineTool({
  description: 'One entity: its fields, current state and checks.',
  input: z.strictObject({
    blueprint_slug: z.string().describe('Slug of the blueprint of the entity'),
    entity_slug: z.string().describe('Slug of the entity within its blueprint'),
  }),
  run: async (context, { blueprint_slug, entity_slug }) => {
    if (!isIdOrSlug(entity_slug)) throw notFound(`Entity ${entity_slug} of blueprint ${blueprint_slug}`);
    const { entity, blueprint } = await requireEntity(context, blueprint_slug, entity_slug);
    const checks = await checksOf(context, [entity]);
    return {
      ...entityRecord(entity, blueprint, context.ports.clock.now()),
      checks: checks.map((check) => checkRecord(check, entity, context)),
    };
  },
});
