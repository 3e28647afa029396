import { describe, expect, it } from 'vitest';
import { addChannel } from '#lib/alerting/configure/check-channels.ts';
import { updatePolicy } from '#lib/alerting/configure/policies.ts';
import { addWindow, changeWindow, deleteWindow } from '#lib/alerting/configure/windows.ts';
import { handleDeadlines } from '#lib/alerting/deadlines/handle-deadlines.ts';
import { recheckSuppressed } from '#lib/alerting/deadlines/recheck-suppressed.ts';
import { type AlertItem, isAlert } from '#lib/alerting/decide/alert-item.ts';
import { withoutFailedAlert } from '#lib/alerting/decide/notified-state.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import { explainTransition } from '#lib/alerting/explain/explain-transition.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { ALERTS, TRANSITIONS } from '#lib/keys.ts';
import type { DeadlineEntry } from '#lib/schedule/entries.ts';
import { recordOutage } from '#lib/schedule/outages.ts';
import type { HealthWorld } from '#test/support/health-world.ts';
import {
  check,
  decisions,
  entryOf,
  handleDue,
  itemsUnder,
  MINUTE,
  maintenance,
  now,
  probe,
  recheckLater,
  sentAlerts,
  world,
} from './watched-check.ts';

const storedCheck = async () => (await world.ports.table.get<CheckItem>(world.keys.check(check.tenant_id, check.id)))!;

/** Changes the stored alerting data of the check. */
async function storeAlerts(change: Partial<CheckItem['alerts']>): Promise<void> {
  const before = await storedCheck();
  const put: CheckItem = { ...before, alerts: { ...before.alerts, ...change } };
  await world.ports.table.transact([{ put }]);
}

