import { describe, expect, it } from 'vitest';
import type { Context } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { createCheck, deleteCheck, updateCheck } from '#lib/checks/change/change-check.ts';
import { reclaimCheck } from '#lib/checks/change/reclaim-check.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { CELL_SIZE, type CellItem } from '#lib/checks/settings/cells.ts';
import { CELLS, CELLS_WITH_ROOM, CHECKS, cellOf, numberOf, under } from '#lib/keys.ts';
import type { Table } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { type HealthWorld, healthWorld } from '#test/support/health-world.ts';
import { makeClock, type VirtualClock } from '#test/support/virtual-clock.ts';

const HTTP = { check_type: 'http', target_url: 'https://example.com/' };

/** Returns a context of the account in another process, whose table calls take one to five milliseconds. */
function elsewhere({ context, store }: HealthWorld, clock: VirtualClock): Context {
  const { ports } = context;
  const delay = () => clock.sleep(1 + 4 * ports.ids.random());
  const table: Table = {
    ...store,
    get: (key) => delay().then(() => store.get(key)),
    getMany: ((keys: never) => delay().then(() => store.getMany(keys))) as Table['getMany'],
    query: (query) => delay().then(() => store.query(query)),
    transact: (writes) => delay().then(() => store.transact(writes)),
  };
  return { ...context, ports: { ...ports, table, clock } };
}

/** Creates `count` checks of an entity, one after the other. */
async function fill(context: Context, entity: Pick<EntityItem, 'id'>, count: number): Promise<CheckItem[]> {
  const made: CheckItem[] = [];
  while (made.length < count) made.push(await createCheck(context, { ...HTTP, entity_id: entity.id }));
  return made;
}

const cellsOf = ({ ports, keys, context }: HealthWorld) =>
  allOf<CellItem>(ports.table, { partition: keys.cells(context.tenant), ...under(CELLS) });
const cellsWithRoom = async ({ ports, keys, context }: HealthWorld): Promise<string[]> =>
  (await allOf(ports.table, { partition: keys.cells(context.tenant), ...under(CELLS_WITH_ROOM) })).map(({ sk }) =>
    sk.slice(CELLS_WITH_ROOM.length),
  );
const membersOf = async ({ ports, keys, context }: HealthWorld, cell: string): Promise<string[]> =>
  (await allOf<CheckItem>(ports.table, { partition: keys.ofCell(context.tenant, cell), ...under(CHECKS) })).map(
    ({ id }) => id,
  );

describe('concurrent creation of checks by eight processes', () => {
  it('gives each check its own place in a cell that counts it, and fills most cells', async () => {
    const world = await healthWorld();
    const clock = makeClock(world.ports.clock.now());
    const entities = await Promise.all(Array.from({ length: 80 }, () => world.entity()));
    const writing = Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        const context = elsewhere(world, clock);
        const own: CheckItem[] = [];
        for (const entity of entities.slice(10 * writer, 10 * writer + 10))
          own.push(...(await fill(context, entity, 25)));
        return own;
      }),
    );
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    writing.then(done, done);
    // In small steps, because the clock would overtake a writer whose read takes several turns of the event loop.
    while (!isDone) await clock.runUntil(clock.now() + 10);
    const made = (await writing).flat();
    expect(made).toHaveLength(2000);

    const byCell = Map.groupBy(made, ({ id }) => cellOf(id));
    const cells = await cellsOf(world);
    expect(cells.map(({ sk }) => sk.slice(CELLS.length)).sort()).toEqual([...byCell.keys()].sort());
    for (const { sk, members, next } of cells) {
      const own = byCell.get(sk.slice(CELLS.length))!;
      expect(own.map(({ id }) => numberOf(id)).sort((a, b) => a - b)).toEqual(own.map((_, number) => number));
      expect([members, next]).toEqual([own.length, own.length]);
      expect(await membersOf(world, cellOf(own[0]!.id))).toEqual(own.map(({ id }) => id).sort());
    }
    expect(Math.max(...cells.map(({ members }) => members))).toBe(CELL_SIZE);
    expect(made.length / cells.length).toBeGreaterThanOrEqual(40);
    const open = cells.filter(({ members }) => members < CELL_SIZE).map(({ sk }) => sk.slice(CELLS.length));
    expect(await cellsWithRoom(world)).toEqual(open);
  });
});

