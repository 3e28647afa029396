import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckState } from '#lib/catalog/states.ts';
import { aggregate, isSame, nextState, type StateAndCount } from '#lib/health/state/next-state.ts';

const NEW: StateAndCount = { state: 'unknown', consecutive_failures: 0 };
function judged(failure_threshold: number, results: boolean[], from: StateAndCount = NEW): StateAndCount {
  let check = from;
  for (const success of results) check = nextState({ ...check, failure_threshold }, success);
  return check;
}

const state = fc.constantFrom<CheckState>('up', 'down', 'unknown');
const threshold = fc.integer({ min: 1, max: 100 });

describe('a check', () => {
  it('goes down on the third failure in a row and up on the next success', () => {
    expect(judged(3, [true, false, false])).toEqual({ state: 'up', consecutive_failures: 2 });
    expect(judged(3, [true, false, false, false])).toEqual({ state: 'down', consecutive_failures: 3 });
    expect(judged(3, [true, false, false, false, true])).toEqual({ state: 'up', consecutive_failures: 0 });
  });

  it('is unknown until it has succeeded once or failed threshold times in a row', () => {
    expect(judged(3, [false, false]).state).toBe('unknown');
    expect(judged(3, [false, false, false]).state).toBe('down');
    expect(judged(3, [true]).state).toBe('up');
  });

  it('stays as it is on further failures once it is down', () => {
    fc.assert(
      fc.property(threshold, fc.integer({ min: 0, max: 50 }), (limit, more) => {
        const down = judged(limit, new Array(limit).fill(false));
        expect(judged(limit, new Array(more).fill(false), down)).toEqual(down);
      }),
    );
  });

  it('is what the end of its results says', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(fc.boolean(), { maxLength: 40 }), (limit, results) => {
        const failures = results.length - 1 - results.lastIndexOf(true);
        const { state, consecutive_failures } = judged(limit, results);
        expect(consecutive_failures).toBe(Math.min(failures, limit));
        const wasDown = results.some(
          (_, i) => i + 1 >= limit && results.slice(i + 1 - limit, i + 1).every((one) => !one),
        );
        const known = results.includes(true) || wasDown;
        expect(state).toBe(failures >= limit ? 'down' : known ? 'up' : 'unknown');
      }),
    );
  });

  it('is judged by a lowered threshold at the next result', () => {
    const failing = judged(5, [true, false, false, false]);
    expect(nextState({ ...failing, failure_threshold: 2 }, false)).toEqual({ state: 'down', consecutive_failures: 2 });
    expect(nextState({ ...failing, failure_threshold: 2 }, true)).toEqual({ state: 'up', consecutive_failures: 0 });
  });

  it('is the same only with the same state and counter', () => {
    expect(isSame({ state: 'up', consecutive_failures: 1 }, { state: 'up', consecutive_failures: 1 })).toBe(true);
    expect(isSame({ state: 'up', consecutive_failures: 1 }, { state: 'up', consecutive_failures: 2 })).toBe(false);
    expect(isSame({ state: 'up', consecutive_failures: 1 }, { state: 'down', consecutive_failures: 1 })).toBe(false);
  });
});

describe('an entity', () => {
  it.each([
    [[], 'unknown'],
    [['unknown', 'unknown'], 'unknown'],
    [['up', 'unknown'], 'up'],
    [['down', 'unknown'], 'down'],
    [['up', 'down'], 'degraded'],
    [['up', 'down', 'unknown'], 'degraded'],
  ] as const)('whose checks are %j is %s', (states, expected) => {
    expect(aggregate(Object.fromEntries(states.map((one, i) => [`chk_${i}`, one])))).toBe(expected);
  });

  it('does not heed unknown checks nor the order of the others', () => {
    fc.assert(
      fc.property(fc.array(state, { maxLength: 12 }), (states) => {
        const of = (list: CheckState[]) => aggregate(Object.fromEntries(list.map((one, i) => [`chk_${i}`, one])));
        expect(of([...states].reverse())).toBe(of(states));
        expect(of(states.filter((one) => one !== 'unknown'))).toBe(of(states));
      }),
    );
  });
});
