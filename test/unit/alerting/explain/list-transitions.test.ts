import { beforeEach, describe, expect, it } from 'vitest';
import { checkTransitions, transitionFeed } from '#lib/alerting/explain/transitions.ts';
import { deleteEntity } from '#lib/catalog/change-entity.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { deleteCheck } from '#lib/checks/change/change-check.ts';
import { gather } from '#lib/platform/http/paging.ts';
import { type HealthWorld, healthWorld } from '#test/support/health-world.ts';

const DAY = 86_400_000;
let world: HealthWorld;
beforeEach(async () => {
  world = await healthWorld();
});

const feed = async (limit?: number, after?: string) => gather(transitionFeed(world.context), { after, limit });

describe('transitionFeed', () => {
  it('lists transitions of all entities, newest first, page by page', async () => {
    const all: string[] = [];
    for (let i = 0; i < 12; i++) {
      const check = await world.pushCheck({ failure_threshold: 1 });
      for (const success of [true, false]) {
        await world.push(check, success);
        all.unshift(check.id);
        world.advance(1 + (i % 3));
      }
    }
    const seen: string[] = [];
    const ids = new Set<string>();
    let after: string | undefined;
    do {
      const page = await feed(5, after);
      for (const { check_id, id } of page.values) {
        seen.push(check_id);
        ids.add(id);
      }
      after = page.next;
    } while (after !== undefined);
    expect(seen).toEqual(all);
    expect(ids.size).toBe(24);
  });

  it('keeps transitions of a deleted check, and drops transitions of a deleted entity', async () => {
    const entity = await world.entity();
    const gone = await world.pushCheck({ entity_id: entity.id, failure_threshold: 1 });
    await world.push(gone);
    await deleteCheck(world.context, await world.fresh(gone));
    expect((await feed()).values.map(({ cause, check_id }) => [cause, check_id])).toEqual([
      ['check_deleted', gone.id],
      ['result', gone.id],
    ]);
    await deleteEntity(world.context, 'service', entity.slug);
    expect((await feed()).values).toEqual([]);
  });

  it('ends at the retention or at the requested start', async () => {
    const check = await world.pushCheck();
    await world.push(check);
    const at = world.ports.clock.now();
    expect((await gather(transitionFeed(world.context, { since: at }))).values).toHaveLength(1);
    expect((await gather(transitionFeed(world.context, { since: at + 1 }))).values).toEqual([]);
    world.advance(90 * DAY);
    expect((await feed()).values).toHaveLength(1);
    expect((await gather(checkTransitions(world.context, check))).values).toHaveLength(1);
    world.advance(1);
    expect((await feed()).values).toEqual([]);
    expect((await gather(checkTransitions(world.context, check))).values).toEqual([]);
  });

  it('contains nothing of another account', async () => {
    await world.push(await world.pushCheck());
    const other = await world.account({ email: 'bob@example.com' });
    expect((await gather(transitionFeed(other.context))).values).toEqual([]);
  });

  it('hides URLs in errors from a read-only key', async () => {
    const check = await world.check({ failure_threshold: 1 });
    await world.probe(check, world.ports.clock.now(), 'GET https://example.com/?token=s3cret answered 503');
    const [shown] = (await gather(transitionFeed(world.readOnly))).values;
    expect(shown?.error_message).toBe('GET ******** answered 503');
    expect((await gather(checkTransitions(world.readOnly, check))).values).toEqual([shown]);
    expect((await feed()).values[0]?.error_message).toContain('s3cret');
  });

  it('returns NOT_FOUND if `after` is a transition past its retention', async () => {
    const check = await world.pushCheck();
    await world.push(check);
    const after = (await feed()).values[0]!.id;
    world.advance(90 * DAY);
    expect((await gather(transitionFeed(world.context, { after }))).values).toEqual([]);
    world.advance(1);
    for (const list of [transitionFeed(world.context, { after }), checkTransitions(world.context, check, { after })]) {
      await expect(gather(list)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  it('scans a thousand changes of other entities per page, then continues', async () => {
    const [own, busy] = [
      await world.pushCheck({ failure_threshold: 1 }),
      await world.pushCheck({ failure_threshold: 1 }),
    ];
    await world.push(own);
    const entity = (await world.ports.table.get<EntityItem>(world.keys.entity(own.tenant_id, own.entity_id)))!;
    // Changes of another entity in the same bucket.
    const feedOf = { pk: world.keys.feed(own.tenant_id, world.keys.bucketOf(own.entity_id)) };
    const { entity_id, id: check_id } = busy;
    const at = world.ports.clock.now();
    await world.ports.table.putMany(
      Array.from({ length: 1_500 }, (_, i) => {
        const sk = `${at + 1 + i}#trn_${i}`;
        return { ...feedOf, sk, entity_id, check_id, transition_sk: sk };
      }),
    );
    const list = () => transitionFeed(world.context, {}, entity);
    const first = await gather(list());
    expect(first.values).toEqual([]);
    const second = await gather(list(), { after: first.next });
    expect(second.values.map(({ check_id }) => check_id)).toEqual([own.id]);
    expect(second.next).toBeUndefined();
  });
});
