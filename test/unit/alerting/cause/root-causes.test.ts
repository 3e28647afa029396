import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KnownCheck } from '#lib/alerting/cause/evidence.ts';
import { type Dependency, type Graph, walkUpstream } from '#lib/alerting/cause/graph.ts';
import { type CauseAnalysisInput, type Dependent, findRootCauses } from '#lib/alerting/cause/root-causes.ts';
import { to } from '#test/support/depends-on.ts';
import { type PlainStatus, plainRootCauses } from './plain-root-causes.ts';

const NOW = 10_000_000;
/** Start of the failure of the dependent (epoch ms). */
const FAILING = NOW - 30_000;
const dependent: Dependent = { interval_seconds: 30, failing_since: FAILING, up_since: FAILING - 3_600_000 };

const check = (more: Partial<KnownCheck>): KnownCheck => ({
  id: 'chk',
  execution_mode: 'pull',
  enabled: true,
  state: 'up',
  consecutive_failures: 0,
  interval_seconds: 30,
  failure_threshold: 3,
  timeout_ms: 5000,
  ...more,
});

const CHECK: Record<PlainStatus | 'running', KnownCheck> = {
  down: check({ state: 'down', failing_since: NOW - 40_000 }),
  suspected: check({ probe: { success: false, began_at: NOW - 1000, since: NOW - 1000 } }),
  healthy: check({ heartbeat_at: NOW - 1000 }),
  no_data: check({ heartbeat_at: FAILING - 1 }),
  running: check({ probe: 'running' }),
};

const graphOf = (relations: Record<string, Dependency[]>, start = 'a'): Promise<Graph> =>
  walkUpstream(start, async (ids) => ids.map((id) => relations[id] ?? []));

async function analyze(
  relations: Record<string, Dependency[]>,
  statuses: Record<string, PlainStatus | 'running'>,
  more: Partial<CauseAnalysisInput> = {},
) {
  const checks = new Map(Object.entries(statuses).map(([id, plain]) => [id, [CHECK[plain]]]));
  return findRootCauses({ graph: await graphOf(relations), checks, dependent, now: NOW, ...more });
}

const rootsOf = ({ roots }: { roots: { entity_id: string }[] }) => roots.map(({ entity_id }) => entity_id);

/** Random graphs with cycles and groups. */
const worlds = fc
  .integer({ min: 2, max: 7 })
  .chain((size) => {
    const ids = [...'abcdefg'].slice(0, size);
    const id = fc.constantFrom(...ids);
    const relation = fc.record({
      from: id,
      to: id,
      group: fc.constantFrom(null, null, 'x', 'y'),
      required: fc.constantFrom(null, null, 1, 2, 3),
    });
    return fc.record({
      relations: fc.uniqueArray(relation, { selector: (one) => `${one.from}${one.to}`, maxLength: 14 }),
      statuses: fc.array(fc.constantFrom<PlainStatus>('down', 'suspected', 'healthy', 'no_data'), {
        minLength: size,
        maxLength: size,
      }),
      ids: fc.constant(ids),
    });
  })
  .map(({ relations, statuses, ids }) => ({
    relations: Object.fromEntries(
      ids.map((id) => [
        id,
        relations
          .filter((one) => one.from === id && one.to !== id)
          .map(({ to: other, group, required }) => to(other, { group, required: group === null ? null : required })),
      ]),
    ),
    statuses: Object.fromEntries(ids.map((id, i) => [id, statuses[i]!])),
  }));

