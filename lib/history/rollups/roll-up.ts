import type { AccountItem } from '#lib/access/account.ts';
import type { CellItem } from '#lib/checks/settings/cells.ts';
import type { Env } from '#lib/env.ts';
import { ROLLUPS, under } from '#lib/keys.ts';
import type { MessageOf } from '#lib/messages.ts';
import { DAY_MS, HOUR_MS, MAX_CLOCK_DIFFERENCE_MS } from '#lib/platform/time.ts';
import { type Revision, revisionMessage, sharedInstant } from '#lib/results/revise-rollups.ts';
import { closesAt, dayOf, hourOf, isClosed, ROLLUP_DELAY_MS } from '#lib/schedule/slots.ts';
import { oldestWhole } from './hours.ts';
import { makeDay, makeHour, type RolledCell } from './make-rollup.ts';
import type { RollupItem } from './stored-rollups.ts';

/** Hours made for one message: the rest is for the next, so that no function runs long. */
const HOURS_A_MESSAGE = 12;

/**
 * Makes the rollups of a cell that are due: all hours that are over and not made yet, and each day whose hours are
 * made; then, if asked, those of a time anew. They follow from the raw data alone, so that doing it twice makes the
 * same items.
 */
export async function rollUp(env: Env, { tenant_id, cell, revise }: MessageOf<'rollup'>): Promise<void> {
  const { ports, keys } = env;
  const [account, item] = await ports.table.getMany<[AccountItem, CellItem]>([
    keys.account(tenant_id),
    keys.cell(tenant_id, cell),
  ]);
  if (!account || !item || account.deleted_at) return;
  const { retention_days, rollup_days } = account;
  const of: RolledCell = { ...env, tenant: tenant_id, cell, retention_days, rollup_days };
  const not_before = await makeDue(of, item);
  const rest = { body: { tenant_id, cell, revise }, group: tenant_id };
  if (not_before !== undefined) return ports.queues.send('rollup', [{ ...rest, not_before }]);
  if (revise) await makeAnew(of, revise);
}

/** @returns from when on another message is to go on (epoch ms); undefined: all is made that is due */
async function makeDue(of: RolledCell, { begun_at }: CellItem): Promise<number | undefined> {
  const now = of.ports.clock.now();
  const [newestHour, newestDay] = await Promise.all([newest(of, ROLLUPS.hour), newest(of, ROLLUPS.day)]);
  // From the oldest hour on that was not closed when the cell began: runs of it are announced by nobody.
  const first = Math.max(hourOf(begun_at - ROLLUP_DELAY_MS), oldestWhole(now, of.retention_days));
  let hour = Math.max(first, newestHour === undefined ? 0 : newestHour + HOUR_MS);
  for (let left = HOURS_A_MESSAGE; left > 0 && isClosed(hour, now); left--, hour += HOUR_MS) {
    await makeHour(of, hour, { isRevision: false });
  }
  let day = Math.max(dayOf(first), newestDay === undefined ? 0 : newestDay + DAY_MS);
  for (; day + DAY_MS <= hour; day += DAY_MS) await makeDay(of, day, { isRevision: false });
  // Whoever asks for an hour just before it closes may have asked in time, and this machine's clock runs behind.
  return isClosed(hour, now + MAX_CLOCK_DIFFERENCE_MS) ? closesAt(hour) : undefined;
}

/** When the newest hour or day begins, epoch ms. */
async function newest({ ports, keys, tenant, cell }: RolledCell, prefix: string): Promise<number | undefined> {
  const query = { partition: keys.ofCell(tenant, cell), ...under(prefix), descending: true, limit: 1 };
  return (await ports.table.query<RollupItem>(query)).items[0]?.from;
}

/**
 * Hours or days anew. One stays as it is that was begun to be made at `after` or later: what announced this was written
 * by then. Days follow their hours by a message of their own, so that a crash between them loses none, and what was
 * revised meanwhile shares it.
 */
async function makeAnew(of: RolledCell, revise: Revision): Promise<void> {
  const { ports, tenant, cell } = of;
  const now = ports.clock.now();
  const first = Math.max(hourOf(revise.from), oldestWhole(now, of.retention_days));
  // All hours that are over are made by now.
  const end = Math.min(hourOf(revise.to) + HOUR_MS, hourOf(now - ROLLUP_DELAY_MS));
  if (first >= end) return;
  if (revise.of === 'day') {
    for (let day = dayOf(first); day < end && isClosed(day + DAY_MS - HOUR_MS, now); day += DAY_MS) {
      if (await isStale(of, day, revise)) await makeDay(of, day, { isRevision: true });
    }
    return;
  }
  const until = Math.min(end, first + HOURS_A_MESSAGE * HOUR_MS);
  for (let hour = first; hour < until; hour += HOUR_MS) {
    if (await isStale(of, hour, revise)) await makeHour(of, hour, { isRevision: true });
  }
  const days: Revision = { of: 'day', from: first, to: until - 1, after: sharedInstant(ports.clock.now()) };
  const rest: Revision[] = until < end ? [{ ...revise, from: until }] : [];
  await ports.queues.send(
    'rollup',
    [days, ...rest].map((next) => revisionMessage({ tenant_id: tenant, cell }, next)),
  );
}

/** Whether it was made before `after`, or never; one whose raw data has begun to expire is final. */
async function isStale(
  { ports, keys, tenant, cell }: RolledCell,
  at: number,
  { of, after }: Revision,
): Promise<boolean> {
  const present = await ports.table.get<RollupItem>(keys.rollup(tenant, cell, of, at));
  if (!present) return true;
  return present.made_at < after && (of === 'day' || at >= oldestWhole(ports.clock.now(), present.raw_days));
}
