import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairSemaphore, NO_PERMIT, type SemaphoreOptions, tenantShare } from '#lib/platform/sharing/fair-semaphore.ts';

/** Creates a semaphore for work that ends on demand, on a clock that the test moves. */
function world(options: SemaphoreOptions) {
  let now = 0;
  const sleeping: { until: number; wake: () => void }[] = [];
  const clock = {
    now: () => now,
    sleep: (ms: number) => new Promise<void>((wake) => void sleeping.push({ until: now + ms, wake })),
  };
  const fair = new FairSemaphore(options, clock);
  type Piece = {
    tenant: string;
    target?: string | undefined;
    state: 'waits' | 'runs' | 'over' | 'no permit';
    end: () => void;
  };
  const pieces: Piece[] = [];
  const settle = async () => {
    for (let i = 0; i < 10; i++) await Promise.resolve();
  };
  return {
    fair,
    pieces,
    settle,
    submit: (tenant: string, target?: string): Piece => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const piece: Piece = { tenant, target, state: 'waits', end: resolve };
      pieces.push(piece);
      void fair
        .run({ tenant, target }, () => {
          piece.state = 'runs';
          return promise;
        })
        .then((answer) => {
          piece.state = answer === NO_PERMIT ? 'no permit' : 'over';
        });
      return piece;
    },
    pass: async (ms: number) => {
      for (const end = now + ms; now < end; ) {
        now = Math.min(end, now + 500);
        for (const one of sleeping.filter(({ until }) => until <= now)) {
          sleeping.splice(sleeping.indexOf(one), 1);
          one.wake();
        }
        await settle();
      }
    },
    running: (tenant?: string, target?: string) =>
      pieces.filter(
        (one) =>
          one.state === 'runs' &&
          (tenant === undefined || one.tenant === tenant) &&
          (target === undefined || one.target === target),
      ).length,
    waiting: () => pieces.filter((one) => one.state === 'waits'),
  };
}

