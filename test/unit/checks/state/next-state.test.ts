import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckState } from '#lib/catalog/states.ts';
import type { Outcome } from '#lib/checks/outcome.ts';
import {
  aggregate,
  countersOf,
  isSameState,
  isUnconfirmed,
  NO_RESULTS,
  nextState,
  type StateCounters,
} from '#lib/checks/state/next-state.ts';

const NEW: StateCounters = { ...NO_RESULTS, state: 'unknown' };
type Thresholds = { failure_threshold: number; recovery_threshold: number };
const by = (failure_threshold: number, recovery_threshold = 1): Thresholds => ({
  failure_threshold,
  recovery_threshold,
});

function stateAfter(thresholds: Thresholds, results: readonly Outcome[], from = NEW): StateCounters {
  let check = from;
  for (const outcome of results) check = nextState({ ...check, ...thresholds }, outcome);
  return check;
}
/** Returns the state after each result. */
const statesOf = (thresholds: Thresholds, results: readonly Outcome[]): CheckState[] =>
  results.map((_, i) => stateAfter(thresholds, results.slice(0, i + 1)).state);

const state = fc.constantFrom<CheckState>('up', 'degraded', 'down', 'unknown');
const outcome = fc.constantFrom<Outcome>('ok', 'warn', 'fail');
const results = fc.array(outcome, { maxLength: 40 });
const threshold = fc.integer({ min: 1, max: 5 });
const thresholds = fc.record({ failure_threshold: threshold, recovery_threshold: threshold });

/** Returns the number of consecutive results with these outcomes at the end of the list, up to `most`. */
const streak = (list: readonly Outcome[], of: readonly Outcome[], most: number): number =>
  Math.min(list.length - 1 - list.findLastIndex((one) => !of.includes(one)), most);

describe('a check without warnings and with a recovery threshold of 1', () => {
  it('goes down at the third consecutive failure and up at the next success', () => {
    expect(stateAfter(by(3), ['ok', 'fail', 'fail'])).toMatchObject({ state: 'up', consecutive_failures: 2 });
    expect(stateAfter(by(3), ['ok', 'fail', 'fail', 'fail'])).toMatchObject({ state: 'down', consecutive_failures: 3 });
    expect(stateAfter(by(3), ['ok', 'fail', 'fail', 'fail', 'ok'])).toEqual({ ...NO_RESULTS, state: 'up' });
  });

  it('is unknown until its first success or the threshold of consecutive failures', () => {
    expect(stateAfter(by(3), ['fail', 'fail']).state).toBe('unknown');
    expect(stateAfter(by(3), ['fail', 'fail', 'fail']).state).toBe('down');
    expect(stateAfter(by(3), ['ok']).state).toBe('up');
  });

  it('depends on one counter: any success makes it up, the threshold of consecutive failures down', () => {
    type Plain = { state: CheckState; failures: number };
    const plain = ({ state, failures }: Plain, success: boolean, limit: number): Plain => {
      if (success) return { state: 'up', failures: 0 };
      const more = Math.min(failures + 1, limit);
      return { state: more >= limit ? 'down' : state, failures: more };
    };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.array(fc.boolean(), { maxLength: 250 }), (limit, list) => {
        let [check, one]: [StateCounters, Plain] = [NEW, { state: 'unknown', failures: 0 }];
        for (const success of list) {
          const next = nextState({ ...check, ...by(limit) }, success ? 'ok' : 'fail');
          const then = plain(one, success, limit);
          expect(next).toMatchObject({ state: then.state, consecutive_failures: then.failures });
          expect(isSameState(next, check)).toBe(then.state === one.state && then.failures === one.failures);
          [check, one] = [next, then];
        }
      }),
    );
  });

  it('applies a changed threshold at the next result', () => {
    const failing = stateAfter(by(5), ['ok', 'fail', 'fail', 'fail']);
    expect(stateAfter(by(2), ['fail'], failing)).toMatchObject({ state: 'down', consecutive_failures: 2 });
    expect(stateAfter(by(2), ['ok'], failing)).toEqual({ ...NO_RESULTS, state: 'up' });
    const down = stateAfter(by(2), ['fail', 'fail']);
    expect(stateAfter(by(5), ['fail'], down).state).toBe('down');
    expect(stateAfter(by(5, 2), ['ok'], down).state).toBe('down');
    expect(stateAfter(by(5, 2), ['ok', 'ok'], down).state).toBe('up');
  });
});

describe('a check with warnings', () => {
  it('is degraded at the threshold of warnings or failures, and up at a success without warning', () => {
    expect(statesOf(by(3), ['ok', 'warn', 'warn', 'warn', 'ok'])).toEqual(['up', 'up', 'up', 'degraded', 'up']);
    expect(statesOf(by(3), ['ok', 'warn', 'fail', 'warn'])).toEqual(['up', 'up', 'up', 'degraded']);
    expect(statesOf(by(1), ['warn', 'ok', 'fail', 'warn'])).toEqual(['degraded', 'up', 'down', 'degraded']);
  });

  it('is up after a first warning if more are needed for degraded', () => {
    expect(statesOf(by(2), ['warn', 'warn'])).toEqual(['up', 'degraded']);
  });

  it('goes down by failures only: a warning resets their counter', () => {
    const list: Outcome[] = ['fail', 'fail', 'warn', 'fail', 'fail', 'fail'];
    expect(statesOf(by(3), ['ok', ...list])).toEqual(['up', 'up', 'up', 'degraded', 'degraded', 'degraded', 'down']);
  });
});

