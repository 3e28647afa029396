import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factsOf } from '#console/rules/why-facts.ts';
import { RULES } from '#lib/alerting/decide/rules.ts';
import type { Situation } from '#lib/alerting/decide/situation.ts';
import { POLICY_DEFAULTS } from '#lib/alerting/policy/settings.ts';

const AT = Date.parse('2026-11-22T12:00:00.000Z');
const state = fc.constantFrom('up', 'degraded', 'down', 'unknown');
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });

/** What rules look at, as far as it shows in their facts. */
const situations = fc.record({
  kind: fc.constantFrom('state_change', 'repeat', 'catch_up', 'escalation'),
  cause: fc.constantFrom('result', 'silence', 'check_disabled'),
  from: state,
  to: state,
  told: fc.constantFrom('up', 'degraded', 'down'),
  at: fc.constant(AT),
  channels: fc.nat(3),
  dependencies: fc.nat(3),
  last_planned_at: maybe(fc.constant(AT - 60_000)),
  policy: fc.record({
    silenced: fc.boolean(),
    hold_for_dependencies: fc.boolean(),
    repeat_interval_seconds: fc.constantFrom(0, 600),
    catch_up: fc.boolean(),
    notify_on_recovery: fc.boolean(),
    notify_on_degraded: fc.boolean(),
  }),
  silence: maybe(
    fc.record({
      by: fc.constantFrom('check', 'entity', 'account'),
      id: fc.constant('sil_1'),
      reason: fc.constantFrom('', 'a move'),
    }),
  ),
  acknowledged: maybe(fc.constant({ by: 'ann', via: 'api', at: AT, note: '' })),
  flapping: maybe(fc.constant({ since: AT - 5, until: AT + 5, told: true })),
  window: maybe(fc.constant({ id: 'win_1', until: AT + 5 })),
});

describe('what a rule looked at', () => {
  it('is said in words, whatever it was', () => {
    fc.assert(
      fc.property(situations, ({ policy, ...given }) => {
        const situation = { ...given, policy: { ...POLICY_DEFAULTS, ...policy } } as unknown as Situation;
        for (const { name, judge } of RULES) {
          const pieces = factsOf({ rule: name, outcome: 'pass', facts: judge(situation).facts });
          expect(pieces).not.toEqual([]);
          for (const piece of pieces) {
            if (typeof piece === 'string') expect(piece).not.toMatch(/undefined|null|NaN|\bfalse\b|\btrue\b/);
            else if ('at' in piece) expect(Date.parse(piece.at)).not.toBeNaN();
            else expect(piece.href).toMatch(/^#\//);
          }
        }
      }),
    );
  });

  it('is said of those alone that were asked', () => {
    expect(factsOf({ rule: 'cooldown', outcome: 'not_reached', facts: {} })).toEqual([]);
  });
});