describe('findRootCauses', () => {
  it('agrees with a plain restatement of the rules on random graphs', async () => {
    await fc.assert(
      fc.asyncProperty(worlds, async ({ relations, statuses }) => {
        const expected = plainRootCauses(
          { relations: new Map(Object.entries(relations)), statuses: new Map(Object.entries(statuses)) },
          'a',
        );
        const analysis = await analyze(relations, statuses);
        expect({ explained: analysis.explained, roots: new Set(rootsOf(analysis)) }).toEqual(expected);
        expect(analysis.settled).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('is settled only when no running probe can change the result', async () => {
    await fc.assert(
      fc.asyncProperty(
        worlds,
        fc.array(fc.boolean(), { minLength: 7, maxLength: 7 }),
        async ({ relations, statuses }, probes) => {
          const unanswered = Object.fromEntries(
            Object.entries(statuses).map(([id, plain]) => [id, plain === 'no_data' ? ('running' as const) : plain]),
          );
          const analysis = await analyze(relations, unanswered);
          fc.pre(analysis.settled);
          const answered = Object.fromEntries(
            Object.entries(unanswered).map(([id, plain], i) => [
              id,
              plain === 'running' ? (probes[i] ? 'healthy' : 'suspected') : plain,
            ]),
          );
          const final = await analyze(relations, answered as Record<string, PlainStatus>);
          expect(final.explained).toBe(analysis.explained);
          expect(rootsOf(final)).toEqual(expect.arrayContaining(rootsOf(analysis)));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('is settled when a running probe does not matter', async () => {
    const relations = { a: [to('b'), to('c')] };
    expect(await analyze(relations, { b: 'healthy', c: 'running' })).toMatchObject({ settled: false });
    expect(
      await analyze({ a: [to('b', { group: 'x' }), to('c', { group: 'x' })] }, { b: 'healthy', c: 'running' }),
    ).toMatchObject({
      settled: true,
      explained: false,
    });
  });

  it('names the farthest failed entity, past entities without data but not past healthy ones', async () => {
    const relations = { a: [to('b')], b: [to('c')], c: [to('d')] };
    expect(rootsOf(await analyze(relations, { b: 'down', c: 'no_data', d: 'suspected' }))).toEqual(['d']);
    expect(rootsOf(await analyze(relations, { b: 'down', c: 'healthy', d: 'down' }))).toEqual(['b']);
    expect(await analyze(relations, { b: 'no_data', c: 'no_data', d: 'no_data' })).toMatchObject({ explained: false });
  });

  it('lists confirmed root causes first, then by start of the failure, then by id', async () => {
    const relations = { a: ['b', 'c', 'd', 'e'].map((id) => to(id)) };
    const since = (ms: number) => [check({ state: 'down', failing_since: NOW - ms })];
    const checks = new Map([
      ['b', [CHECK.suspected]],
      ['c', since(20_000)],
      ['d', since(50_000)],
      ['e', since(20_000)],
    ]);
    expect(rootsOf(await analyze(relations, {}, { checks }))).toEqual(['d', 'c', 'e', 'b']);
  });

  it('ignores entities of the same cycle, and names the nearest entity of another cycle', async () => {
    expect(await analyze({ a: [to('b')], b: [to('a')] }, { b: 'down' })).toMatchObject({ explained: false });
    const upstream = { a: [to('b')], b: [to('c')], c: [to('b'), to('d')] };
    expect(rootsOf(await analyze(upstream, { b: 'down', c: 'down', d: 'healthy' }))).toEqual(['b']);
    expect(rootsOf(await analyze(upstream, { b: 'down', c: 'down', d: 'down' }))).toEqual(['b']);
  });

  it('tolerates failed members of a group until fewer than required are healthy', async () => {
    const two = { a: ['b', 'c', 'd'].map((id) => to(id, { group: 'db', required: 2 })) };
    expect(await analyze(two, { b: 'down', c: 'healthy', d: 'healthy' })).toMatchObject({ explained: false });
    expect(rootsOf(await analyze(two, { b: 'down', c: 'suspected', d: 'healthy' }))).toEqual(['b', 'c']);
  });

  it('does not explain a failure by an upstream failure that the check survived for two minutes', async () => {
    const failedBefore = (ms: number) => ({
      checks: new Map([['b', [check({ state: 'down', failing_since: FAILING - ms })]]]),
    });
    expect(await analyze({ a: [to('b')] }, {}, failedBefore(119_999))).toMatchObject({ explained: true, survived: [] });
    const survived = await analyze({ a: [to('b')] }, {}, failedBefore(120_000));
    expect(survived).toMatchObject({ explained: false, roots: [], survived: [{ entity_id: 'b' }] });
    const slow = { ...failedBefore(200_000), dependent: { ...dependent, interval_seconds: 101 } };
    expect(await analyze({ a: [to('b')] }, {}, slow)).toMatchObject({ explained: true });
    const justUp = { ...failedBefore(600_000), dependent: { ...dependent, up_since: FAILING } };
    expect(await analyze({ a: [to('b')] }, {}, justUp)).toMatchObject({ explained: true });
  });
});

describe('an upstream entity', () => {
  it('is a root cause when it failed long after the entity upstream of it', async () => {
    const relations = { a: [to('b')], b: [to('c')] };
    const failing = (ms: number) => [check({ state: 'down', failing_since: FAILING - ms })];
    const lasting = (ms: number) => ({
      checks: new Map([
        ['b', failing(1000)],
        ['c', failing(ms)],
      ]),
    });
    expect(rootsOf(await analyze(relations, {}, lasting(119_000)))).toEqual(['c']);
    expect(rootsOf(await analyze(relations, {}, lasting(400_000)))).toEqual(['b']);
  });
});

describe('walkUpstream', () => {
  it('stops after a thousand relations', async () => {
    const fifty = (id: string) => Array.from({ length: 50 }, (_, i) => to(`${id}.${i}`));
    const graph = await walkUpstream('a', async (ids) => ids.map(fifty));
    expect([graph.truncated, graph.dependencies.size]).toEqual([true, 51]);
  });

  it('reaches 200 entities and 16 levels, nearest first, and is truncated if there are more', async () => {
    const chain = Object.fromEntries(Array.from({ length: 18 }, (_, n) => [`e${n}`, [to(`e${n + 1}`)]]));
    const deep = await walkUpstream('e0', async (ids) => ids.map((id) => chain[id] ?? []));
    expect([...deep.dependencies.keys()]).toEqual(Array.from({ length: 17 }, (_, n) => `e${n}`));
    expect(deep.truncated).toBe(true);
    const wide = await walkUpstream('a', async (ids) =>
      ids.map((id) => (id === 'a' ? Array.from({ length: 300 }, (_, n) => to(`e${1000 + n}`)) : [])),
    );
    expect(wide.dependencies.size).toBe(201);
    expect(wide.truncated).toBe(true);
  });

  it('leaves out deleted entities', async () => {
    const graph = await walkUpstream('a', async (ids) => ids.map((id) => (id === 'a' ? [to('b')] : undefined)));
    expect([...graph.dependencies.keys()]).toEqual(['a']);
    expect(graph.truncated).toBe(false);
  });
});
