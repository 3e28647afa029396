import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startCooldown } from '#lib/alerting/decide/notified-state.ts';
import { cooldownClass } from '#lib/alerting/decide/quiet-rules.ts';
import { decisionInputOf, type RuleInput } from '#lib/alerting/decide/rule-input.ts';
import { decide, type HoldReason, RULES } from '#lib/alerting/decide/rules.ts';
import { AlertReason } from '#lib/alerting/decide/transition.ts';
import { POLICY_DEFAULTS, type PolicySettings } from '#lib/alerting/policy/settings.ts';
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
const settings = { rev: 1, consecutive_failures: 3, failure_threshold: 3, enabled: true };

/** What the rules look at when a check changes its state. */
function situationOf(change: Change, alerts: CheckItem['alerts'], given: Policy): RuleInput {
  return { ...decisionInputOf(settings, alerts, given, given.channels, change.at), ...change, kind: 'state_change' };
}
const whySkipped = (...given: Parameters<typeof situationOf>) => decide(situationOf(...given)).reason;

const change = (from: CheckState, to: CheckState) => ({ cause: 'result', from, to, at: AT }) as const;
const toDown = change('up', 'down');
const toUp = change('down', 'up');
const first = change('unknown', 'up');
const told = (reports_state: NotifiedAlert['reports_state']): CheckItem['alerts'] => ({
  announced: { baseline: 'up', inFlight: [{ id: 'trn_1', reports_state }] },
});
const cooling = { last_planned_at: AT - 299_999 };
const flapping = { changed_at: [AT], flapping: { since: AT - 5, until: AT + 5, told: true as const } };

describe('a transition', () => {
  it('is told when nothing stands against it', () => {
    const states = ['up', 'degraded', 'down'] as const;
    for (const from of states) {
      for (const to of states) if (from !== to) expect(whySkipped(change(from, to), {}, policy)).toBeNull();
    }
    expect(whySkipped({ ...toDown, cause: 'missed_heartbeat' }, {}, policy)).toBeNull();
    expect(whySkipped(change('unknown', 'down'), {}, policy)).toBeNull();
    expect(whySkipped(change('unknown', 'degraded'), {}, policy)).toBeNull();
  });

  it('names the first reason that holds', () => {
    const all = { ...policy, silenced: true, notify_on_recovery: false, notify_on_degraded: false, channels: [] };
    const loud = { ...all, silenced: false };
    const both = { ...cooling, ...flapping };
    expect(whySkipped({ ...first, cause: 'check_disabled' }, both, all)).toBe('configuration');
    expect(whySkipped(first, both, all)).toBe('silenced');
    expect(whySkipped(first, both, loud)).toBe('initial');
    expect(whySkipped(change('degraded', 'up'), both, loud)).toBe('degraded_disabled');
    expect(whySkipped(toUp, both, loud)).toBe('recovery_disabled');
    expect(whySkipped(toDown, both, loud)).toBe('flapping');
    expect(whySkipped(toDown, cooling, loud)).toBe('cooldown');
    expect(whySkipped(toDown, {}, loud)).toBe('no_channels');
  });

  it.each(['check_disabled', 'check_enabled', 'check_deleted'] as const)('by %s is recorded only', (cause) => {
    expect(whySkipped({ cause, from: 'down', to: 'unknown', at: AT }, {}, policy)).toBe('configuration');
  });

  it('from unknown to up is initial, unless the channels were told of trouble', () => {
    expect(whySkipped(first, {}, policy)).toBe('initial');
    expect(whySkipped(first, told('up'), policy)).toBe('initial');
    expect(whySkipped(first, told('down'), policy)).toBeNull();
    expect(whySkipped(first, told('degraded'), policy)).toBeNull();
  });

  it('is not held back by an alert of the future, which a clock that ran ahead has planned', () => {
    expect(whySkipped(toDown, { last_planned_at: AT + 3_600_000 }, policy)).toBeNull();
    expect(whySkipped(toDown, { last_planned_at: AT + 10_001 }, policy)).toBeNull();
    expect(whySkipped(toDown, { last_planned_at: AT + 10_000 }, policy)).toBe('cooldown');
  });

  it('is free at the very end of the cooldown, which 0 switches off', () => {
    expect(whySkipped(toDown, { last_planned_at: AT - 299_999 }, policy)).toBe('cooldown');
    expect(whySkipped(toDown, { last_planned_at: AT - 300_000 }, policy)).toBeNull();
    expect(whySkipped(toDown, { last_planned_at: AT }, { ...policy, cooldown_seconds: 0 })).toBeNull();
  });

  it('to or from down is not held back by a warning, which obeys every cooldown', () => {
    const warned = startCooldown(cooldownClass('up', 'degraded'), AT - 1000);
    const paged = startCooldown(cooldownClass('up', 'down'), AT - 1000);
    for (const page of [toDown, toUp, change('degraded', 'down'), change('down', 'degraded')]) {
      expect(whySkipped(page, warned, policy)).toBeNull();
      expect(whySkipped(page, paged, policy)).toBe('cooldown');
    }
    for (const warning of [change('up', 'degraded'), change('degraded', 'up'), change('unknown', 'degraded')]) {
      expect(whySkipped(warning, warned, policy)).toBe('cooldown');
      expect(whySkipped(warning, paged, policy)).toBe('cooldown');
      expect(whySkipped(warning, { last_warned_at: AT - 300_000 }, policy)).toBeNull();
    }
  });
});

