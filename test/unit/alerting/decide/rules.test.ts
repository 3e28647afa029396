import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startCooldown } from '#lib/alerting/decide/notified-state.ts';
import { cooldownClass } from '#lib/alerting/decide/quiet-rules.ts';
import {
  type DecisionInput,
  decisionInputOf,
  type RuleInput,
  ruleInputOf as storedRuleInputOf,
} from '#lib/alerting/decide/rule-input.ts';
import { decide, type HoldReason, lateAt, RULES } from '#lib/alerting/decide/rules.ts';
import { AlertReason } from '#lib/alerting/decide/transition.ts';
import { inForce, POLICY_DEFAULTS, type PolicySettings } from '#lib/alerting/policy/settings.ts';
import type { CheckState } from '#lib/catalog/states.ts';
import type { CheckItem, NotifiedAlert } from '#lib/checks/check-item.ts';
import type { TransitionCause } from '#lib/checks/state/transition.ts';

const AT = 1_000_000;
const channel = { id: 'chn_1', channel_type: 'webhook', config: {}, created_at: '' };
const policy = {
  ...POLICY_DEFAULTS,
  silenced: false,
  channels: [channel],
};
type Policy = PolicySettings & { silenced: boolean; channels: readonly object[] };
type Change = { cause: TransitionCause; from: CheckState; to: CheckState; at: number };

/** Returns the rule input of a state change. */
function ruleInputOf(change: Change, alerts: CheckItem['alerts'], given: Policy): RuleInput {
  return { ...decisionInputOf(alerts, given, given.channels, change.at), ...change, kind: 'state_change' };
}
const reasonFor = (...given: Parameters<typeof ruleInputOf>) => decide(ruleInputOf(...given)).reason;

const change = (from: CheckState, to: CheckState) => ({ cause: 'result', from, to, at: AT }) as const;
const toDown = change('up', 'down');
const toUp = change('down', 'up');
const first = change('unknown', 'up');
const notified = (reports_state: NotifiedAlert['reports_state']): CheckItem['alerts'] => ({
  announced: { baseline: 'up', latest: [{ id: 'trn_1', reports_state }] },
});
const cooling = { last_planned_at: AT - 299_999 };
const flapping = { changed_at: [AT], flapping: { since: AT - 5, until: AT + 5, notified: true as const } };

