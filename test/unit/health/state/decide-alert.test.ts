import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckState } from '#lib/catalog/states.ts';
import type { AnnouncedAlert, CheckItem } from '#lib/checks/check-item.ts';
import { startCooldown, urgencyOf, whySkipped } from '#lib/health/state/decide-alert.ts';
import type { SkipReason } from '#lib/health/state/transition-record.ts';

const AT = 1_000_000;
const channel = { id: 'chn_1', channel_type: 'webhook', config: {}, created_at: '' };
const policy = {
  silenced: false,
  notify_on_recovery: true,
  notify_on_degraded: true,
  cooldown_seconds: 300,
  channels: [channel],
};
const change = (from: CheckState, to: CheckState) => ({ cause: 'result', from, to, at: AT }) as const;
const toDown = change('up', 'down');
const toUp = change('down', 'up');
const first = change('unknown', 'up');
const told = (announces: AnnouncedAlert['announces']): CheckItem['alerts'] => ({
  announced: { baseline: 'up', inFlight: [{ id: 'trn_1', announces }] },
});
const cooling = { last_planned_at: AT - 299_999 };
const flapping = { changed_at: [AT], flapping: { since: AT - 5, until: AT + 5, told: true as const } };

describe('a transition', () => {
  it('is told when nothing stands against it', () => {
    const states = ['up', 'degraded', 'down'] as const;
    for (const from of states) {
      for (const to of states) if (from !== to) expect(whySkipped(change(from, to), {}, policy)).toBeNull();
    }
    expect(whySkipped({ ...toDown, cause: 'silence' }, {}, policy)).toBeNull();
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
    expect(whySkipped(change('degraded', 'up'), both, loud)).toBe('degraded_off');
    expect(whySkipped(toUp, both, loud)).toBe('recovery_off');
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
    const warned = startCooldown(urgencyOf('up', 'degraded'), AT - 1000);
    const paged = startCooldown(urgencyOf('up', 'down'), AT - 1000);
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
    expect(whySkipped(change('up', 'degraded'), {}, quiet)).toBe('degraded_off');
    expect(whySkipped(change('degraded', 'up'), {}, quiet)).toBe('degraded_off');
    expect(whySkipped(change('unknown', 'degraded'), {}, quiet)).toBe('initial');
    expect(whySkipped(change('degraded', 'down'), {}, quiet)).toBeNull();
    expect(whySkipped(change('down', 'degraded'), {}, quiet)).toBeNull();
    expect(whySkipped(change('down', 'degraded'), {}, { ...quiet, notify_on_recovery: false })).toBe('recovery_off');
  });
});

it('without warnings the reasons are those of a check that is up or down', () => {
  type Given = { from: CheckState; to: 'up' | 'down'; ago: number; believed: 'up' | 'down' };
  type Plain = Omit<typeof policy, 'notify_on_degraded'>;
  const plain = ({ from, to, ago, believed }: Given, settings: Plain): SkipReason | null => {
    if (settings.silenced) return 'silenced';
    if (from === 'unknown' && to === 'up' && believed === 'up') return 'initial';
    if (to === 'up' && !settings.notify_on_recovery) return 'recovery_off';
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
      (given, settings, notify_on_degraded) => {
        fc.pre(given.from !== given.to);
        const alerts = { ...told(given.believed), last_planned_at: AT - given.ago };
        expect(whySkipped(change(given.from, given.to), alerts, { ...settings, notify_on_degraded })).toBe(
          plain(given, settings),
        );
      },
    ),
  );
});
