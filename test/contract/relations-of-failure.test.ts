import { beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure } from '#test/support/client.ts';
import { type Entity, entityOf, relation, tenantWithBlueprint } from '#test/support/relation-world.ts';

const ALL = '/v1/relations';

let admin: Client;
let web: Entity;
let db: Entity;
beforeAll(async () => {
  admin = await tenantWithBlueprint();
  [web, db] = [await entityOf(admin), await entityOf(admin)];
});

describe('a relation that propagates failure', () => {
  const grouped = (from: Entity, to: Entity, more: object) => ({ ...relation(from, to), ...more });
  const counts = async ({ path }: Entity) => {
    const { dependencies, dependents } = (await admin.get(path)).body;
    return { dependencies, dependents };
  };

  it('has the type depends_on, unless the request sets propagates_failure', async () => {
    const [a, b] = [await entityOf(admin), await entityOf(admin)];
    const make = async (type: string, more = {}) => (await admin.post(ALL, { ...relation(a, b, type), ...more })).body;
    expect(await make('hosts')).toMatchObject({ propagates_failure: false, when: 'down' });
    expect(await make('runs_on', { propagates_failure: true, when: 'degraded' })).toMatchObject({
      propagates_failure: true,
      when: 'degraded',
    });
    expect(await make('depends_on', { propagates_failure: false })).toMatchObject({ propagates_failure: false });
  });

  it('is counted on both entities until it is deleted', async () => {
    const [a, b, c] = [await entityOf(admin), await entityOf(admin), await entityOf(admin)];
    const { id } = (await admin.post(ALL, relation(a, b))).body;
    await admin.post(ALL, relation(a, b, 'hosts'));
    await admin.post(ALL, relation(a, c));
    expect(await counts(a)).toEqual({ dependencies: 2, dependents: 0 });
    expect(await counts(b)).toEqual({ dependencies: 0, dependents: 1 });
    await admin.del(`${ALL}/${id}`);
    expect(await counts(a)).toEqual({ dependencies: 1, dependents: 0 });
    expect(await counts(b)).toEqual({ dependencies: 0, dependents: 0 });
  });

  it('accepts `required` only if its group already has enough relations', async () => {
    const [a, ...others] = [await entityOf(admin), await entityOf(admin), await entityOf(admin), await entityOf(admin)];
    const [b, c, d] = others as [Entity, Entity, Entity];
    expect((await admin.post(ALL, grouped(a, b, { group: 'dbs' }))).body).toMatchObject({ required: null });
    const early = await admin.post(ALL, grouped(a, c, { group: 'dbs', required: 3 }));
    expect(early).toMatchObject(failure(400, 'VALIDATION_ERROR', 'required'));
    expect(early.body.error).toContain('create the other relations first');
    expect((await admin.post(ALL, grouped(a, c, { group: 'dbs' }))).status).toBe(201);
    expect((await admin.post(ALL, grouped(a, d, { group: 'dbs', required: 2 }))).status).toBe(201);
  });

  it.each([
    ['a group in capitals', { group: 'DB' }, 'group'],
    ['a group without propagation', { propagates_failure: false, group: 'dbs' }, 'group'],
    ['required without a group', { required: 1 }, 'required'],
    ['required 0', { group: 'dbs', required: 0 }, 'required'],
    ['an unknown value of when', { when: 'up' }, 'when'],
    ['when without propagation', { propagates_failure: false, when: 'degraded' }, 'when'],
    ['a text for propagates_failure', { propagates_failure: 'yes' }, 'propagates_failure'],
  ])('rejects %s', async (_name, more, path) => {
    expect(await admin.post(ALL, { ...relation(web, db, 'refused'), propagates_failure: true, ...more })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', path),
    );
  });
});
