import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RuleInput } from '#lib/alerting/decide/rule-input.ts';
import { REASON_RULES, ruleOfReason } from '#lib/alerting/decide/rules.ts';
import { inForce, POLICY_DEFAULTS } from '#lib/alerting/policy/settings.ts';

const AT = Date.parse('2026-11-22T12:00:00.000Z');
const state = fc.constantFrom('up', 'degraded', 'down', 'unknown');
const maybe = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });

/** Rule inputs with the properties that facts show. */
const inputs = fc.record({
  kind: fc.constantFrom('state_change', 'reminder', 'late', 'escalation'),
  cause: fc.constantFrom('result', 'missed_heartbeat', 'check_disabled'),
  from: state,
  to: state,
  notified_state: fc.constantFrom('up', 'degraded', 'down'),
  at: fc.constant(AT),
  channels: fc.nat(3),
  dependencies: fc.nat(3),
  last_planned_at: maybe(fc.constant(AT - 60_000)),
  policy: fc.record({
    silenced: fc.boolean(),
    hold_for_dependencies: fc.boolean(),
    repeat_interval_seconds: fc.constantFrom(0, 600),
    late_alerts: fc.boolean(),
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
  flapping: maybe(fc.constant({ since: AT - 5, until: AT + 5, notified: true })),
  window: maybe(fc.constant({ id: 'win_0a', until: AT + 5 })),
});

describe('the texts of a rule', () => {
  it.each(REASON_RULES)('$name has a unique label, a clause as meaning, and full sentences as remedy', (rule) => {
    expect(REASON_RULES.filter(({ label }) => label === rule.label)).toEqual([rule]);
    expect(rule.meaning).toMatch(/^[a-z].{20,}\.$/);
    expect(rule.remedy).toMatch(/^$|^[A-Z].{20,}\.$/);
    expect(ruleOfReason(rule.name)).toBe(rule);
  });

  it('contain no missing values for any input', () => {
    fc.assert(
      fc.property(inputs, ({ policy, ...given }) => {
        const input = {
          ...given,
          policy: inForce({ ...POLICY_DEFAULTS, ...policy }),
        } as unknown as RuleInput;
        for (const { evaluate, found, sentence } of REASON_RULES) {
          const { facts, stops } = evaluate(input);
          for (const text of [found(facts), ...(stops ? [sentence(facts)] : [])]) {
            expect(text).toMatch(/^\S.*\S$/);
            expect(text).not.toMatch(/undefined|null|NaN|Invalid|\bfalse\b|\btrue\b|[.:;]$/);
          }
        }
      }),
    );
  });
});
