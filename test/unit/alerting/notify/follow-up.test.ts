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

/** The check's next look, after an alert that it no longer remembers has failed; `series` when that was a try. */
async function lookAfter(
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
    reports_state: 'down',
    alert: { id: 'trn_forgotten', sk: 'AL#0', deliveries: ['dlv_1'], ...(series && { series }) },
  } as unknown as DeliveryItem;
  await world.put(delivery);
  await followUp(world, delivery);
  return world.table.get<DeadlineEntry>(world.keys.entry('late', TENANT, 'chk_pay'));
}

describe('an alert that fails when its check remembers only newer ones', () => {
  it('changes nothing as long as one of those stands', async () => {
    expect(await lookAfter({ baseline: 'unknown', inFlight: [{ id: 'trn_9', reports_state: 'down' }] })).toBeUndefined();
    expect(await lookAfter({ baseline: 'down', inFlight: [] })).toBeUndefined();
  });

  it('brings a look a minute later when all of those have failed before', async () => {
    expect(await lookAfter({ baseline: 'unknown', inFlight: [] })).toMatchObject({
      deadline: START + 60_000,
      note: { failed_at: START, tries: 0 },
    });
  });

  it('goes on with its series when it was a try, and begins none after the last', async () => {
    const announced: NotifiedStates = { baseline: 'unknown', inFlight: [] };
    expect(await lookAfter(announced, { failed_at: START - 3_600_000, tries: 3 })).toBeUndefined();
    expect(await lookAfter(announced, { failed_at: START - 3_600_000, tries: 1 })).toMatchObject({
      deadline: START + 60_000,
      note: { failed_at: START - 3_600_000, tries: 1 },
    });
  });
});