describe('FairSemaphore', () => {
  it('gives all permits to one tenant while no other requests one', async () => {
    const { submit, running, settle } = world({ permits: 10, wait_ms: 1000 });
    for (let i = 0; i < 30; i++) submit('a');
    await settle();
    expect(running()).toBe(10);
  });

  it('starts the work of others at once, although one tenant holds all permits', async () => {
    const { submit, running, settle } = world({ permits: 10, wait_ms: 1000 });
    for (let i = 0; i < 100; i++) submit('a');
    const other = submit('b');
    await settle();
    expect(other.state).toBe('runs');
    submit('b');
    submit('b');
    await settle();
    expect(running('b')).toBe(tenantShare(10));
  });

  it('serves tenants in turn, and limits each to a fifth while others wait', async () => {
    const { submit, running, pieces, settle } = world({ permits: 10, wait_ms: 1000 });
    for (const tenant of ['a', 'b', 'c', 'd', 'e']) for (let i = 0; i < 60; i++) submit(tenant);
    await settle();
    for (let i = 0; i < 40; i++) {
      const open = pieces.filter((one) => one.state === 'runs');
      open[(i * 7) % open.length]!.end();
      await settle();
    }
    for (const tenant of ['a', 'b', 'c', 'd', 'e']) expect(running(tenant)).toBe(2);
  });

  it('limits the work for one target of a tenant without delaying its other targets', async () => {
    const { submit, running, settle } = world({ permits: 10, per_target: 3, wait_ms: 1000 });
    for (let i = 0; i < 20; i++) submit('a', 'slow.test');
    const other = submit('a', 'quick.test');
    const same = submit('b', 'slow.test');
    await settle();
    expect(running('a', 'slow.test')).toBe(3);
    expect([other.state, same.state]).toEqual(['runs', 'runs']);
  });

  it('returns NO_PERMIT without starting the work if no permit becomes free in time', async () => {
    const { submit, pass } = world({ permits: 1, wait_ms: 5000 });
    const first = submit('a');
    submit('a').end();
    const late = submit('a');
    await pass(4000);
    expect(late.state).toBe('waits');
    await pass(3000);
    expect(late.state).toBe('no permit');
    expect(first.state).toBe('runs');
  });

  it('reports for a minute which tenants reached their share', async () => {
    const { fair, submit, pass, settle } = world({ permits: 10, per_target: 3, wait_ms: 1000 });
    const held = [submit('a'), submit('a')];
    submit('b');
    await settle();
    expect([fair.wasAtLimit('a'), fair.wasAtLimit('b')]).toEqual([true, false]);
    for (const one of held) one.end();
    await pass(59_000);
    expect(fair.wasAtLimit('a')).toBe(true);
    await pass(2000);
    expect(fair.wasAtLimit('a')).toBe(false);
  });

  it('frees the permit of work that throws', async () => {
    const { fair } = world({ permits: 1, wait_ms: 1000 });
    const failing = () => Promise.reject(new Error('broken'));
    await expect(fair.run({ tenant: 'a' }, failing)).rejects.toThrow('broken');
    expect(await fair.run({ tenant: 'a' }, async () => 'done')).toBe('done');
  });

  it('runs a list in order as permits become free, and reports items that got none in time', async () => {
    const { fair, submit, pass, settle } = world({ permits: 2, wait_ms: 5000 });
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const leftOver: (readonly number[])[] = [];
    let isOver = false;
    const work = (item: number) => {
      begun.push(item);
      return new Promise<void>((end) => ends.push(end));
    };
    const list = fair.each({ tenant: 'a' }, [1, 2, 3, 4, 5], work, (left) => leftOver.push(left));
    void list.then(() => {
      isOver = true;
    });
    const after = submit('a');
    await settle();
    expect(begun).toEqual([1, 2]);
    ends[0]!();
    await settle();
    expect(begun).toEqual([1, 2, 3]);
    await pass(6000);
    expect([leftOver, after.state, isOver]).toEqual([[[4, 5]], 'no permit', false]);
    ends[1]!();
    ends[2]!();
    await settle();
    expect([begun, isOver]).toEqual([[1, 2, 3], true]);
  });

  it('serves the lists of tenants in turn, one item at a time', async () => {
    const { fair, submit, settle } = world({ permits: 1, wait_ms: 5000 });
    // Besides the one permit, one is reserved (a fifth, at least one), so the work of two tenants uses up both.
    const full = [submit('c'), submit('d')];
    const begun: string[] = [];
    const work = async (item: string) => void begun.push(item);
    const lists = [fair.each({ tenant: 'a' }, ['a1', 'a2'], work), fair.each({ tenant: 'b' }, ['b1', 'b2'], work)];
    await settle();
    expect(begun).toEqual([]);
    for (const one of full) one.end();
    await Promise.all(lists);
    expect(begun).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  it('rejects a list with the error of an item and frees its permit', async () => {
    const { fair } = world({ permits: 1, wait_ms: 1000 });
    const done: number[] = [];
    const work = async (item: number) => {
      if (item === 1) throw new Error('broken');
      done.push(item);
    };
    await expect(fair.each({ tenant: 'a' }, [1, 2], work)).rejects.toThrow('broken');
    await fair.run({ tenant: 'a' }, async () => {});
    expect(done).toEqual([2]);
  });

  const step = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        tenant: fc.constantFrom('a', 'a', 'a', 'b', 'c'),
        target: fc.constantFrom('x', 'y', undefined),
      }),
    },
    { weight: 2, arbitrary: fc.record({ ends: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ pass: fc.integer({ min: 100, max: 4000 }) }) },
  );

  it('keeps its limits for any order of events, and leaves no usable permit idle', async () => {
    const story = fc.asyncProperty(
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 4 }),
      fc.array(step, { maxLength: 80 }),
      async (permits, per_target, steps) => {
        const {
          fair: _,
          submit,
          pieces,
          pass,
          running,
          waiting,
          settle,
        } = world({ permits, per_target, wait_ms: 3000 });
        const share = tenantShare(permits);
        for (const one of steps) {
          if ('tenant' in one) submit(one.tenant, one.target);
          else if ('pass' in one) await pass(one.pass);
          else {
            const open = pieces.filter(({ state }) => state === 'runs');
            open[one.ends % Math.max(1, open.length)]?.end();
          }
          await settle();
          const count = (tenant?: string) => running(tenant);
          expect(count()).toBeLessThanOrEqual(permits + share);
          for (const tenant of ['a', 'b', 'c']) {
            for (const target of ['x', 'y']) expect(running(tenant, target)).toBeLessThanOrEqual(per_target);
          }
          for (const { tenant, target } of waiting()) {
            const runningForTarget = pieces.filter(
              (p) => p.state === 'runs' && p.tenant === tenant && p.target === target,
            ).length;
            if (runningForTarget >= per_target) continue;
            expect(count()).toBeGreaterThanOrEqual(permits);
            if (count(tenant) < share) expect(count()).toBe(permits + share);
          }
        }
        for (let left = 0; left < 1000 && (running() > 0 || waiting().length > 0); left++) {
          for (const piece of pieces) if (piece.state === 'runs') piece.end();
          await settle();
        }
        expect(pieces.every(({ state }) => state === 'over' || state === 'no permit')).toBe(true);
      },
    );
    await fc.assert(story, { numRuns: 200 });
  });
});
