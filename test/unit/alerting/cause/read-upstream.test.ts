import { beforeEach, describe, expect, it } from 'vitest';
import type { TenantEnv } from '#lib/access/context.ts';
import { readUpstream } from '#lib/alerting/cause/read-upstream.ts';
import { NewBlueprint } from '#lib/catalog/blueprint.ts';
import { createBlueprint } from '#lib/catalog/change-blueprint.ts';
import { createEntity, deleteEntity } from '#lib/catalog/change-entity.ts';
import { NewEntity } from '#lib/catalog/entity.ts';
import { createRelation } from '#lib/catalog/relations/change-relation.ts';
import type { Key, Table } from '#lib/platform/ports.ts';
import { memoryWorld } from '#test/support/memory-world.ts';

type World = ReturnType<typeof memoryWorld>;
type Context = Awaited<ReturnType<World['account']>>['context'];

let world: World;
/** Table of one process: it records the keys that it reads, and waits for `gate` before each read. */
let table: Table;
let read: Key[];
let gate: Promise<unknown>;
/** Called with the keys of each read, before it. */
let onRead: (keys: Key[]) => void;
/** Whether a wait on the clock ends; otherwise it lasts forever. */
let passes: boolean;

beforeEach(() => {
  world = memoryWorld();
  read = [];
  gate = Promise.resolve();
  onRead = () => {};
  passes = false;
  const { table: stored } = world.ports;
  table = {
    ...stored,
    getMany: (async (keys: Key[]) => {
      read.push(...keys);
      onRead(keys);
      await gate;
      return stored.getMany(keys);
    }) as Table['getMany'],
  };
});

/** Creates an account with the entity `database`, and `count` entities that depend on it. */
async function accountOf(count: number) {
  const { context } = await world.account();
  await createBlueprint(context, NewBlueprint.parse({ slug: 'service', name: 'Service' }));
  const add = (slug: string) => createEntity(context, 'service', NewEntity.parse({ slug, name: slug }));
  const { id: database } = await add('database');
  const dependents: string[] = [];
  for (let n = 0; n < count; n++) {
    const { id } = await add(`shop-${n}`);
    await createRelation(context, { from_entity_id: id, to_entity_id: database, relation_type: 'depends_on' });
    dependents.push(id);
  }
  return { context, env: envOf(context), database, dependents };
}

function envOf(context: Context): TenantEnv {
  const { clock } = context.ports;
  const sleep = (ms: number) => (passes ? clock.sleep(ms) : new Promise<void>(() => {}));
  return { ...context, ports: { ...context.ports, table, clock: { ...clock, sleep } } };
}
const timesRead = ({ tenant, keys }: Context, id: string): number =>
  read.filter(({ pk, sk }) => pk === keys.entity(tenant, id).pk && sk === keys.entity(tenant, id).sk).length;
const namesIn = (found: Awaited<ReturnType<typeof readUpstream>>) =>
  [...(found?.entities.values() ?? [])].map(({ name }) => name);

describe('evaluations of one account that wait together', () => {
  it('share their reads, with the same results as one by one', async () => {
    const { context, env, database, dependents } = await accountOf(10);
    const together = await Promise.all(dependents.map((id) => readUpstream(env, id)));
    // The first one begins at once, and the others wait for it.
    expect(timesRead(context, database)).toBe(2);
    const alone: typeof together = [];
    for (const id of dependents) alone.push(await readUpstream(env, id));
    expect(timesRead(context, database)).toBe(12);
    expect(together).toEqual(alone);
    expect(together.map(namesIn)).toEqual(dependents.map((_, n) => [`shop-${n}`, 'database']));
  });

  it('share the whole evaluation if they are about the same entity', async () => {
    const { context, env, dependents } = await accountOf(1);
    const [shop = ''] = dependents;
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => readUpstream(env, shop)));
    expect(second).toBe(third);
    expect(first).toEqual(second);
    expect(timesRead(context, shop)).toBe(2);
  });

  it('read again after a second', async () => {
    const { context, env, database, dependents } = await accountOf(3);
    const second = context.keys.entity(context.tenant, dependents[1]!);
    // A second passes in the turn of the second evaluation, so the third one does not share its reads.
    onRead = (keys) => {
      if (keys.some((key) => key.pk === second.pk && key.sk === second.sk)) world.advance(1_000);
    };
    await Promise.all(dependents.map((id) => readUpstream(env, id)));
    expect(timesRead(context, database)).toBe(3);
  });
});

it('finds a change made before the call, even if another evaluation of the account has started', async () => {
  const { context, env, dependents } = await accountOf(2);
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  const before = readUpstream(env, dependents[0]!);
  await deleteEntity(context, 'service', 'database');
  const after = readUpstream(env, dependents[1]!);
  held.resolve();
  await before;
  expect(namesIn(await after)).toEqual(['shop-1']);
});

it('lets accounts take turns, one entity each', async () => {
  const [large, small, other] = [await accountOf(20), await accountOf(1), await accountOf(1)];
  const order: string[] = [];
  const all = [large, small, other].flatMap(({ env, dependents }, n) =>
    dependents.map(async (id) => {
      await readUpstream(env, id);
      order.push(['large', 'small', 'other'][n]!);
    }),
  );
  await Promise.all(all);
  expect(order).toHaveLength(22);
  expect(order.indexOf('small')).toBeLessThan(4);
  expect(order.indexOf('other')).toBeLessThan(4);
});

it('returns undefined if no turn comes within 10 s, and reads again on a later call', async () => {
  const accounts = [await accountOf(1), await accountOf(1), await accountOf(1)];
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  passes = true;
  const began = world.ports.clock.now();
  const [first, second, third] = accounts.map(({ env, dependents }) => readUpstream(env, dependents[0]!));
  expect(await third).toBeUndefined();
  expect(world.ports.clock.now() - began).toBeGreaterThanOrEqual(10_000);
  held.resolve();
  expect(namesIn(await first)).toEqual(['shop-0', 'database']);
  expect(namesIn(await second)).toEqual(['shop-0', 'database']);
  const { env, dependents } = accounts[2]!;
  expect(namesIn(await readUpstream(env, dependents[0]!))).toEqual(['shop-0', 'database']);
});
