import type { AccountItem } from '#lib/access/account.ts';
import type { CellItem } from '#lib/checks/settings/cells.ts';
import type { Env } from '#lib/env.ts';
import { ROLLUPS, under } from '#lib/keys.ts';
import type { RollupMessage } from '#lib/messages.ts';
import { DAY_MS, HOUR_MS, MAX_CLOCK_DIFFERENCE_MS } from '#lib/platform/time.ts';
import { nextRevisionAt, type Revision, revisionMessage } from '#lib/results/revise-rollups.ts';
import { closesAt, isClosed, ROLLUP_DELAY_MS, startOfDay, startOfHour } from '#lib/schedule/slots.ts';
import { oldestCompleteHour } from './hours.ts';
import { makeDay, makeHour, type RolledCell } from './make-rollup.ts';
import type { RollupItem } from './stored-rollups.ts';

/** Maximum number of hours made per message; the next message continues, so that no invocation runs long. */
const HOURS_PER_MESSAGE = 12;

/**
 * Makes the due rollups of a cell: all closed hours that are not made yet, and each day whose hours are made; then, if
 * requested, remakes those of a time range. Idempotent, because each rollup is computed as a whole, never added to.
 */
export async function rollUp(env: Env, { tenant_id, cell, revise }: RollupMessage): Promise<void> {
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
  if (not_before !== undefined) return ports.queues.send('housekeeping', [{ ...rest, not_before }]);
  if (revise) await remake(of, revise);
}

/** Makes due rollups. Returns the time (epoch ms) at which another message must continue; undefined if all are made. */
async function makeDue(of: RolledCell, { begun_at }: CellItem): Promise<number | undefined> {
  const now = of.ports.clock.now();
  const [newestHour, newestDay] = await Promise.all([newest(of, ROLLUPS.hour), newest(of, ROLLUPS.day)]);
  // Starts with the oldest hour open when the cell was created: results of an open hour send no revision message.
  const first = Math.max(startOfHour(begun_at - ROLLUP_DELAY_MS), oldestCompleteHour(now, of.retention_days));
  let hour = Math.max(first, newestHour === undefined ? 0 : newestHour + HOUR_MS);
  for (let left = HOURS_PER_MESSAGE; left > 0 && isClosed(hour, now); left--, hour += HOUR_MS) {
    await makeHour(of, hour, { isRevision: false });
  }
  let day = Math.max(startOfDay(first), newestDay === undefined ? 0 : newestDay + DAY_MS);
  for (; day + DAY_MS <= hour; day += DAY_MS) await makeDay(of, day, { isRevision: false });
  // If the next hour is about to close, continues then: a revision sent by a faster clock may include that hour.
  return isClosed(hour, now + MAX_CLOCK_DIFFERENCE_MS) ? closesAt(hour) : undefined;
}

async function newest({ ports, keys, tenant, cell }: RolledCell, prefix: string): Promise<number | undefined> {
  const query = { partition: keys.ofCell(tenant, cell), ...under(prefix), descending: true, limit: 1 };
  return (await ports.table.query<RollupItem>(query)).items[0]?.from;
}

/**
 * Remakes hours or days whose making started before `after`; later ones include the reported change. Days follow in a
 * separate message, so that a crash between them loses no day, and revisions of several hours remake it once.
 */
async function remake(of: RolledCell, revise: Revision): Promise<void> {
  const { ports, tenant, cell } = of;
  const now = ports.clock.now();
  const first = Math.max(startOfHour(revise.from), oldestCompleteHour(now, of.retention_days));
  // All closed hours have been made by now.
  const end = Math.min(startOfHour(revise.to) + HOUR_MS, startOfHour(now - ROLLUP_DELAY_MS));
  if (first >= end) return;
  if (revise.of === 'day') {
    for (let day = startOfDay(first); day < end && isClosed(day + DAY_MS - HOUR_MS, now); day += DAY_MS) {
      if (await isStale(of, day, revise)) await makeDay(of, day, { isRevision: true });
    }
    return;
  }
  const until = Math.min(end, first + HOURS_PER_MESSAGE * HOUR_MS);
  for (let hour = first; hour < until; hour += HOUR_MS) {
    if (await isStale(of, hour, revise)) await makeHour(of, hour, { isRevision: true });
  }
  const days: Revision = { of: 'day', from: first, to: until - 1, after: nextRevisionAt(ports.clock.now()) };
  const rest: Revision[] = until < end ? [{ ...revise, from: until }] : [];
  await ports.queues.send(
    'housekeeping',
    [days, ...rest].map((next) => revisionMessage({ tenant_id: tenant, cell }, next)),
  );
}

/** Whether a rollup is missing, or was made before `after` and, for an hour, its raw data has not begun to expire. */
async function isStale(
  { ports, keys, tenant, cell }: RolledCell,
  at: number,
  { of, after }: Revision,
): Promise<boolean> {
  const present = await ports.table.get<RollupItem>(keys.rollup(tenant, cell, of, at));
  if (!present) return true;
  return present.made_at < after && (of === 'day' || at >= oldestCompleteHour(ports.clock.now(), present.raw_days));
}
