import { describe, expect, it } from 'vitest';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { whySkipped } from '#lib/health/state/decide-alert.ts';

const AT = 1_000_000;
const channel = { id: 'chn_1', channel_type: 'webhook', config: {}, created_at: '' };
const policy = { silenced: false, notify_on_recovery: true, cooldown_seconds: 300, channels: [channel] };
const toDown = { cause: 'result', from: 'up', to: 'down', at: AT } as const;
const toUp = { cause: 'result', from: 'down', to: 'up', at: AT } as const;
const first = { ...toUp, from: 'unknown' } as const;
const told = (announces: 'up' | 'down'): CheckItem['alerts'] => ({
  announced: { baseline: 'up', inFlight: [{ id: 'trn_1', announces }] },
});
const cooling = { last_planned_at: AT - 299_999 };

describe('a transition', () => {
  it('is told when nothing stands against it', () => {
    expect(whySkipped(toDown, {}, policy)).toBeNull();
    expect(whySkipped(toUp, {}, policy)).toBeNull();
    expect(whySkipped({ ...toDown, cause: 'silence' }, {}, policy)).toBeNull();
    expect(whySkipped({ ...toDown, from: 'unknown' }, {}, policy)).toBeNull();
  });

  it('names the first reason that holds', () => {
    const all = { silenced: true, notify_on_recovery: false, cooldown_seconds: 300, channels: [] };
    expect(whySkipped({ ...first, cause: 'check_disabled' }, cooling, all)).toBe('configuration');
    expect(whySkipped(first, cooling, all)).toBe('silenced');
    expect(whySkipped(first, cooling, { ...all, silenced: false })).toBe('initial');
    expect(whySkipped(toUp, cooling, { ...all, silenced: false })).toBe('recovery_off');
    expect(whySkipped(toDown, cooling, { ...all, silenced: false })).toBe('cooldown');
    expect(whySkipped(toDown, {}, { ...all, silenced: false })).toBe('no_channels');
  });

  it.each(['check_disabled', 'check_enabled', 'check_deleted'] as const)('by %s is recorded only', (cause) => {
    expect(whySkipped({ cause, from: 'down', to: 'unknown', at: AT }, {}, policy)).toBe('configuration');
  });

  it('from unknown to up is initial, unless the channels were told of a down', () => {
    expect(whySkipped(first, {}, policy)).toBe('initial');
    expect(whySkipped(first, told('up'), policy)).toBe('initial');
    expect(whySkipped(first, told('down'), policy)).toBeNull();
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
});
