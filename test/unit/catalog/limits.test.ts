import { describe, expect, it } from 'vitest';
import { setLimits } from '#lib/access/change-account.ts';
import type { Context } from '#lib/access/context.ts';
import { addField, createBlueprint } from '#lib/catalog/change-blueprint.ts';
import { createEntity, deleteEntity } from '#lib/catalog/change-entity.ts';
import { entityList, requireBlueprint } from '#lib/catalog/store.ts';
import { gather } from '#lib/platform/http/paging.ts';
import type { Table } from '#lib/platform/ports.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

const blueprint = (context: Context, slug = 'service') =>
  createBlueprint(context, { slug, name: slug, description: '', fields: [] });
const entity = (context: Context, slug: string) => createEntity(context, 'service', { slug, name: slug, fields: {} });
const codeOf = (error: { code?: string }) => error.code;

/** Wraps a table so that it loses the response of every third write, which then looks like a conflict. */
const forgetful = (table: Table): Table => {
  let writes = 0;
  return {
    ...table,
    transact: async (list) => {
      writes += 1;
      const outcome = await table.transact(list);
      return outcome.ok && writes % 3 === 0 ? { ok: false, failed: [], present: [], conflict: true } : outcome;
    },
  };
};

describe('the plan limit of entities', () => {
  it('holds for 50 concurrent creations, and after deletions and changes by the operator', async () => {
    const { account } = memoryWorld();
    const { context } = await account({ entity_limit_per_bp: 20 });
    await blueprint(context);
    const made = await Promise.all(Array.from({ length: 50 }, (_, n) => entity(context, `e${n}`).catch(codeOf)));
    expect(made.filter((one) => one === 'LIMIT_EXCEEDED')).toHaveLength(30);
    const { blueprint: item } = await requireBlueprint(context, 'service');
    expect(item.entity_count).toBe(20);
    const { values } = await gather(entityList(context, item));
    expect(values).toHaveLength(20);

    await deleteEntity(context, 'service', values[0]!.slug);
    await entity(context, 'next');
    expect(await entity(context, 'more').catch(codeOf)).toBe('LIMIT_EXCEEDED');
    await setLimits(context, { entity_limit_per_bp: 21 });
    expect(await entity(context, 'more')).toMatchObject({ slug: 'more' });
  });

  it('counts per blueprint', async () => {
    const { account } = memoryWorld();
    const { context } = await account({ entity_limit_per_bp: 1 });
    await blueprint(context);
    await blueprint(context, 'other');
    await entity(context, 'a');
    expect(await createEntity(context, 'other', { slug: 'a', name: 'a', fields: {} })).toMatchObject({ slug: 'a' });
  });
});

describe('the plan limit of blueprints', () => {
  it('holds for concurrent creations', async () => {
    const { account } = memoryWorld();
    const { context } = await account({ blueprint_limit: 5 });
    const made = await Promise.all(Array.from({ length: 50 }, (_, n) => blueprint(context, `b${n}`).catch(codeOf)));
    expect(made.filter((one) => one === 'LIMIT_EXCEEDED')).toHaveLength(45);
  });
  it('can be zero', async () => {
    const { account } = memoryWorld();
    const { context } = await account({ blueprint_limit: 0 });
    expect(await blueprint(context).catch(codeOf)).toBe('LIMIT_EXCEEDED');
  });
});

describe('a store that loses responses', () => {
  it('creates everything once, up to the limits, with correct counts', async () => {
    const { account } = memoryWorld(forgetful);
    const { context } = await account({ entity_limit_per_bp: 12, blueprint_limit: 3 });
    for (const slug of ['service', 'b', 'c']) await blueprint(context, slug);
    for (let n = 0; n < 12; n++) await entity(context, `e${n}`);
    expect(await blueprint(context, 'd').catch(codeOf)).toBe('LIMIT_EXCEEDED');
    expect(await entity(context, 'e12').catch(codeOf)).toBe('LIMIT_EXCEEDED');
    for (const name of ['f1', 'f2', 'f3']) await addField(context, 'service', { name, field_type: 'string' });
    const { blueprint: item, catalog } = await requireBlueprint(context, 'service');
    expect(item.fields.map(({ name }) => name)).toEqual(['f1', 'f2', 'f3']);
    expect([item.entity_count, catalog.blueprint_count]).toEqual([12, 3]);
  });
});
