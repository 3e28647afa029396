import { describe, expect, it } from 'vitest';
import { type AccountChannel, type AccountSilence, NO_ALERTING } from '#lib/alerting/policy/account-alerting.ts';
import { effectivePolicy, recipientsFor } from '#lib/alerting/policy/effective-policy.ts';
import type { AlertChannel, Channel, PolicyItem } from '#lib/alerting/policy/policy.ts';
import { iso } from '#lib/platform/time.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const about = {
  check: { id: 'chk_a' },
  entity: { id: 'ent_a', blueprint_slug: 'service', labels: {} },
  account: NO_ALERTING,
  now: NOW,
};
const channel = (id: string, destination: string): Channel => ({
  ...{ id, destination, channel_type: 'slack', config: {}, created_at: '' },
});
const ofAccount = (id: string, destination: string, more: Partial<AccountChannel> = {}): AccountChannel => ({
  ...{ pk: '', sk: '', v: '', name: id, applies_to: null, enabled: true, updated_at: '' },
  ...channel(id, destination),
  ...more,
});
const stored = (more: Partial<PolicyItem>): PolicyItem => ({
  ...{ pk: '', sk: '', v: 'v', tenant_id: '', check_id: 'chk_a', entity_id: 'ent_a', channels: [], updated_at: '' },
  ...more,
});
const silence = (until: number): AccountSilence => ({
  ...{ pk: '', sk: '', v: '', id: 'sil_a', applies_to: null, reason: 'work', created_at: '', created_by: '', until },
});

describe('effectivePolicy', () => {
  it('prefers settings of the check, then of the account, then the defaults', () => {
    const account = { ...NO_ALERTING, policy: { cooldown_seconds: 60, late_alerts: false } };
    expect(effectivePolicy(stored({ cooldown_seconds: 5 }), { ...about, account })).toMatchObject({
      cooldown_seconds: 5,
      late_alerts: false,
      flap_threshold: 0,
      silenced: false,
    });
    expect(effectivePolicy(undefined, about)).toMatchObject({ cooldown_seconds: 300, channels: [] });
  });

  it('returns the silence that ends last: of the check, its entity or the account', () => {
    const account = { ...NO_ALERTING, silences: [silence(NOW + 2000), silence(NOW)] };
    const entity = { ...about.entity, silenced: true, silenced_until: iso(NOW + 1000) };
    expect(effectivePolicy(undefined, { ...about, entity, account }).silence).toMatchObject({ by: 'account' });
    expect(effectivePolicy(undefined, { ...about, entity }).silence).toEqual({
      ...{ by: 'entity', id: 'ent_a', until: NOW + 1000, reason: '' },
    });
    expect(effectivePolicy(stored({ silenced: true }), { ...about, entity, account }).silence).toMatchObject({
      by: 'check',
    });
    expect(effectivePolicy(stored({ silenced: true, silenced_until: iso(NOW) }), about).silenced).toBe(false);
  });
});

describe('recipientsFor', () => {
  const recipients = (channels: AlertChannel[], state: 'up' | 'down' | 'degraded') =>
    recipientsFor({ channels, escalation: [] }, state, {}).map(({ id }) => id);

  it('returns channels of the check first, and each address once', () => {
    const account = {
      ...NO_ALERTING,
      channels: [ofAccount('ach_a', 'x'), ofAccount('ach_b', 'y'), ofAccount('ach_c', 'y')],
    };
    const { channels } = effectivePolicy(stored({ channels: [channel('chn_a', 'x')] }), { ...about, account });
    expect(recipients(channels, 'down')).toEqual(['chn_a', 'ach_b']);
  });

  it('respects the states of a channel, and uses the next channel with its address for other states', () => {
    const account = {
      ...NO_ALERTING,
      channels: [
        ofAccount('ach_a', 'x', { applies_to: { states: ['down'] } }),
        ofAccount('ach_b', 'x', { applies_to: { states: ['up', 'down'] } }),
        ofAccount('ach_c', 'z', { enabled: false }),
        ofAccount('ach_d', 'z', { applies_to: { check_ids: ['chk_b'] } }),
      ],
    };
    const { channels } = effectivePolicy(undefined, { ...about, account });
    expect([recipients(channels, 'down'), recipients(channels, 'up'), recipients(channels, 'degraded')]).toEqual([
      ['ach_a'],
      ['ach_b'],
      [],
    ]);
  });

  it('returns a rota member only if it was notified, and for a failure only after its step', () => {
    const channels = ['ach_ada', 'ach_grace'].map((id) => ({ ...channel(id, id), scope: 'account' as const }));
    const rotas = [{ id: 'rot_a', on_call: ['ach_ada'], members: ['ach_ada', 'ach_grace'] }];
    const policy = { channels, rotas, escalation: [{ after_seconds: 60, channel_ids: [], rota_ids: ['rot_a'] }] };
    const recipientIds = (steps: number, escalated: string[], state: 'up' | 'down' = 'down') => {
      const episode = { transition_id: 'trn_a', escalation: { from: 0, steps } };
      return recipientsFor(policy, state, { episode, escalated }).map(({ id }) => id);
    };
    expect(recipientIds(0, [])).toEqual([]);
    expect(recipientIds(1, ['ach_ada'])).toEqual(['ach_ada']);
    // The member still waits for the recovery of an earlier failure.
    expect(recipientIds(0, ['ach_ada'])).toEqual([]);
    expect(recipientIds(0, ['ach_ada'], 'up')).toEqual(['ach_ada']);
  });
});
