import { beforeEach } from 'vitest';
import { addChannel } from '#lib/alerting/configure/check-channels.ts';
import { updatePolicy } from '#lib/alerting/configure/policies.ts';
import { addWindow } from '#lib/alerting/configure/windows.ts';
import { handleDeadlines } from '#lib/alerting/deadlines/handle-deadlines.ts';
import { type AlertItem, isAlert } from '#lib/alerting/decide/alert-item.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { ALERTS, cellOf, TRANSITIONS, under } from '#lib/keys.ts';
import type { DueDeadline } from '#lib/messages.ts';
import type { DeadlineEntry } from '#lib/schedule/entries.ts';
import { intervalScheduleOf, latestSlot } from '#lib/schedule/slots.ts';
import { type HealthWorld, healthWorld } from '#test/support/health-world.ts';

export const MINUTE = 60_000;
export let world: HealthWorld;
/** Check that is up, with a channel, created before each test. */
export let check: CheckItem;
export const now = () => world.ports.clock.now();

beforeEach(async () => {
  world = await healthWorld();
  check = await world.check({ interval_seconds: 60, timeout_ms: 1000, failure_threshold: 1 });
  await updatePolicy(world.context, check, { cooldown_seconds: 0 });
  const config = { url: 'https://hooks.example.com/x' };
  await addChannel(world.context, check, { channel_type: 'slack', config });
  await probe();
});

/** Advances to the next slot of the check and records its result: a failure with `error`, or a success without one. */
export async function probe(error = ''): Promise<void> {
  const rhythm = intervalScheduleOf(cellOf(check.id), 60);
  const slot = latestSlot(rhythm, now()) + rhythm.interval_ms;
  world.advance(slot - now());
  await world.probe(check, slot, error);
}

/** Adds an open window that ends after this number of minutes. */
export const maintenance = (minutes: number) =>
  addWindow(world.context, {
    name: 'work',
    scope: { check_ids: [check.id] },
    starts_at: now() - MINUTE,
    ends_at: now() + minutes * MINUTE,
  });

/** Handles the deadlines of the check that are due. */
export async function handleDue(): Promise<void> {
  await world.watermark(5 * MINUTE);
  const { tenant_id, entity_id, id: check_id } = check;
  for (const kind of ['reminder', 'late', 'hold'] as const) {
    const entry = await entryOf(kind);
    if (entry && entry.deadline <= now())
      await handleDeadlines(world, [
        { kind, tenant_id, entity_id, check_id, at: entry.deadline } satisfies DueDeadline,
      ]);
  }
}

export const entryOf = (kind: 'reminder' | 'late' | 'hold') =>
  world.ports.table.get<DeadlineEntry>(world.keys.entry(kind, check.tenant_id, check.id));

/** Advances to the recheck of the held alert, if any, and handles due deadlines. */
export async function recheckLater(): Promise<void> {
  const entry = await entryOf('hold');
  if (entry) world.advance(Math.max(0, entry.deadline - now()));
  await handleDue();
}

export const itemsUnder = async <T extends DecidedTransition | AlertItem>(prefix: string): Promise<T[]> =>
  (await world.ports.table.query<T>({ partition: world.keys.ofCheck(check.tenant_id, check.id), ...under(prefix) }))
    .items;
/** Returns the kind and reported state of each alert. */
export const sentAlerts = async () =>
  (await itemsUnder<AlertItem>(ALERTS)).filter(isAlert).map(({ kind, reports_state }) => `${kind} ${reports_state}`);
/** Returns the alert decision and reason of each transition except the first (to up). */
export const decisions = async () =>
  (await itemsUnder<DecidedTransition>(TRANSITIONS)).slice(1).map(({ alert }) => [alert.decision, alert.reason]);