describe('a check with a higher recovery threshold', () => {
  it('stays down until the consecutive successes are complete', () => {
    const list: Outcome[] = ['fail', 'ok', 'fail', 'ok', 'ok'];
    expect(statesOf(by(1, 2), list)).toEqual(['down', 'down', 'down', 'down', 'up']);
  });

  it('is degraded if some of these successes have warnings, and up after as many without a warning', () => {
    const list: Outcome[] = ['fail', 'warn', 'ok', 'ok', 'ok'];
    expect(statesOf(by(1, 3), list)).toEqual(['down', 'down', 'down', 'degraded', 'up']);
    expect(statesOf(by(1, 3), ['fail', 'ok', 'ok', 'warn', 'ok'])).toEqual([
      'down',
      'down',
      'down',
      'degraded',
      'degraded',
    ]);
  });
});

describe('any sequence of results', () => {
  it('leads to a state that follows from the previous state and the last streaks', () => {
    fc.assert(
      fc.property(thresholds, results, (limits, list) => {
        const { failure_threshold: most, recovery_threshold: enough } = limits;
        const longest = Math.max(most, enough);
        let check = NEW;
        for (const [i, one] of list.entries()) {
          const last = list.slice(Math.max(0, i + 1 - longest), i + 1);
          const fails = streak(last, ['fail'], most);
          const bads = streak(last, ['fail', 'warn'], most);
          const goods = streak(last, ['ok', 'warn'], enough);
          const oks = streak(last, ['ok'], enough);
          const next = nextState({ ...check, ...limits }, one);
          expect(next.state).toBe(
            {
              unknown: fails === most ? 'down' : bads === most ? 'degraded' : one === 'fail' ? 'unknown' : 'up',
              up: fails === most ? 'down' : bads === most ? 'degraded' : 'up',
              degraded: fails === most ? 'down' : oks === enough ? 'up' : 'degraded',
              down: goods < enough ? 'down' : oks === enough ? 'up' : 'degraded',
            }[check.state],
          );
          const isDown = next.state === 'down';
          const isUpOrUnknown = next.state === 'up' || next.state === 'unknown';
          expect(countersOf({ ...next, ...limits })).toEqual({
            consecutive_failures: isDown ? most : fails,
            consecutive_warnings: isUpOrUnknown ? bads : most,
            consecutive_successes: { unknown: 0, up: enough, degraded: oks, down: goods }[next.state],
          });
          check = next;
        }
      }),
    );
  });

  it('changes nothing after enough equal outcomes', () => {
    fc.assert(
      fc.property(thresholds, results, outcome, (limits, list, steady) => {
        const longest = Math.max(limits.failure_threshold, limits.recovery_threshold);
        const settled = stateAfter(limits, [...list, ...new Array<Outcome>(2 * longest).fill(steady)]);
        expect(isSameState(stateAfter(limits, [steady], settled), settled)).toBe(true);
        expect(isUnconfirmed({ ...settled, ...limits })).toBe(false);
      }),
    );
  });

  it('never leads to a better state if a result is worse', () => {
    const worse: Record<Outcome, Outcome[]> = { ok: ['warn', 'fail'], warn: ['fail'], fail: ['fail'] };
    const rank: Record<CheckState, number> = { up: 0, unknown: 0, degraded: 1, down: 2 };
    fc.assert(
      fc.property(
        thresholds,
        fc.array(outcome, { minLength: 1, maxLength: 30 }),
        fc.nat(),
        fc.nat(),
        (limits, list, at, pick) => {
          const place = at % list.length;
          const others = worse[list[place]!];
          const bad = list.with(place, others[pick % others.length]!);
          // Starts with a success, because unknown is neither better nor worse than up.
          const [good, worst] = [stateAfter(limits, ['ok', ...list]), stateAfter(limits, ['ok', ...bad])];
          expect(rank[worst.state]).toBeGreaterThanOrEqual(rank[good.state]);
        },
      ),
    );
  });

  it('is unconfirmed while a counter is between 0 and its threshold', () => {
    expect(isUnconfirmed({ ...stateAfter(by(3), ['ok', 'fail']), ...by(3) })).toBe(true);
    expect(isUnconfirmed({ ...stateAfter(by(3), ['ok', 'warn']), ...by(3) })).toBe(true);
    expect(isUnconfirmed({ ...stateAfter(by(1, 3), ['fail', 'warn']), ...by(1, 3) })).toBe(true);
    expect(isUnconfirmed({ ...stateAfter(by(1, 3), ['warn', 'ok']), ...by(1, 3) })).toBe(true);
    expect(isUnconfirmed({ ...NEW, ...by(3, 3) })).toBe(false);
    expect(isUnconfirmed({ ...stateAfter(by(3), ['ok']), ...by(3, 9) })).toBe(false);
  });
});

describe('aggregate', () => {
  it.each([
    [[], 'unknown'],
    [['unknown', 'unknown'], 'unknown'],
    [['up', 'unknown'], 'up'],
    [['down', 'unknown'], 'down'],
    [['up', 'down'], 'degraded'],
    [['up', 'down', 'unknown'], 'degraded'],
    [['degraded', 'unknown'], 'degraded'],
    [['up', 'degraded'], 'degraded'],
    [['down', 'degraded'], 'degraded'],
  ] as const)('turns the check states %j into %s', (states, expected) => {
    expect(aggregate(Object.fromEntries(states.map((one, i) => [`chk_${i}`, one])))).toBe(expected);
  });

  it('ignores unknown checks and the order of the others', () => {
    fc.assert(
      fc.property(fc.array(state, { maxLength: 12 }), (states) => {
        const of = (list: CheckState[]) => aggregate(Object.fromEntries(list.map((one, i) => [`chk_${i}`, one])));
        expect(of([...states].reverse())).toBe(of(states));
        expect(of(states.filter((one) => one !== 'unknown'))).toBe(of(states));
      }),
    );
  });
});
