import { describe, expect, it } from 'vitest';
import type { Context } from '#lib/access/context.ts';
import { emptyPolicy, type PolicyItem } from '#lib/alerting/policy/policy.ts';
import { createBlueprint } from '#lib/catalog/change-blueprint.ts';
import { createEntity, deleteEntity } from '#lib/catalog/change-entity.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { requireBlueprint, requireEntity } from '#lib/catalog/store.ts';
import { reclaimCheck } from '#lib/checks/change/reclaim-check.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { CellItem } from '#lib/checks/settings/cells.ts';
import { checkIdOf, type EntryKind } from '#lib/keys.ts';
import { messages } from '#lib/messages.ts';
import type { Item, Key } from '#lib/platform/ports.ts';
import { RECLAIM_AFTER_MS } from '#lib/platform/table/reclaim.ts';
import { probeEntry } from '#lib/schedule/entries.ts';
import { type MemoryWorld, memoryWorld } from '#test/support/memory-world.ts';

const CELL = 'aaaaaaaaaaaa';
/** Returns the id of a check in the cell. The time in it increases with the number. */
const idOf = (number: number): string => checkIdOf(1000 + number, CELL, number);

async function entityWith(world: MemoryWorld, checks: number): Promise<{ context: Context; entity: EntityItem }> {
  const { context } = await world.account();
  await createBlueprint(context, { slug: 'service', name: 'Service', description: '', fields: [] });
  await createEntity(context, 'service', { slug: 'api', name: 'API', fields: {} });
  for (let n = 0; n < checks; n++) await addCheck(world, context, idOf(n));
  return { context, entity: (await requireEntity(context, 'service', 'api')).entity };
}

const EACH_MINUTE: Partial<CheckItem> = { execution_mode: 'pull', enabled: true, interval_seconds: 60 };

/** Adds a check as lib/checks does: in one transaction with the entity, on its version. */
async function addCheck(world: MemoryWorld, context: Context, id: string): Promise<void> {
  const { entity } = await requireEntity(context, 'service', 'api');
  const changed = { ...entity, v: world.ports.ids.token(), checks: { ...entity.checks, [id]: 'unknown' as const } };
  const outcome = await world.store.transact([
    { put: { ...world.keys.check(context.tenant, id), ...EACH_MINUTE, v: '1' } as Item, if: 'absent' },
    { put: changed, if: { version: entity.v } },
  ]);
  if (!outcome.ok) throw new Error('another writer');
}

const reclaims = ({ sent }: MemoryWorld) =>
  sent.map(({ queue, message }) => ({ queue, ...message, body: messages.housekeeping.parse(message.body) }));

describe('deleteEntity', () => {
  it('deletes 90 checks in one transaction, and returns their ids', async () => {
    const world = memoryWorld();
    const { context, entity } = await entityWith(world, 90);
    const before = world.requests.writes;
    const gone = await deleteEntity(context, 'service', 'api');
    expect(world.requests.writes).toBe(before + 1);
    expect(gone.toSorted()).toEqual(Object.keys(entity.checks).toSorted());
    const left = await world.store.getMany([
      world.keys.entity(context.tenant, entity.id),
      world.keys.entitySlug(context.tenant, 'service', 'api'),
      ...gone.map((id) => world.keys.check(context.tenant, id)),
    ]);
    expect(left.filter(Boolean)).toEqual([]);
    expect((await requireBlueprint(context, 'service')).blueprint.entity_count).toBe(0);
  });

  it('sends a reclaim message for the entity and each check, delayed by RECLAIM_AFTER_MS', async () => {
    const world = memoryWorld();
    const { context, entity } = await entityWith(world, 2);
    const now = world.ports.clock.now();
    await deleteEntity(context, 'service', 'api');
    expect(reclaims(world)).toEqual(
      [{}, { check_id: idOf(0) }, { check_id: idOf(1) }].map((check) => ({
        queue: 'housekeeping',
        not_before: now + RECLAIM_AFTER_MS,
        group: context.tenant,
        body: { tenant_id: context.tenant, entity_id: entity.id, ...check },
      })),
    );
  });

  it('deletes nothing when the queue fails', async () => {
    const world = memoryWorld();
    const { context } = await entityWith(world, 1);
    context.ports.queues.send = () => Promise.reject(new Error('queue down'));
    await expect(deleteEntity(context, 'service', 'api')).rejects.toThrow('queue down');
    expect((await requireEntity(context, 'service', 'api')).entity.slug).toBe('api');
  });

  it('deletes a check that was added meanwhile', async () => {
    let add: (() => Promise<void>) | undefined;
    const world: MemoryWorld = memoryWorld((table) => ({
      ...table,
      transact: async (writes) => {
        const addNow = add;
        add = undefined;
        await addNow?.();
        return table.transact(writes);
      },
    }));
    const { context } = await entityWith(world, 1);
    add = () => addCheck(world, context, idOf(9));
    expect(await deleteEntity(context, 'service', 'api')).toEqual([idOf(0), idOf(9)]);
    expect(await world.store.get(world.keys.check(context.tenant, idOf(9)))).toBeUndefined();
    expect(reclaims(world).map(({ body }) => ('check_id' in body ? body.check_id : undefined))).toEqual([
      undefined,
      idOf(0),
      idOf(9),
    ]);
  });
});

