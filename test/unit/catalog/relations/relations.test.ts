import { describe, expect, it } from 'vitest';
import { create as createHousekeeper } from '#functions/housekeeper.ts';
import type { Context } from '#lib/access/context.ts';
import { createBlueprint } from '#lib/catalog/change-blueprint.ts';
import { createEntity, deleteEntity } from '#lib/catalog/change-entity.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import {
  createRelation,
  deleteRelation,
  type RelationCountItem,
  reclaimRelations,
} from '#lib/catalog/relations/change-relation.ts';
import { copyKeys, relationList } from '#lib/catalog/relations/relation-store.ts';
import { gather } from '#lib/platform/http/paging.ts';
import type { Table } from '#lib/platform/ports.ts';
import { interruptedWorld, type MemoryWorld, memoryWorld } from '#test/support/memory-world.ts';
import { queueRecord } from '#test/support/queue-record.ts';

/** Creates an account with entities `e0` to `e<count - 1>`. */
async function accountWith(world: MemoryWorld, count: number) {
  const { context } = await world.account();
  await createBlueprint(context, { slug: 'service', name: 'Service', description: '', fields: [] });
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    ids.push((await createEntity(context, 'service', { slug: `e${n}`, name: `E ${n}`, fields: {} })).id);
  }
  return { context, ids };
}

const relate = (context: Context, from: string, to: string, relation_type = 'depends_on') =>
  createRelation(context, { from_entity_id: from, to_entity_id: to, relation_type });

const listed = async (context: Context) => (await gather(relationList(context))).values;

/** Returns the keys of all relation items in the lists of the account and of these entities. */
async function stored({ store, keys }: MemoryWorld, { tenant }: Context, ids: string[]): Promise<string[]> {
  const partitions = [
    ...keys.buckets.map((bucket) => keys.relations(tenant, bucket)),
    ...ids.map((id) => keys.relationsOf(tenant, id)),
  ];
  const pages = await Promise.all(partitions.map((partition) => store.query({ partition })));
  return pages.flatMap(({ items }) => items.map(({ pk, sk }) => `${pk} ${sk}`)).toSorted();
}

