import { describe, expect, it } from 'vitest';
import { plannedOf } from '#lib/alerts/plan/fan-out.ts';
import { alertWorld } from '#test/support/alert-world.ts';

const { transition } = await alertWorld();

describe('plannedOf', () => {
  it('is the alert of a transition, one delivery for each channel', () => {
    const down = transition(['chn_1', 'chn_2']);
    expect(plannedOf(down)).toEqual({
      kind: 'state_change',
      alert_id: 'trn_1',
      announces: 'down',
      deliveries: down.alert.deliveries,
      channel_ids: ['chn_1', 'chn_2'],
    });
  });

  it('announces up for a recovery', () => {
    const up = transition(['chn_1'], { check_from_state: 'down', check_to_state: 'up' });
    expect(plannedOf(up)).toMatchObject({ kind: 'state_change', announces: 'up' });
  });

  it('is nothing for a transition whose alert was skipped', () => {
    const alert = { decision: 'skipped' as const, reason: 'cooldown' as const, deliveries: [] };
    expect(plannedOf(transition(['chn_1'], { alert }))).toBeUndefined();
  });

  it('is the closing note of a check that was disabled or deleted, as an alert of its own', () => {
    const alert = { decision: 'skipped' as const, reason: 'configuration' as const, deliveries: [] };
    const closing = { deliveries: ['dlv_1'], channel_ids: ['chn_1'] };
    const planned = plannedOf(transition([], { cause: 'check_disabled', check_to_state: 'unknown', alert, closing }));
    expect(planned).toMatchObject({ kind: 'closed', announces: 'up', ...closing });
    expect(planned!.alert_id).not.toBe('trn_1');
  });
});