describe('decide for a state change', () => {
  it('plans the alert when no rule stops it', () => {
    const states = ['up', 'degraded', 'down'] as const;
    for (const from of states) {
      for (const to of states) if (from !== to) expect(reasonFor(change(from, to), {}, policy)).toBeNull();
    }
    expect(reasonFor({ ...toDown, cause: 'missed_heartbeat' }, {}, policy)).toBeNull();
    expect(reasonFor(change('unknown', 'down'), {}, policy)).toBeNull();
    expect(reasonFor(change('unknown', 'degraded'), {}, policy)).toBeNull();
  });

  it('returns the first rule that stops the alert', () => {
    const all = { ...policy, silenced: true, notify_on_recovery: false, notify_on_degraded: false, channels: [] };
    const notSilenced = { ...all, silenced: false };
    const both = { ...cooling, ...flapping };
    expect(reasonFor({ ...first, cause: 'check_disabled' }, both, all)).toBe('configuration');
    expect(reasonFor(first, both, all)).toBe('silenced');
    expect(reasonFor(first, both, notSilenced)).toBe('initial');
    expect(reasonFor(change('degraded', 'up'), both, notSilenced)).toBe('degraded_disabled');
    expect(reasonFor(toUp, both, notSilenced)).toBe('recovery_disabled');
    expect(reasonFor(toDown, both, notSilenced)).toBe('flapping');
    expect(reasonFor(toDown, cooling, notSilenced)).toBe('cooldown');
    expect(reasonFor(toDown, {}, notSilenced)).toBe('no_channels');
  });

  it.each(['check_disabled', 'check_enabled', 'check_deleted'] as const)('stops changes with the cause %s', (cause) => {
    expect(reasonFor({ cause, from: 'down', to: 'unknown', at: AT }, {}, policy)).toBe('configuration');
  });

  it('stops a change from unknown to up as initial, unless a problem was notified', () => {
    expect(reasonFor(first, {}, policy)).toBe('initial');
    expect(reasonFor(first, notified('up'), policy)).toBe('initial');
    expect(reasonFor(first, notified('down'), policy)).toBeNull();
    expect(reasonFor(first, notified('degraded'), policy)).toBeNull();
  });

  it('ignores a last alert in the future from a fast clock', () => {
    expect(reasonFor(toDown, { last_planned_at: AT + 3_600_000 }, policy)).toBeNull();
    expect(reasonFor(toDown, { last_planned_at: AT + 10_001 }, policy)).toBeNull();
    expect(reasonFor(toDown, { last_planned_at: AT + 10_000 }, policy)).toBe('cooldown');
  });

  it('ends the cooldown exactly after cooldown_seconds; 0 disables it', () => {
    expect(reasonFor(toDown, { last_planned_at: AT - 299_999 }, policy)).toBe('cooldown');
    expect(reasonFor(toDown, { last_planned_at: AT - 300_000 }, policy)).toBeNull();
    expect(reasonFor(toDown, { last_planned_at: AT }, { ...policy, cooldown_seconds: 0 })).toBeNull();
  });

  it('applies the cooldown of a warning only to warnings, and that of a page to all', () => {
    const warned = startCooldown(cooldownClass('up', 'degraded'), AT - 1000);
    const paged = startCooldown(cooldownClass('up', 'down'), AT - 1000);
    for (const page of [toDown, toUp, change('degraded', 'down'), change('down', 'degraded')]) {
      expect(reasonFor(page, warned, policy)).toBeNull();
      expect(reasonFor(page, paged, policy)).toBe('cooldown');
    }
    for (const warning of [change('up', 'degraded'), change('degraded', 'up'), change('unknown', 'degraded')]) {
      expect(reasonFor(warning, warned, policy)).toBe('cooldown');
      expect(reasonFor(warning, paged, policy)).toBe('cooldown');
      expect(reasonFor(warning, { last_warned_at: AT - 300_000 }, policy)).toBeNull();
    }
  });
});

describe('decide without alerts on degraded', () => {
  const withoutDegraded = { ...policy, notify_on_degraded: false };

  it('counts degraded as up', () => {
    expect(reasonFor(change('up', 'degraded'), {}, withoutDegraded)).toBe('degraded_disabled');
    expect(reasonFor(change('degraded', 'up'), {}, withoutDegraded)).toBe('degraded_disabled');
    expect(reasonFor(change('unknown', 'degraded'), {}, withoutDegraded)).toBe('initial');
    expect(reasonFor(change('degraded', 'down'), {}, withoutDegraded)).toBeNull();
    expect(reasonFor(change('down', 'degraded'), {}, withoutDegraded)).toBeNull();
    expect(reasonFor(change('down', 'degraded'), {}, { ...withoutDegraded, notify_on_recovery: false })).toBe(
      'recovery_disabled',
    );
  });
});

it('decides by the plain rules for up and down if the check is never degraded', () => {
  type Given = { from: CheckState; to: 'up' | 'down'; ago: number; notifiedState: 'up' | 'down' };
  type PlainPolicy = Omit<typeof policy, 'notify_on_degraded'>;
  const plain = ({ from, to, ago, notifiedState }: Given, settings: PlainPolicy): AlertReason | null => {
    if (settings.silenced) return 'silenced';
    if (from === 'unknown' && to === 'up' && notifiedState === 'up') return 'initial';
    if (to === 'up' && !settings.notify_on_recovery) return 'recovery_disabled';
    if (ago < settings.cooldown_seconds * 1000) return 'cooldown';
    return settings.channels.length === 0 ? 'no_channels' : null;
  };
  fc.assert(
    fc.property(
      fc.record({
        from: fc.constantFrom<CheckState>('up', 'down', 'unknown'),
        to: fc.constantFrom('up' as const, 'down' as const),
        ago: fc.integer({ min: 0, max: 900_000 }),
        notifiedState: fc.constantFrom('up' as const, 'down' as const),
      }),
      fc.record({
        silenced: fc.boolean(),
        notify_on_recovery: fc.boolean(),
        cooldown_seconds: fc.constantFrom(0, 60, 300),
        channels: fc.constantFrom<(typeof channel)[]>([], [channel]),
      }),
      fc.boolean(),
      (given, policyChanges, notify_on_degraded) => {
        fc.pre(given.from !== given.to);
        const settings = { ...POLICY_DEFAULTS, ...policyChanges };
        const alerts = { ...notified(given.notifiedState), last_planned_at: AT - given.ago };
        expect(reasonFor(change(given.from, given.to), alerts, { ...settings, notify_on_degraded })).toBe(
          plain(given, settings),
        );
      },
    ),
  );
});

