import { beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryItem } from '#lib/alerting/notify/delivery-item.ts';
import { followUp } from '#lib/alerting/notify/follow-up.ts';
import type { NotifiedStates } from '#lib/checks/check-item.ts';
import type { DeadlineEntry } from '#lib/schedule/entries.ts';
import { type AlertWorld, alertWorld, START, TENANT } from '#test/support/alert-world.ts';

let world: AlertWorld;
beforeEach(async () => {
  world = await alertWorld();
});

/**
 * Returns the deadline of the late alert after the failure of an alert that the notified states no longer contain.
 * @param series set if the alert is a retry
 */
async function lateAlertAfter(
  announced: NotifiedStates,
  series?: { failed_at: number; tries: number },
): Promise<DeadlineEntry | undefined> {
  await world.put({ ...world.check, state: 'down' as const, alerts: { announced } });
  const delivery = {
    ...world.keys.delivery(TENANT, 'dlv_1'),
    id: 'dlv_1',
    tenant_id: TENANT,
    check_id: 'chk_pay',
    status: 'failed',
    to_state: 'down',
    alert: { id: 'trn_forgotten', sk: 'AL#0', deliveries: ['dlv_1'], ...(series && { series }) },
  } as unknown as DeliveryItem;
  await world.put(delivery);
  await followUp(world, delivery);
  return world.table.get<DeadlineEntry>(world.keys.entry('late', TENANT, 'chk_pay'));
}

describe('followUp of an alert that the notified states no longer contain', () => {
  it('changes nothing if a newer alert has not failed', async () => {
    expect(
      await lateAlertAfter({ baseline: 'unknown', latest: [{ id: 'trn_9', reports_state: 'down' }] }),
    ).toBeUndefined();
    expect(await lateAlertAfter({ baseline: 'down', latest: [] })).toBeUndefined();
  });

  it('schedules a late alert a minute later when all newer alerts have failed', async () => {
    expect(await lateAlertAfter({ baseline: 'unknown', latest: [] })).toMatchObject({
      deadline: START + 60_000,
      note: { failed_at: START, tries: 0 },
    });
  });

  it('continues its retry series, and ends it after the last retry', async () => {
    const announced: NotifiedStates = { baseline: 'unknown', latest: [] };
    expect(await lateAlertAfter(announced, { failed_at: START - 3_600_000, tries: 3 })).toBeUndefined();
    expect(await lateAlertAfter(announced, { failed_at: START - 3_600_000, tries: 1 })).toMatchObject({
      deadline: START + 60_000,
      note: { failed_at: START - 3_600_000, tries: 1 },
    });
  });
});

describe('followUp when the newest delivery of the channel reports another state', () => {
  const sentAt = (id: string, to_state: 'down' | 'up', ms: number) => ({
    ...{ id, tenant_id: TENANT, check_id: 'chk_pay', channel_id: 'chn_1', kind: 'state_change', status: 'sent' },
    ...{ to_state, combined_in: null, sent_at: new Date(START + ms).toISOString() },
  });
  const announced: NotifiedStates = { baseline: 'up', latest: [] };

  it.each([
    ['changes nothing if the newest one was sent later', 1000, announced],
    ['makes the notified state unknown if the newest one was sent earlier', 3000, { baseline: 'unknown', latest: [] }],
  ])('%s', async (_name, ms, expected) => {
    const newer = sentAt('dlv_2', 'up', 2000);
    await world.put({ ...world.check, state: 'up' as const, alerts: { announced } });
    await world.put({ ...world.keys.lastDelivery(TENANT, 'chk_pay', 'chn_1'), v: 'v', delivery: newer } as never);
    await followUp(world, sentAt('dlv_1', 'down', ms) as unknown as DeliveryItem);
    const after = await world.table.get<typeof world.check>(world.check);
    expect(after?.alerts.announced).toEqual(expected);
  });
});