describe('reclaimCheck', () => {
  const KINDS: EntryKind[] = ['missed_heartbeat', 'reminder', 'late', 'hold'];

  /** Stores the items of two checks in one cell, with different intervals: one to delete, and one of another entity. */
  async function leftovers(world: MemoryWorld) {
    const { context, entity } = await entityWith(world, 1);
    const { tenant } = context;
    const { keys } = world;
    const policy: PolicyItem = {
      ...emptyPolicy(keys, { tenant_id: tenant, entity_id: entity.id, id: idOf(0), created_at: '' }),
      channels: ['chn_1', 'chn_2'].map((id) => ({ id, channel_type: 'webhook', config: {}, created_at: '' })),
    };
    const of = (check: string): Key[] => [
      ...KINDS.map((kind) => keys.entry(kind, tenant, check)),
      keys.lastDelivery(tenant, check, 'chn_1'),
      keys.revision(tenant, check, 1),
    ];
    const due = (interval_seconds: number) =>
      probeEntry(keys, { tenant_id: tenant, cell: CELL, interval_seconds }, '1', { from: 0, checks: 1 });
    const channels = ['chn_1', 'chn_2'].map((id) => keys.channelPointer(tenant, id));
    const gone = [...of(idOf(0)), policy, ...channels, due(60)];
    const otherCheck: Partial<CheckItem> & Key = {
      ...keys.check(tenant, idOf(1)),
      ...EACH_MINUTE,
      interval_seconds: 300,
    };
    const kept = [
      ...of(idOf(1)),
      otherCheck,
      due(300),
      keys.channelPointer(tenant, 'chn_other'),
      keys.entry('action', tenant, 'act_1'),
    ];
    const cell: CellItem = { ...keys.cell(tenant, CELL), v: '1', members: 2, next: 2, begun_at: 0 };
    await world.store.putMany([...gone, ...kept, cell]);
    const message = { tenant_id: tenant, entity_id: entity.id, check_id: idOf(0) };
    const count = async (keysOf: Key[]) => (await world.store.getMany(keysOf)).filter(Boolean).length;
    const members = async () => (await world.store.get<CellItem>(cell))?.members;
    return { context, gone, kept, message, count, members };
  }

  it("removes everything of a deleted check and nothing of another's", async () => {
    const world = memoryWorld();
    const { context, gone, kept, message, count, members } = await leftovers(world);
    await deleteEntity(context, 'service', 'api');
    await reclaimCheck(world, message);
    expect(await count(gone)).toBe(0);
    expect(await count(kept)).toBe(kept.length);
    expect(await members()).toBe(1);
    await reclaimCheck(world, message);
    expect(await members()).toBe(1);
  });

  it('keeps a check that was not deleted', async () => {
    const world = memoryWorld();
    const { gone, message, count, members } = await leftovers(world);
    await reclaimCheck(world, message);
    expect(await count(gone)).toBe(gone.length);
    expect(await members()).toBe(2);
  });

  it.each([1, 2, 3])('continues after a crash at write %i', async (cutOff) => {
    let writesLeft = Number.POSITIVE_INFINITY;
    const world: MemoryWorld = memoryWorld((table) => ({
      ...table,
      transact: (list) => (--writesLeft === 0 ? Promise.reject(new Error('crash')) : table.transact(list)),
    }));
    const { context, gone, message, count, members } = await leftovers(world);
    await deleteEntity(context, 'service', 'api');
    writesLeft = cutOff;
    await expect(reclaimCheck(world, message)).rejects.toThrow('crash');
    await reclaimCheck(world, message);
    expect(await count(gone)).toBe(0);
    expect(await members()).toBe(1);
  });
});
