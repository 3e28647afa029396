import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Remediation } from '#lib/actions/action-item.ts';
import { firstToStop, GUARDS, type GuardInput } from '#lib/actions/remediation/guards.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const remediation = Remediation.parse({});
const clear: GuardInput = {
  now: NOW,
  remediation,
  is_healthy: false,
  attempts: 0,
  lock_name: 'ent_shop',
  running: [],
  begun: [],
  went_down: 1,
  has_dependents: false,
};

/** Input that each guard stops, in the order of evaluation. */
const STOPS: [string, Partial<GuardInput>][] = [
  ['already_healthy', { is_healthy: true }],
  ['dependency', { dependency: { root: 'db' } }],
  ['maintenance', { window: { until: NOW + 1000 } }],
  ['acknowledged', { acknowledged: { by: 'ann@example.com' } }],
  ['attempts', { attempts: 3 }],
  ['cooldown', { last_began_at: NOW - 599_000 }],
  ['lock', { lock: { execution_id: 'exe_1', until: NOW + 1000 } }],
  ['account_limit', { running: [NOW + 1, NOW + 2, NOW + 3] }],
  ['storm', { went_down: 5 }],
];

describe('the guards of a remediation', () => {
  it('allow an attempt when none of them stops it', () => {
    expect(firstToStop(clear)).toBeUndefined();
  });

  it('are evaluated in order: the first that stops an attempt is the reason', () => {
    fc.assert(
      fc.property(fc.subarray(STOPS, { minLength: 1 }), (some) => {
        const situation = Object.assign({}, clear, ...some.map(([, facts]) => facts));
        expect(firstToStop(situation)?.guard).toBe(some[0]![0]);
      }),
    );
    expect(GUARDS.map(({ name }) => name)).toEqual(STOPS.map(([name]) => name));
  });

  it.each([
    ['the cooldown is over', { last_began_at: NOW - 600_000 }],
    ['the lock has expired', { lock: { execution_id: 'exe_1', until: NOW } }],
    ['the running attempts have expired', { running: [NOW - 2, NOW - 1, NOW] }],
    ['ten attempts began more than an hour ago', { begun: Array(10).fill(NOW - 3_600_000) }],
    ['other entities depend on the failed one', { went_down: 50, has_dependents: true }],
  ])('allow an attempt when %s', (_, facts: Partial<GuardInput>) => {
    expect(firstToStop({ ...clear, ...facts })).toBeUndefined();
  });

  it('count ten attempts of the account within an hour, and return the time of the next', () => {
    const begun = Array.from({ length: 10 }, (_, i) => NOW - 3_000_000 + i * 1000);
    expect(firstToStop({ ...clear, begun })).toMatchObject({ guard: 'account_limit', until: NOW + 600_000 });
  });

  it('wait without a record while the root cause is being evaluated', () => {
    const dependency = { root: null };
    expect(firstToStop({ ...clear, dependency })).toMatchObject({ undecided: true, until: NOW + 15_000 });
  });

  it('wait a minute when another entity is the root cause', () => {
    const stopped = firstToStop({ ...clear, dependency: { root: 'db' } });
    expect(stopped).toEqual({
      guard: 'dependency',
      why: 'the failure was caused by the failure of db',
      until: NOW + 60_000,
    });
  });
});
