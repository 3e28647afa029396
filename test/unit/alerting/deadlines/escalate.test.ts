import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DueAlertDeadline } from '#lib/alerting/deadlines/timed-alert.ts';
import { decideEscalation, decideReminder } from '#lib/alerting/deadlines/timed-decisions.ts';
import { recipientsFor } from '#lib/alerting/policy/effective-policy.ts';
import type { AlertChannel } from '#lib/alerting/policy/policy.ts';
import type { EscalationStep } from '#lib/alerting/policy/settings.ts';
import type { Acknowledgement, CheckItem } from '#lib/checks/check-item.ts';
import { dueAlert, MINUTE, NOW } from './due-alert-deadline.ts';

const channel = (id: string): AlertChannel => ({
  id,
  channel_type: 'slack',
  config: {},
  created_at: '',
  scope: 'check',
});
const channels = ['base', 'second', 'third'].map(channel);
const escalation: EscalationStep[] = [
  { after_seconds: 300, channel_ids: ['second'] },
  { after_seconds: 900, channel_ids: ['third'] },
];
const ann: Acknowledgement = { by: 'ann@shop.test', via: 'api', at: NOW - 1000, note: '' };

type Given = { steps?: number; from?: number; acknowledgement?: Acknowledgement; state?: CheckItem['state'] };

/** Returns the deadline of a failure notified at `from`: by default five minutes ago, so that step 0 is due. */
function due({ steps = 0, from = NOW - 5 * MINUTE, acknowledgement, state = 'down' }: Given = {}): DueAlertDeadline & {
  check: CheckItem;
} {
  const given = dueAlert({ state, announced: 'down', policy: { channels, escalation } });
  const episode = { transition_id: 'trn_1', escalation: { from, steps }, ...(acknowledgement && { acknowledgement }) };
  return { ...given, check: { ...given.check, alerts: { ...given.check.alerts, episode } } };
}

describe('decideEscalation', () => {
  it('notifies the channels of the step, records it and schedules the next one', () => {
    expect(decideEscalation(due())).toMatchObject({
      alert: { reports_state: 'down', cooldown: null, step: 0, channels: [{ id: 'second' }] },
      alerts: { escalated: ['second'], episode: { escalation: { steps: 1 } } },
      next: { deadline: NOW + 10 * MINUTE },
    });
  });

  it('ends after the last step', () => {
    const { alert, next } = decideEscalation(due({ steps: 1, from: NOW - 15 * MINUTE }));
    expect(alert).toMatchObject({ step: 1, channels: [{ id: 'third' }] });
    expect(next).toBeUndefined();
    expect(decideEscalation(due({ steps: 2 }))).toEqual({});
  });

  it('waits for its time, unless the previous step notified no channel', () => {
    const early = due({ from: NOW - 4 * MINUTE });
    expect(decideEscalation(early)).toEqual({ next: { deadline: NOW + MINUTE } });
    expect(decideEscalation({ ...early, entry: { deadline: NOW, note: { at_once: true } } })).toHaveProperty('alert');
  });

  it('keeps the time between steps after a late step', () => {
    expect(decideEscalation(due({ from: NOW - 60 * MINUTE })).next).toEqual({ deadline: NOW + 10 * MINUTE });
  });

  it('ignores the cooldown and starts none', () => {
    const cooling = due();
    const policy = { ...cooling.policy, cooldown_seconds: 600 };
    cooling.check.alerts.last_planned_at = NOW;
    expect(decideEscalation({ ...cooling, policy })).toMatchObject({ alert: { cooldown: null } });
  });

  it('pauses while the failure is acknowledged', () => {
    expect(decideEscalation(due({ acknowledgement: ann }))).toEqual({});
    const until = NOW + MINUTE;
    expect(decideEscalation(due({ acknowledgement: { ...ann, until } }))).toEqual({ next: { deadline: until } });
    expect(decideEscalation(due({ acknowledgement: { ...ann, until: NOW } }))).toHaveProperty('alert');
  });

  it('waits while the check is silenced, in maintenance, or degraded', () => {
    const soon = { next: { deadline: NOW + 5 * MINUTE } };
    const given = due();
    expect(decideEscalation({ ...given, policy: { ...given.policy, silenced: true } })).toEqual(soon);
    const window = { id: 'win_1', until: NOW + MINUTE };
    expect(decideEscalation({ ...given, policy: { ...given.policy, window } })).toEqual({
      next: { deadline: NOW + MINUTE },
    });
    expect(decideEscalation(due({ state: 'degraded' }))).toEqual(soon);
  });

  it.each(['dependency', 'remediation'] as const)('waits while the alert is held for a %s', (reason) => {
    const deadline = NOW + MINUTE;
    const held = { reason, transition_sk: 'TR#1', from: NOW };
    const decided = decideEscalation({ ...due(), hold: { deadline, note: { held } } });
    expect(decided).toEqual({ next: { deadline: expect.any(Number) } });
    expect(decided.next!.deadline).toBeGreaterThan(NOW);
  });

  it('makes the next step due at once if the person on call has no channel to notify', () => {
    const rotas = [{ id: 'rot_a', on_call: ['ach_disabled'], members: ['ach_disabled', 'ach_other'] }];
    const given = due();
    for (const channel_ids of [[], ['second']]) {
      const steps = [{ ...escalation[0]!, channel_ids, rota_ids: ['rot_a'] }, escalation[1]!];
      const { alert, alerts, next } = decideEscalation({
        ...given,
        policy: { ...given.policy, rotas, escalation: steps },
      });
      expect(alert?.channels?.map(({ id }) => id) ?? []).toEqual(channel_ids);
      expect(alerts?.episode?.escalation).toMatchObject({ steps: 1, unreached: [0] });
      expect(next).toEqual({ deadline: NOW, note: { at_once: true } });
    }
  });

  it('skips a step whose channels were removed', () => {
    const given = due();
    const left = { ...given.policy, channels: channels.filter(({ id }) => id !== 'second') };
    const decided = decideEscalation({ ...given, policy: left });
    expect(decided).toEqual({
      alerts: expect.objectContaining({
        episode: expect.objectContaining({ escalation: expect.objectContaining({ steps: 1 }) }),
      }),
      next: { deadline: NOW, note: { at_once: true } },
    });
  });
});

describe('decideReminder of an acknowledged failure', () => {
  it('sends no reminder and keeps the interval', () => {
    const given = due({ acknowledgement: ann });
    const policy = { ...given.policy, repeat_interval_seconds: 600 };
    expect(decideReminder({ ...given, policy })).toEqual({ next: { deadline: expect.any(Number) } });
    expect(decideReminder({ ...due(), policy })).toHaveProperty('alert');
  });
});

describe('the channels of a step', () => {
  it('receive failures after their step, and recoveries only if they were notified', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 }), fc.subarray(['second', 'third']), (steps, escalated) => {
        const alerts = { escalated, episode: { transition_id: 'trn_1', escalation: { from: 0, steps } } };
        const ids = (state: 'up' | 'down') =>
          recipientsFor({ channels, escalation }, state, alerts).map(({ id }) => id);
        expect(ids('down')).toEqual(['base', ...['second', 'third'].slice(0, steps)]);
        expect(ids('up')).toEqual(['base', ...escalated]);
      }),
    );
  });
});
