import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Relation, State } from '#console/api/records.ts';
import { type MapFilter, mapOf } from '#console/rules/relation-map.ts';
import { around, downstreamOf, linksOf, relationText, rootCauses } from '#console/rules/relations.ts';
import { entity } from './world.ts';

/** Returns links from pairs such as `'a>b'`: a depends on b. */
const links = (...pairs: string[]) =>
  linksOf(
    pairs.map((pair) => {
      const [from_entity_id, to_entity_id] = pair.split('>') as [string, string];
      return { from_entity_id, to_entity_id };
    }),
  );
const states = (down: string, up = '') =>
  new Map<string, State>([
    ...[...down].map((id) => [id, 'down'] as const),
    ...[...up].map((id) => [id, 'up'] as const),
  ]);

describe('root causes', () => {
  it('are down with nothing down upstream', () => {
    expect(rootCauses(states('abc'), links('a>b', 'b>c'))).toEqual(['c']);
    expect(rootCauses(states('ac', 'b'), links('a>b', 'b>c'))).toEqual(['a', 'c']);
    expect(rootCauses(states('', 'abc'), links('a>b'))).toEqual([]);
  });

  it('include all members of a cycle with nothing down upstream', () => {
    expect(rootCauses(states('abcd'), links('a>b', 'b>c', 'c>b', 'd>a'))).toEqual(['b', 'c']);
    expect(rootCauses(states('abcx'), links('a>b', 'b>c', 'c>b', 'b>x'))).toEqual(['x']);
  });

  it('explain all down entities, and each other only in a cycle', () => {
    const id = fc.constantFrom(...'abcdefg');
    const relation = fc.record({ from_entity_id: id, to_entity_id: id });
    fc.assert(
      fc.property(fc.array(relation, { maxLength: 12 }), fc.uniqueArray(id), (relations, down) => {
        const all = linksOf(relations);
        const roots = rootCauses(states(down.join('')), all);
        const downOnly = linksOf(
          relations.filter((one) => down.includes(one.from_entity_id) && down.includes(one.to_entity_id)),
        );
        const explained = new Set(roots.flatMap((root) => [root, ...downstreamOf(root, downOnly)]));
        expect([...explained].sort()).toEqual([...down].sort());
        for (const root of roots) {
          for (const other of downstreamOf(root, downOnly)) {
            if (roots.includes(other)) expect(downstreamOf(other, downOnly).has(root)).toBe(true);
          }
        }
      }),
    );
  });
});

describe('neighbors', () => {
  const chain = links('a>b', 'b>c', 'c>d', 'b>c');

  it('are found in both directions up to a distance', () => {
    expect([...around('b', 1, chain)].sort()).toEqual(['a', 'b', 'c']);
    expect([...around('a', 3, chain)].sort()).toEqual(['a', 'b', 'c', 'd']);
    expect([...around('lonely', 2, chain)]).toEqual(['lonely']);
  });

  it('include each downstream entity once', () => {
    expect([...downstreamOf('d', chain)]).toEqual(['c', 'b', 'a']);
    expect([...downstreamOf('a', links('a>b', 'b>a'))]).toEqual(['b']);
  });
});

describe('mapOf', () => {
  const fleet = new Map(
    [entity('a'), entity('b', { state: 'down' }), entity('c', { blueprint_slug: 'host' }), entity('d')].map((one) => [
      one.id,
      one,
    ]),
  );
  const relation = (from_entity_id: string, to_entity_id: string): Relation => ({
    id: `${from_entity_id}>${to_entity_id}`,
    from_entity_id,
    from_entity: `service/${from_entity_id}`,
    to_entity_id,
    to_entity: `service/${to_entity_id}`,
    relation_type: 'depends_on',
    propagates_failure: true,
    group: null,
    required: null,
    when: 'down',
    created_at: '2026-11-22T10:00:00.000Z',
  });
  const relations = [relation('a', 'b'), relation('b', 'c'), relation('a', 'gone')];
  const shown = (filter: Partial<MapFilter>) => {
    const view = mapOf(fleet, relations, { blueprint: '', around: undefined, depth: 1, all: true, ...filter });
    return {
      ids: view.rows.map(({ id }) => id),
      lines: view.relations.length,
      alone: view.alone,
      hiddenRelations: view.hiddenRelations,
    };
  };

  it('returns related entities, root causes first, and counts unrelated entities and hidden relations', () => {
    expect(shown({})).toEqual({ ids: ['b', 'a', 'c'], lines: 2, alone: 1, hiddenRelations: 1 });
  });

  it('without `all`, returns only root causes and entities downstream of them, or all if none is down', () => {
    expect(shown({ all: false })).toEqual({ ids: ['b', 'a'], lines: 1, alone: 0, hiddenRelations: 2 });
    const healthy = new Map([...fleet].map(([id, row]) => [id, { ...row, state: 'up' as const }]));
    const view = mapOf(healthy, relations, { blueprint: '', around: undefined, depth: 1, all: false });
    expect(view.rows.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  it('finds root causes only through relations that propagate failure', () => {
    const down = new Map(['a', 'b'].map((id) => [id, entity(id, { state: 'down' })]));
    const rootsOf = (propagates_failure: boolean) =>
      mapOf(down, [{ ...relation('a', 'b'), propagates_failure }], {
        ...{ blueprint: '', around: undefined, depth: 1, all: true },
      }).roots;
    expect(rootsOf(true)).toEqual(['b']);
    expect(rootsOf(false)).toEqual(['a', 'b']);
  });

  it('filters by blueprint and by distance from an entity', () => {
    expect(shown({ blueprint: 'service' })).toEqual({ ids: ['b', 'a'], lines: 1, alone: 1, hiddenRelations: 2 });
    expect(shown({ around: 'c' })).toEqual({ ids: ['b', 'c'], lines: 1, alone: 0, hiddenRelations: 1 });
    expect(shown({ around: 'c', depth: 2 }).ids).toEqual(['b', 'a', 'c']);
    expect(shown({ around: 'd' })).toEqual({ ids: ['d'], lines: 0, alone: 0, hiddenRelations: 0 });
  });
});

it('describes a relation by what differs from a plain dependency', () => {
  const plain = { relation_type: 'depends_on', propagates_failure: true, group: null, required: null, when: 'down' };
  const text = (more: object) => relationText({ ...plain, ...more } as Relation);
  expect(text({})).toBe('depends_on');
  expect(text({ propagates_failure: false })).toBe('depends_on, does not pass on failures');
  expect(text({ when: 'degraded', group: 'replicas', required: 2 })).toBe(
    'depends_on, passes on the failure of any check, group replicas (2 required)',
  );
});