describe('a relation', () => {
  it.each(['e0', 'e1'])('is not created when %s is deleted between read and write', async (slug) => {
    const { world, before } = interruptedWorld();
    const { context, ids } = await accountWith(world, 2);
    before.act = () => deleteEntity(context, 'service', slug);
    await expect(relate(context, ids[0]!, ids[1]!)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await stored(world, context, ids)).toEqual([]);
  });

  it('is created when its entity changes between read and write', async () => {
    const { world, before } = interruptedWorld();
    const { context, ids } = await accountWith(world, 2);
    before.act = async () => {
      const entity = await world.store.get(world.keys.entity(context.tenant, ids[0]!));
      await world.store.transact([{ put: { ...entity!, v: 'other' } }]);
    };
    const made = await relate(context, ids[0]!, ids[1]!);
    expect(await listed(context)).toEqual([made]);
  });

  it('is created once, without an error, when the response of its write is lost', async () => {
    let losesNext = false;
    const world = memoryWorld((table: Table) => ({
      ...table,
      transact: async (writes) => {
        const outcome = await table.transact(writes);
        if (!losesNext) return outcome;
        losesNext = false;
        return { ok: false, failed: [], present: [], conflict: true };
      },
    }));
    const { context, ids } = await accountWith(world, 2);
    losesNext = true;
    const made = await relate(context, ids[0]!, ids[1]!);
    expect(await listed(context)).toEqual([made]);
  });

  it('is not affected by a late deletion of its predecessor', async () => {
    const { world, before } = interruptedWorld();
    const { context, ids } = await accountWith(world, 2);
    const first = await relate(context, ids[0]!, ids[1]!);
    before.act = async () => {
      await deleteRelation(context, first.id);
      await relate(context, ids[0]!, ids[1]!);
    };
    await expect(deleteRelation(context, first.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(relate(context, ids[0]!, ids[1]!)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await stored(world, context, ids)).toHaveLength(3);
  });

  it('leaves nothing when it is deleted', async () => {
    const world = memoryWorld();
    const { context, ids } = await accountWith(world, 2);
    const { id } = await relate(context, ids[0]!, ids[1]!);
    expect(await stored(world, context, ids)).toHaveLength(3);
    await deleteRelation(context, id);
    expect(await stored(world, context, ids)).toEqual([]);
  });
});

describe('the list of relations', () => {
  it('continues after relations of deleted entities that are not reclaimed yet', async () => {
    const world = memoryWorld();
    const { context, ids } = await accountWith(world, 3);
    for (let n = 0; n < 20; n++) await relate(context, ids[0]!, ids[1]!, `t${n}`);
    world.advance(1);
    const last = await relate(context, ids[1]!, ids[2]!);
    await deleteEntity(context, 'service', 'e0');
    const page = await gather(relationList(context), { limit: 5 });
    expect(page).toEqual({ values: [last] });
  });
});

describe('the housekeeper', () => {
  const record = (body: unknown) => queueRecord('m', body);

  it('removes all 70 relations of a deleted entity, in both directions, and no others', async () => {
    const world = memoryWorld();
    const { context, ids } = await accountWith(world, 3);
    for (let n = 0; n < 35; n++) {
      await relate(context, ids[0]!, ids[1]!, `out${n}`);
      await relate(context, ids[2]!, ids[0]!, `in${n}`);
    }
    const kept = await relate(context, ids[1]!, ids[2]!);
    await deleteEntity(context, 'service', 'e0');
    const housekeeper = createHousekeeper(world.ports);
    for (const { message } of world.sent) {
      expect(await housekeeper({ Records: [record(message.body)] })).toEqual({ batchItemFailures: [] });
    }
    const left = [world.keys.relation(context.tenant, kept.id), ...copyKeys(context, kept)];
    expect(await stored(world, context, ids)).toEqual(left.map(({ pk, sk }) => `${pk} ${sk}`).toSorted());
  });

  it('keeps the relations of an entity that was not deleted', async () => {
    const world = memoryWorld();
    const { context, ids } = await accountWith(world, 2);
    await relate(context, ids[0]!, ids[1]!);
    await reclaimRelations(context, ids[0]!);
    expect(await stored(world, context, ids)).toHaveLength(3);
  });

  it('continues after a crash, also when both entities of a relation were deleted', async () => {
    let writes = Number.NEGATIVE_INFINITY;
    const world: MemoryWorld = memoryWorld((table) => ({
      ...table,
      transact: (list) => {
        writes += 1;
        return writes === 2 ? Promise.reject(new Error('crash')) : table.transact(list);
      },
    }));
    const { context, ids } = await accountWith(world, 2);
    for (let n = 0; n < 40; n++) await relate(context, ids[0]!, ids[1]!, `t${n}`);
    for (const slug of ['e0', 'e1']) await deleteEntity(context, 'service', slug);
    writes = 0;
    await expect(reclaimRelations(context, ids[0]!)).rejects.toThrow('crash');
    expect(await stored(world, context, ids)).toHaveLength(48);
    await Promise.all(ids.map((id) => reclaimRelations(context, id)));
    expect(await stored(world, context, ids)).toEqual([]);
  });
});

describe('the dependency counts', () => {
  it('decrease once when an entity with 30 relations is deleted, even if it is reclaimed repeatedly', async () => {
    const world = memoryWorld();
    const { context, ids } = await accountWith(world, 3);
    for (let n = 0; n < 30; n++)
      await createRelation(context, {
        from_entity_id: ids[0]!,
        to_entity_id: ids[1]!,
        relation_type: `t${n}`,
        propagates_failure: true,
      });
    await relate(context, ids[1]!, ids[2]!);
    const counts = async () => {
      const { dependencies, dependents } = (await world.store.get<EntityItem>(
        world.keys.entity(context.tenant, ids[1]!),
      ))!;
      return { dependencies, dependents };
    };
    expect(await counts()).toEqual({ dependencies: 1, dependents: 30 });
    await deleteEntity(context, 'service', 'e0');
    await Promise.all([reclaimRelations(context, ids[0]!), reclaimRelations(context, ids[0]!)]);
    expect(await counts()).toEqual({ dependencies: 1, dependents: 0 });
    await reclaimRelations(context, ids[0]!);
    expect(await counts()).toEqual({ dependencies: 1, dependents: 0 });
  });
});

describe('the count of relations', () => {
  const count = async ({ store, keys }: MemoryWorld, { tenant }: Context) =>
    (await store.get<RelationCountItem>(keys.relationCount(tenant)))?.count ?? 0;

  it('matches the relations, even if two deleted entities are reclaimed concurrently and repeatedly', async () => {
    const world = memoryWorld();
    const { context, ids } = await accountWith(world, 4);
    const pairs = ids.flatMap((from) => ids.filter((to) => to !== from).map((to) => [from, to] as const));
    await Promise.all(
      pairs.flatMap(([from, to]) => ['a', 'b', 'c', 'd'].map((type) => relate(context, from, to, type))),
    );
    expect(await count(world, context)).toBe(48);
    await deleteEntity(context, 'service', 'e0');
    await deleteEntity(context, 'service', 'e1');
    await Promise.all([ids[0]!, ids[1]!, ids[0]!].map((id) => reclaimRelations(context, id)));
    expect(await count(world, context)).toBe(8);
    await reclaimRelations(context, ids[0]!);
    expect(await count(world, context)).toBe(8);
    expect(await listed(context)).toHaveLength(8);
    for (const { id } of await listed(context)) await deleteRelation(context, id);
    expect(await count(world, context)).toBe(0);
  });
});
