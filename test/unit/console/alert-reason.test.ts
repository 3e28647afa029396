import { describe, expect, it } from 'vitest';
import { reasons } from '#console/api/reasons.ts';
import type { Delivery } from '#console/api/records.ts';
import { alertReason } from '#console/rules/alert-reason.ts';
import { ruleOfReason } from '#lib/alerting/decide/rules.ts';
import { AlertReason } from '#lib/alerting/decide/transition.ts';
import { DeliveryRecord } from '#lib/alerting/notify/delivery-item.ts';
import { DeliveryKind } from '#lib/channels/alert.ts';

const delivery = (status: Delivery['status'], more: Partial<Delivery> = {}): Delivery => ({
  id: 'dlv_1',
  kind: 'state_change',
  transition_id: 'trn_1',
  from_state: 'up',
  to_state: 'down',
  check_id: 'chk_1',
  entity_id: 'ent_1',
  channel_id: 'chn_1',
  channel_type: 'slack',
  step: null,
  group_id: null,
  combined_in: null,
  status,
  attempts: 1,
  sent_at: null,
  error: '',
  created_at: '2026-11-22T12:00:00.000Z',
  updated_at: '2026-11-22T12:00:00.000Z',
  ...more,
});

const planned = { alert: { decision: 'planned' as const, reason: null, deliveries: ['dlv_1', 'dlv_2'] } };
const skipped = (reason: AlertReason) => ({ alert: { decision: 'skipped' as const, reason, deliveries: [] } });

describe('alertReason', () => {
  it.each(AlertReason.options)('returns a distinct text for the reason %s', (reason) => {
    const { alerted, text } = alertReason(skipped(reason), reasons);
    expect(alerted).toBe(false);
    const { label, meaning, remedy } = ruleOfReason(reason);
    expect(text).toBe(`${label}: ${meaning} ${remedy}`.trim());
    const others = AlertReason.options.filter((one) => one !== reason);
    expect(others.map((one) => alertReason(skipped(one), reasons).text)).not.toContain(text);
  });

  it('returns the number of channels until the deliveries are loaded', () => {
    expect(alertReason(planned, reasons)).toEqual({ alerted: true, text: 'To 2 channels.' });
  });

  it.each(DeliveryRecord.shape.status.options)('names the channel of a delivery with status %s', (status) => {
    const { text } = alertReason(planned, reasons, { deliveries: [delivery(status)], titleOf: () => 'Slack' });
    expect(text).toContain('Slack');
    expect(/Accepted/.test(text)).toBe(status === 'sent');
    expect(/Failed for/.test(text)).toBe(status === 'failed');
  });

  it('lists the channels per status', () => {
    const deliveries = [delivery('sent'), delivery('failed', { channel_type: 'ntfy' }), delivery('retrying')];
    const { text } = alertReason(planned, reasons, { deliveries });
    expect(text).toBe('Accepted by slack. Pending for slack. Failed for ntfy: see the error.');
  });

  it.each(DeliveryKind.options)('reports whether a later delivery of kind %s counts as an alert', (kind) => {
    const { alerted } = alertReason(skipped('cooldown'), reasons, { deliveries: [delivery('sent', { kind })] });
    expect(alerted).toBe(['late', 'reminder', 'closed', 'remediation_failed'].includes(kind));
    expect(alertReason(skipped('cooldown'), reasons, { deliveries: [delivery('failed', { kind })] }).alerted).toBe(
      false,
    );
  });
});
