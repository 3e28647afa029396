import type { AccountItem } from '#lib/access/account.ts';
import type { CellItem } from '#lib/checks/cells.ts';
import type { Env } from '#lib/env.ts';
import { ROLLUPS, under } from '#lib/keys.ts';
import type { MessageOf } from '#lib/messages.ts';
import { DAY_MS, dayOf, HOUR_MS, hourOf, isClosed, oldestWhole } from './hours.ts';
import { makeDay, makeHour, type RolledCell } from './make-rollup.ts';
import type { RollupItem } from './stored-rollups.ts';

/** Hours made for one message: the rest is for the next, so that no function runs long. */
const HOURS_A_MESSAGE = 12;

/** The first hour and the first day (epoch ms) of a cell that are not made yet. */
type Unmade = { hour: number; day: number };

/**
 * Makes the rollups of a cell that are due: all hours that are over and not made yet, and each day whose hours are made;
 * or the hours of a time anew, with their days. They follow from the raw data alone, so that doing it twice makes the
 * same items.
 */
export async function rollUp(env: Env, { tenant_id, cell, revise }: MessageOf<'rollup'>): Promise<void> {
  const { ports, keys } = env;
  const [account, item] = await ports.table.getMany<[AccountItem, CellItem]>([
    keys.account(tenant_id),
    keys.cell(tenant_id, cell),
  ]);
  if (!account || !item || account.deleted_at) return;
  const of: RolledCell = { ...env, tenant: tenant_id, cell, retention_days: account.retention_days };
  const unmade = await unmadeOf(of, item);
  const rest = revise ? await makeAnew(of, unmade, revise) : await makeDue(of, unmade);
  if (rest) await ports.queues.send('rollup', [{ body: { tenant_id, cell, ...rest }, group: tenant_id }]);
}

async function unmadeOf(of: RolledCell, { begun_at }: CellItem): Promise<Unmade> {
  const [hour, day] = await Promise.all([newest(of, ROLLUPS.hour), newest(of, ROLLUPS.day)]);
  const first = Math.max(hourOf(begun_at), oldestWhole(of.ports.clock.now(), of.retention_days));
  return {
    hour: Math.max(first, hour === undefined ? 0 : hour + HOUR_MS),
    day: Math.max(dayOf(first), day === undefined ? 0 : day + DAY_MS),
  };
}

/** When the newest hour or day begins. */
async function newest({ ports, keys, tenant, cell }: RolledCell, prefix: string): Promise<number | undefined> {
  const query = { partition: keys.ofCell(tenant, cell), ...under(prefix), descending: true, limit: 1 };
  return (await ports.table.query<RollupItem>(query)).items[0]?.from;
}

/** What a message leaves to the next one; undefined: nothing. */
type Rest = Pick<MessageOf<'rollup'>, 'revise'> | undefined;

async function makeDue(of: RolledCell, unmade: Unmade): Promise<Rest> {
  const now = of.ports.clock.now();
  let { hour, day } = unmade;
  for (let left = HOURS_A_MESSAGE; left > 0 && isClosed(hour, now); left--, hour += HOUR_MS) {
    await makeHour(of, hour, { isRevision: false });
  }
  for (; day + DAY_MS <= hour; day += DAY_MS) await makeDay(of, day, { isRevision: false });
  return isClosed(hour, now) ? {} : undefined;
}

/**
 * Those that are not made yet will hold it all; nor can one be made anew whose raw data has begun to expire. Each is left
 * as it is that was made since `after`: what announced this was written by then.
 */
async function makeAnew(
  of: RolledCell,
  unmade: Unmade,
  { from, to, after }: NonNullable<MessageOf<'rollup'>['revise']>,
): Promise<Rest> {
  const { ports, keys, tenant, cell } = of;
  const isStale = async (kind: 'hour' | 'day', at: number) => {
    const present = await ports.table.get<RollupItem>(keys.rollup(tenant, cell, kind, at));
    return !present || (present.made_at < after && at >= oldestOf(of, kind, present));
  };
  const first = Math.max(hourOf(from), oldestWhole(ports.clock.now(), of.retention_days));
  const end = Math.min(hourOf(to) + HOUR_MS, unmade.hour);
  const until = Math.min(end, first + HOURS_A_MESSAGE * HOUR_MS);
  for (let hour = first; hour < until; hour += HOUR_MS) {
    if (await isStale('hour', hour)) await makeHour(of, hour, { isRevision: true });
  }
  for (let day = dayOf(first); day < Math.min(until, unmade.day); day += DAY_MS) {
    if (await isStale('day', day)) await makeDay(of, day, { isRevision: true });
  }
  return until < end ? { revise: { from: until, to, after } } : undefined;
}

/** Days are made of hours, which are kept for longer. */
const oldestOf = ({ ports }: RolledCell, kind: 'hour' | 'day', { raw_days }: RollupItem): number =>
  kind === 'day' ? 0 : oldestWhole(ports.clock.now(), raw_days);