describe('RULES', () => {
  it('has unique names, and only rules for state changes as reasons', () => {
    expect(new Set(RULES.map(({ name }) => name)).size).toBe(RULES.length);
    // @ts-expect-error: the rule applies only to reminders
    expect(AlertReason.safeParse('reminders_disabled' satisfies AlertReason).success).toBe(false);
  });

  it('names the rules that can hold an alert', () => {
    const held = RULES.filter((rule) => 'may_hold' in rule).map(({ name }): HoldReason => name);
    expect(held).toEqual(['dependency', 'maintenance', 'remediation']);
    // @ts-expect-error: a cooldown holds nothing
    expect(held).not.toContain('cooldown' satisfies HoldReason);
  });

  it('returns the outcome of each rule: pass, stop or not_reached', () => {
    const { rules, facts } = decide(ruleInputOf(toDown, cooling, policy));
    expect(rules.map(({ rule, outcome }) => `${rule} ${outcome}`)).toEqual([
      'configuration pass',
      'silenced pass',
      'initial pass',
      'degraded_disabled pass',
      'recovery_disabled pass',
      'flapping pass',
      'cooldown stop',
      'dependency not_reached',
      'maintenance not_reached',
      'remediation not_reached',
      'no_channels not_reached',
    ]);
    expect(facts).toEqual({
      last_alert_at: '1970-01-01T00:11:40.001Z',
      cooldown_seconds: 300,
      cooldown_until: '1970-01-01T00:16:40.001Z',
    });
  });
});

describe('lateAt', () => {
  const lateAfter = (input: RuleInput) => lateAt(decide(input));

  it('returns the end of the rule that skipped the alert', () => {
    expect(lateAfter(ruleInputOf(toDown, cooling, policy))).toBe(AT + 1);
    expect(lateAfter(ruleInputOf(toDown, flapping, policy))).toBe(AT + 5);
  });

  it('returns undefined if the alert is planned, or the rule does not end by itself', () => {
    expect(lateAfter(ruleInputOf(toDown, {}, policy))).toBeUndefined();
    expect(lateAfter(ruleInputOf(first, {}, policy))).toBeUndefined();
  });

  it('returns undefined for a rule that may hold the alert, which has its own deadline', () => {
    const window = { id: 'win_1', until: AT + 5 };
    const held = decide({ ...ruleInputOf(toDown, {}, policy), window });
    expect(held).toMatchObject({ decision: 'held', until: AT + 5 });
    const skipped = decide({ ...ruleInputOf(toUp, {}, policy), window });
    expect(skipped).toMatchObject({ decision: 'skipped', reason: 'maintenance', until: AT + 5 });
    expect([held, skipped].map(lateAt)).toEqual([undefined, undefined]);
  });
});

describe('ruleInputOf', () => {
  it('uses the default of a setting that is newer than the stored decision', () => {
    const { hold_for_dependencies: _newer, ...older } = inForce(policy);
    const decided_on = {
      ...decisionInputOf({}, policy, policy.channels, AT),
      policy: older,
    } as DecisionInput;
    const change = { cause: 'result', check_from_state: 'up', check_to_state: 'down' } as const;
    expect(storedRuleInputOf({ ...change, decided_on }).policy).toEqual(inForce(policy));
  });
});
