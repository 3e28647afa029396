import { describe, expect, it } from 'vitest';
import { updatePolicy } from '#lib/alerting/configure/policies.ts';
import { addWindow, changeWindow, deleteWindow } from '#lib/alerting/configure/windows.ts';
import { handleDeadlines } from '#lib/alerting/deadlines/handle-deadlines.ts';
import { wakeAlerts } from '#lib/alerting/deadlines/wake.ts';
import { type AlertItem, isAlert } from '#lib/alerting/decide/alert-item.ts';
import { withoutAlertInFlight } from '#lib/alerting/decide/notified-state.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import { explainTransition } from '#lib/alerting/explain/explain-transition.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { ALERTS, TRANSITIONS } from '#lib/keys.ts';
import { recordOutage } from '#lib/schedule/outages.ts';
import type { HealthWorld } from '#test/support/health-world.ts';
import {
  check,
  deadlines,
  decisions,
  entryOf,
  itemsUnder,
  lookLater,
  MINUTE,
  maintenance,
  now,
  probe,
  told,
  world,
} from './watched-check.ts';

describe('a check that goes down in a maintenance window', () => {
  it('and is down at its end alerts once, just after its own first result behind it', async () => {
    await maintenance(10);
    await probe('down');
    expect([await decisions(), await told()]).toEqual([[['held', 'maintenance']], []]);
    world.advance(9 * MINUTE);
    await deadlines();
    expect(await told()).toEqual([]);
    world.advance(MINUTE);
    await deadlines();
    expect(await told()).toEqual([]);
    await probe('down');
    await lookLater();
    expect([await decisions(), await told()]).toEqual([[['planned', null]], ['state_change down']]);
    expect(await entryOf('hold')).toBeUndefined();
    await lookLater();
    expect(await told()).toHaveLength(1);
    await probe();
    expect(await told()).toEqual(['state_change down', 'state_change up']);
  });

  it('and is up with its first result after it tells nobody', async () => {
    await maintenance(10);
    await probe('down');
    world.advance(10 * MINUTE);
    await probe();
    await lookLater();
    expect([await decisions(), await told()]).toEqual([
      [
        ['skipped', 'maintenance'],
        ['skipped', 'maintenance'],
      ],
      [],
    ]);
    expect(await entryOf('hold')).toBeUndefined();
  });

  it('was told before: that it is down is not told again, that it is up is told at once', async () => {
    await probe('down');
    await maintenance(10);
    world.advance(11 * MINUTE);
    await probe('down');
    await deadlines();
    expect(await told()).toEqual(['state_change down']);
    await maintenance(10);
    await probe();
    expect(await told()).toEqual(['state_change down', 'state_change up']);
  });

  it('is not told again where that it was up could not be delivered, and is explained by the window', async () => {
    await probe('down');
    await probe();
    await maintenance(10);
    await probe('down');
    const key = world.keys.check(check.tenant_id, check.id);
    const before = (await world.ports.table.get<CheckItem>(key))!;
    const up = (await itemsUnder<AlertItem>(ALERTS)).filter(isAlert).at(-1)!;
    const announced = withoutAlertInFlight(before.alerts.announced!, up.id);
    const put: CheckItem = { ...before, alerts: { ...before.alerts, announced } };
    await world.ports.table.transact([{ put }]);
    world.advance(10 * MINUTE);
    await probe('down');
    await lookLater();
    expect((await decisions()).at(-1)).toEqual(['skipped', 'maintenance']);
    const { sentence } = explainTransition((await itemsUnder<DecidedTransition>(TRANSITIONS)).at(-1)!);
    expect(sentence).toMatch(/^No alert was sent: a maintenance window was open until \d{4}-/);
  });

  it('waits for the end of every window that overlaps or follows at once', async () => {
    await maintenance(10);
    await addWindow(world.context, {
      ...{ name: 'more', scope: { all: true } },
      ...{ starts_at: now() + 10 * MINUTE, ends_at: now() + 30 * MINUTE },
    });
    await probe('down');
    world.advance(15 * MINUTE);
    await probe('down');
    await deadlines();
    expect(await told()).toEqual([]);
    world.advance(15 * MINUTE);
    await probe('down');
    await lookLater();
    expect(await told()).toEqual(['state_change down']);
  });

  it('is decided soon after a window is deleted, or moved away, by what it does from then on', async () => {
    for (const end of [deleteWindow, changeAway]) {
      const { id } = await maintenance(60);
      await probe('down');
      world.advance(1000);
      await end(world.context, id);
      const at = now();
      world.advance(2000);
      await wakeAlerts(world, { wake: check.tenant_id, at });
      await deadlines();
      expect((await decisions()).at(-1)).toEqual(['held', 'maintenance']);
      await probe('down');
      await lookLater();
      expect((await decisions()).at(-1)).toEqual(['planned', null]);
      await probe();
    }
    expect(await told()).toEqual(['state_change down', 'state_change up', 'state_change down', 'state_change up']);
  });

  const changeAway = (context: HealthWorld['context'], id: string) =>
    changeWindow(context, id, { starts_at: now() + 60 * MINUTE, ends_at: now() + 90 * MINUTE });

  it('is decided by what is known when no result comes, and no alert stays held', async () => {
    await maintenance(10);
    await probe('down');
    world.advance(10 * MINUTE);
    const end = now();
    for (let looks = 0; looks < 60 && (await entryOf('hold')); looks++) await lookLater();
    expect(await decisions()).toEqual([['planned', null]]);
    expect(now() - end).toBeLessThanOrEqual(2 * MINUTE + 11_000);
  });

  it('is not judged by time that nobody watched: an outage of ours over its end counts anew', async () => {
    await maintenance(10);
    await probe('down');
    const from = now() + 5 * MINUTE;
    world.advance(30 * MINUTE);
    await world.watermark(-25 * MINUTE);
    const { tenant_id, entity_id, id: check_id } = check;
    await handleDeadlines(world, [{ kind: 'hold', tenant_id, entity_id, check_id, at: now() }]);
    expect(await told()).toEqual([]);
    await recordOutage(world, { from, to: now() });
    await deadlines();
    expect([await told(), await decisions()]).toEqual([[], [['held', 'maintenance']]]);
    await probe('down');
    await lookLater();
    expect(await told()).toEqual(['state_change down']);
  });

  it('ends as skipped with the reason that holds then, and a catch-up where that ends', async () => {
    await maintenance(10);
    await probe('down');
    await updatePolicy(world.context, check, { silenced_until: now() + 60 * MINUTE });
    world.advance(10 * MINUTE);
    await probe('down');
    await lookLater();
    expect([await decisions(), await told()]).toEqual([[['skipped', 'silenced']], []]);
    world.advance(60 * MINUTE);
    await deadlines();
    expect(await told()).toEqual(['late down']);
  });

  it('pauses the repeats of what was told before; one is due at its end', async () => {
    await updatePolicy(world.context, check, { repeat_interval_seconds: 120 });
    await probe('down');
    await maintenance(10);
    for (let minute = 0; minute < 9; minute++) {
      world.advance(MINUTE);
      await deadlines();
    }
    expect(await told()).toEqual(['state_change down']);
    world.advance(MINUTE);
    await deadlines();
    expect(await told()).toEqual(['state_change down', 'reminder down']);
  });

  it('costs one request more than without a window, to send the deadline of its end', async () => {
    const { table } = world.ports;
    let requests = 0;
    const counting = Object.fromEntries(
      Object.entries(table).map(([name, call]) => [
        name,
        (...args: unknown[]) => {
          requests++;
          return (call as (...all: unknown[]) => unknown).apply(table, args);
        },
      ]),
    ) as unknown as typeof table;
    world.ports.table = counting;
    await probe('down');
    const without = requests;
    await probe();
    await maintenance(10);
    await probe('down');
    await probe();
    requests = 0;
    await probe('down');
    expect(requests).toBeLessThanOrEqual(without + 1);
  });
});