describe('a check that goes down in a maintenance window', () => {
  it('alerts once, after its first result after the window, if it is still down', async () => {
    await maintenance(10);
    await probe('down');
    expect([await decisions(), await sentAlerts()]).toEqual([[['held', 'maintenance']], []]);
    world.advance(9 * MINUTE);
    await handleDue();
    expect(await sentAlerts()).toEqual([]);
    world.advance(MINUTE);
    await handleDue();
    expect(await sentAlerts()).toEqual([]);
    await probe('down');
    await recheckLater();
    expect([await decisions(), await sentAlerts()]).toEqual([[['planned', null]], ['state_change down']]);
    expect(await entryOf('hold')).toBeUndefined();
    await recheckLater();
    expect(await sentAlerts()).toHaveLength(1);
    await probe();
    expect(await sentAlerts()).toEqual(['state_change down', 'state_change up']);
  });

  it('alerts within five seconds of the first push after the window, despite a long grace time', async () => {
    const { context } = world;
    const job = await world.pushCheck({
      failure_threshold: 1,
      interval_seconds: 3600,
      config: { grace_seconds: 3600 },
    });
    await addChannel(context, job, { channel_type: 'slack', config: { url: 'https://hooks.example.com/x' } });
    await world.push(job);
    const scope = { check_ids: [job.id] };
    await addWindow(context, { name: 'work', scope, starts_at: now() - MINUTE, ends_at: now() + MINUTE });
    await world.push(job, false);
    const owner = { tenant_id: job.tenant_id, entity_id: job.entity_id, check_id: job.id };
    const hold = () => world.ports.table.get<DeadlineEntry>(world.keys.entry('hold', job.tenant_id, job.id));
    const passSeconds = async (seconds: number) => {
      for (let i = 0; i < seconds; i++) {
        world.advance(1000);
        const entry = await hold();
        if (entry && entry.deadline <= now()) {
          await world.watermark(5 * MINUTE);
          await handleDeadlines(world, [{ ...owner, kind: 'hold', at: entry.deadline }]);
        }
      }
    };
    await passSeconds(68);
    await world.push(job, false);
    expect(await hold()).toBeDefined();
    await passSeconds(5);
    expect(await hold()).toBeUndefined();
  });

  it('sends no alert when its first result after the window is a success', async () => {
    await maintenance(10);
    await probe('down');
    world.advance(10 * MINUTE);
    await probe();
    await recheckLater();
    expect([await decisions(), await sentAlerts()]).toEqual([
      [
        ['skipped', 'maintenance'],
        ['skipped', 'maintenance'],
      ],
      [],
    ]);
    expect(await entryOf('hold')).toBeUndefined();
  });

  it('sends a recovery alert immediately when the failure was notified before the window', async () => {
    await probe('down');
    await maintenance(10);
    world.advance(11 * MINUTE);
    await probe('down');
    await handleDue();
    expect(await sentAlerts()).toEqual(['state_change down']);
    await maintenance(10);
    await probe();
    expect(await sentAlerts()).toEqual(['state_change down', 'state_change up']);
  });

  it('sends its alert even if the recovery alert before the window failed on every channel', async () => {
    await probe('down');
    await probe();
    await maintenance(10);
    await probe('down');
    const { announced } = (await storedCheck()).alerts;
    const up = (await itemsUnder<AlertItem>(ALERTS)).filter(isAlert).at(-1)!;
    await storeAlerts({ announced: withoutFailedAlert(announced!, up.id) });
    world.advance(10 * MINUTE);
    await probe('down');
    await recheckLater();
    expect((await decisions()).at(-1)).toEqual(['planned', null]);
  });

  it('skips its alert as maintenance at the recheck when its failure was already notified', async () => {
    await maintenance(10);
    await probe('down');
    const [failed_at = 0] = (await storedCheck()).alerts.failed_at ?? [];
    await storeAlerts({ announced: { baseline: 'down', failed_at, latest: [] } });
    world.advance(10 * MINUTE);
    await probe('down');
    await recheckLater();
    expect((await decisions()).at(-1)).toEqual(['skipped', 'maintenance']);
    const { sentence } = explainTransition((await itemsUnder<DecidedTransition>(TRANSITIONS)).at(-1)!);
    expect(sentence).toMatch(/^No alert was sent: a maintenance window was open until \d{4}-/);
  });

  it('waits for the end of overlapping and consecutive windows', async () => {
    await maintenance(10);
    await addWindow(world.context, {
      ...{ name: 'more', scope: { all: true } },
      ...{ starts_at: now() + 10 * MINUTE, ends_at: now() + 30 * MINUTE },
    });
    await probe('down');
    world.advance(15 * MINUTE);
    await probe('down');
    await handleDue();
    expect(await sentAlerts()).toEqual([]);
    world.advance(15 * MINUTE);
    await probe('down');
    await recheckLater();
    expect(await sentAlerts()).toEqual(['state_change down']);
  });

  it('waits for a new result when the window is deleted or moved', async () => {
    for (const end of [deleteWindow, moveWindow]) {
      const { id } = await maintenance(60);
      await probe('down');
      world.advance(1000);
      await end(world.context, id);
      const at = now();
      world.advance(2000);
      await recheckSuppressed(world, { wake: check.tenant_id, at });
      await handleDue();
      expect((await decisions()).at(-1)).toEqual(['held', 'maintenance']);
      await probe('down');
      await recheckLater();
      expect((await decisions()).at(-1)).toEqual(['planned', null]);
      await probe();
    }
    expect(await sentAlerts()).toEqual([
      'state_change down',
      'state_change up',
      'state_change down',
      'state_change up',
    ]);
  });

  const moveWindow = (context: HealthWorld['context'], id: string) =>
    changeWindow(context, id, { starts_at: now() + 60 * MINUTE, ends_at: now() + 90 * MINUTE });

  it('alerts without a new result after a limited time', async () => {
    await maintenance(10);
    await probe('down');
    world.advance(10 * MINUTE);
    const end = now();
    for (let rechecks = 0; rechecks < 60 && (await entryOf('hold')); rechecks++) await recheckLater();
    expect(await decisions()).toEqual([['planned', null]]);
    expect(now() - end).toBeLessThanOrEqual(2 * MINUTE + 11_000);
  });

  it('waits for a new result when the window ended during an outage of the service', async () => {
    await maintenance(10);
    await probe('down');
    const from = now() + 5 * MINUTE;
    world.advance(30 * MINUTE);
    await world.watermark(-25 * MINUTE);
    const { tenant_id, entity_id, id: check_id } = check;
    await handleDeadlines(world, [{ kind: 'hold', tenant_id, entity_id, check_id, at: now() }]);
    expect(await sentAlerts()).toEqual([]);
    await recordOutage(world, { from, to: now() });
    await handleDue();
    expect([await sentAlerts(), await decisions()]).toEqual([[], [['held', 'maintenance']]]);
    await probe('down');
    await recheckLater();
    expect(await sentAlerts()).toEqual(['state_change down']);
  });

  it('skips its alert as silenced at the recheck, and alerts late at the end of the silence', async () => {
    await maintenance(10);
    await probe('down');
    await updatePolicy(world.context, check, { silenced_until: now() + 60 * MINUTE });
    world.advance(10 * MINUTE);
    await probe('down');
    await recheckLater();
    expect([await decisions(), await sentAlerts()]).toEqual([[['skipped', 'silenced']], []]);
    world.advance(60 * MINUTE);
    await handleDue();
    expect(await sentAlerts()).toEqual(['late down']);
  });

  it('pauses reminders of an earlier failure until the end of the window', async () => {
    await updatePolicy(world.context, check, { repeat_interval_seconds: 120 });
    await probe('down');
    await maintenance(10);
    for (let minute = 0; minute < 9; minute++) {
      world.advance(MINUTE);
      await handleDue();
    }
    expect(await sentAlerts()).toEqual(['state_change down']);
    world.advance(MINUTE);
    await handleDue();
    expect(await sentAlerts()).toEqual(['state_change down', 'reminder down']);
  });

  it('needs at most one table request more than without a window', async () => {
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