describe('a new check', () => {
  it('goes to the cell of its entity while it has room, else to another cell with room', async () => {
    const world = await healthWorld();
    const { ports, keys, context } = world;
    const [shop, other] = [await world.entity(), await world.entity()];
    const [first] = await fill(context, shop, 1);
    const home = cellOf(first!.id);
    // A cell with room that sorts before all others.
    const roomy: CellItem = { ...keys.cell(context.tenant, '000000000000'), v: '1', members: 1, next: 1, begun_at: 0 };
    await ports.table.putMany([roomy, keys.cellRoom(context.tenant, '000000000000')]);

    expect((await fill(context, other, 3)).map(({ id }) => cellOf(id))).toEqual(Array(3).fill('000000000000'));
    expect((await fill(context, shop, 24)).map(({ id }) => cellOf(id))).toEqual(Array(24).fill(home));
    const full = await ports.table.get<CellItem>(keys.cell(context.tenant, home));
    await ports.table.putMany([{ ...full!, members: CELL_SIZE } as CellItem]);
    await deleteCheck(context, await world.fresh(first!));
    expect((await fill(context, shop, 1)).map(({ id }) => cellOf(id))).toEqual(['000000000000']);
  });

  it('takes the place of a deleted one after its cleanup, but never its number', async () => {
    const world = await healthWorld();
    const { context } = world;
    const [a, b] = [await world.entity(), await world.entity()];
    const made = [...(await fill(context, a, 25)), ...(await fill(context, b, 25))];
    const home = cellOf(made[0]!.id);
    expect(new Set(made.map(({ id }) => cellOf(id)))).toEqual(new Set([home]));
    expect(await cellsWithRoom(world)).toEqual([]);

    const gone = [made[7]!, made[8]!];
    for (const check of gone) await deleteCheck(context, check);
    expect(cellOf((await world.check()).id)).not.toBe(home);

    for (const { id, tenant_id } of gone) await reclaimCheck(world, { tenant_id, check_id: id });
    expect(await cellsWithRoom(world)).toContain(home);
    const next = await fill(context, a, 2);
    expect(next.map(({ id }) => [cellOf(id), numberOf(id)])).toEqual([
      [home, 50],
      [home, 51],
    ]);
    expect((await membersOf(world, home)).length).toBe(CELL_SIZE);
    expect(await cellsWithRoom(world)).not.toContain(home);
  });

  it('takes no place if its creation fails', async () => {
    const world = await healthWorld();
    const entity_id = (await world.entity()).id;
    await createCheck(world.context, { ...HTTP, entity_id });
    const before = await cellsOf(world);
    const { transact } = world.ports.table;
    world.ports.table.transact = () => Promise.reject(new Error('disk full'));
    await expect(createCheck(world.context, { ...HTTP, entity_id })).rejects.toThrow('disk full');
    world.ports.table.transact = transact;
    expect(await cellsOf(world)).toEqual(before);
  });
});

it('keeps cell and id of a check when its interval changes', async () => {
  const world = await healthWorld();
  const check = await world.check({ interval_seconds: 60 });
  const changed = await updateCheck(world.context, check, { interval_seconds: 300 });
  expect(changed).toMatchObject({ id: check.id, pk: check.pk, sk: check.sk, interval_seconds: 300 });
  expect(await membersOf(world, cellOf(check.id))).toEqual([check.id]);
  expect(await cellsOf(world)).toMatchObject([{ members: 1, next: 1 }]);
});