describe('where degraded is not announced', () => {
  const quiet = { ...policy, notify_on_degraded: false };

  it('it counts as up', () => {
    expect(whySkipped(change('up', 'degraded'), {}, quiet)).toBe('degraded_disabled');
    expect(whySkipped(change('degraded', 'up'), {}, quiet)).toBe('degraded_disabled');
    expect(whySkipped(change('unknown', 'degraded'), {}, quiet)).toBe('initial');
    expect(whySkipped(change('degraded', 'down'), {}, quiet)).toBeNull();
    expect(whySkipped(change('down', 'degraded'), {}, quiet)).toBeNull();
    expect(whySkipped(change('down', 'degraded'), {}, { ...quiet, notify_on_recovery: false })).toBe('recovery_disabled');
  });
});

it('without warnings the reasons are those of a check that is up or down', () => {
  type Given = { from: CheckState; to: 'up' | 'down'; ago: number; believed: 'up' | 'down' };
  type Plain = Omit<typeof policy, 'notify_on_degraded'>;
  const plain = ({ from, to, ago, believed }: Given, settings: Plain): AlertReason | null => {
    if (settings.silenced) return 'silenced';
    if (from === 'unknown' && to === 'up' && believed === 'up') return 'initial';
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
        believed: fc.constantFrom('up' as const, 'down' as const),
      }),
      fc.record({
        silenced: fc.boolean(),
        notify_on_recovery: fc.boolean(),
        cooldown_seconds: fc.constantFrom(0, 60, 300),
        channels: fc.constantFrom<(typeof channel)[]>([], [channel]),
      }),
      fc.boolean(),
      (given, differs, notify_on_degraded) => {
        fc.pre(given.from !== given.to);
        const settings = { ...POLICY_DEFAULTS, ...differs };
        const alerts = { ...told(given.believed), last_planned_at: AT - given.ago };
        expect(whySkipped(change(given.from, given.to), alerts, { ...settings, notify_on_degraded })).toBe(
          plain(given, settings),
        );
      },
    ),
  );
});

describe('the list of rules', () => {
  it('names each rule once, and as a reason only what judges a change of state', () => {
    expect(new Set(RULES.map(({ name }) => name)).size).toBe(RULES.length);
    // @ts-expect-error: it judges reminders alone
    expect(AlertReason.safeParse('reminders_disabled' satisfies AlertReason).success).toBe(false);
  });

  it('names as a reason to hold only what may hold', () => {
    const held = RULES.filter((rule) => 'may_hold' in rule).map(({ name }): HoldReason => name);
    expect(held).toEqual(['dependency', 'maintenance', 'remediation']);
    // @ts-expect-error: a cooldown holds nothing
    expect(held).not.toContain('cooldown' satisfies HoldReason);
  });

  it('says of each rule what came of it: passed, stopped the alert, or was not reached', () => {
    const { rules, facts } = decide(situationOf(toDown, cooling, policy));
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
