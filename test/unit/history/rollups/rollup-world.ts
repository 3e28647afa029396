import type { CheckItem } from '#lib/checks/check-item.ts';
import { listBuckets } from '#lib/history/rollups/buckets.ts';
import { checkHistories } from '#lib/history/rollups/read-history.ts';
import { rollUp } from '#lib/history/rollups/roll-up.ts';
import type { RollupItem } from '#lib/history/rollups/stored-rollups.ts';
import { cellOf, numberOf } from '#lib/keys.ts';
import type { RollupMessage } from '#lib/messages.ts';
import { DAY_MS, HOUR_MS } from '#lib/platform/time.ts';
import { startOfHour } from '#lib/schedule/slots.ts';
import { healthWorld } from '#test/support/health-world.ts';

const MINUTE = 60_000;

/** Creates a world with rollups on demand; it starts ten minutes after a full hour. */
export async function rollupWorld() {
  const world = await healthWorld();
  const { ports, keys, context } = world;
  const now = () => ports.clock.now();
  /** Moves the clock to a time (epoch ms). */
  const until = (at: number) => world.advance(at - now());
  await world.watermark(1000 * DAY_MS);
  until(startOfHour(now()) + HOUR_MS + 10 * MINUTE);

  const stored = (check: CheckItem, of: 'hour' | 'day', from: number) =>
    ports.table.get<RollupItem>(keys.rollup(check.tenant_id, cellOf(check.id), of, from));
  /** Takes the due messages from the queue. */
  const takeDue = () => {
    const due = world.sent.filter(
      ({ queue, message }) => queue === 'housekeeping' && (message.not_before ?? 0) <= now(),
    );
    for (const one of due) world.sent.splice(world.sent.indexOf(one), 1);
    return due.map(({ message }) => message.body as RollupMessage);
  };
  return {
    ...world,
    now,
    until,
    stored,
    takeDue,
    runsOf: async (check: CheckItem, of: 'hour' | 'day', from: number) =>
      (await stored(check, of, from))?.figures[numberOf(check.id)]?.runs,
    /** Runs a function just before the next write. */
    beforeNextWrite: (work: () => Promise<unknown>) => {
      const { transact } = ports.table;
      ports.table.transact = async (writes) => {
        ports.table.transact = transact;
        await work();
        return transact(writes);
      };
    },
    /** Handles the hourly message of the schedule. */
    rollUpDue: (check: CheckItem) => rollUp(world, { tenant_id: check.tenant_id, cell: cellOf(check.id) }),
    /** Lets time (ms) pass and handles revisions as they become due. */
    work: async (ms: number): Promise<void> => {
      for (const end = now() + ms; now() < end; world.advance(5000)) {
        for (const message of takeDue()) await rollUp(world, message);
      }
    },
    /** Reads the history of the last three days and today. */
    daily: async (check: CheckItem) => {
      const list = listBuckets({ bucket: 'day', from: now() - 3 * DAY_MS }, { now: now(), rollupDays: 400 });
      if ('wrong' in list) throw new Error(list.wrong.message);
      return (await checkHistories(context, [check], 'day', list))[0]!;
    },
  };
}

export type RollupWorld = Awaited<ReturnType<typeof rollupWorld>>;
