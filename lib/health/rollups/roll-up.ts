import { setImmediate as othersTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { AccountItem } from '#lib/access/account.ts';
import type { TenantEnv } from '#lib/access/context.ts';
import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { CellItem } from '#lib/checks/cells.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { checksOf, checksOfCell } from '#lib/checks/store.ts';
import type { Env } from '#lib/env.ts';
import { retentionStart } from '#lib/health/history/retention.ts';
import { numberOf, ROLLUPS, under } from '#lib/keys.ts';
import type { MessageOf } from '#lib/messages.ts';
import { AGAIN, commit, untilDone } from '#lib/platform/table/retry.ts';
import { KEPT_DAYS } from './buckets.ts';
import { dayRollup } from './day-rollup.ts';
import { entityHours, homeCellOf } from './entity-figures.ts';
import { mergeEntityFigures } from './figures.ts';
import { DAY_MS, dayOf, HOUR_MS, hourOf, isClosed } from './hours.ts';
import { emptyHistogram } from './latency-histogram.ts';
import { measureCheck } from './measure-check.ts';
import { type CheckRollup, encodeRollup } from './rollup-item.ts';
import { sharedReads } from './shared-reads.ts';
import { type RollupItem, readRollups } from './stored-rollups.ts';

/** Hours made for one message: the rest is for the next, so that no function runs long. */
const HOURS_A_MESSAGE = 12;

/**
 * Makes the rollups of a cell that are due: all hours that are over and not made yet, and a day with its last hour; or
 * one hour anew, with its day. They follow from the raw data alone, so that doing it twice makes the same items.
 */
export async function rollUp(env: Env, { tenant_id, cell, hour, after = 0 }: MessageOf<'rollup'>): Promise<void> {
  const { ports, keys } = env;
  const context = { ...env, tenant: tenant_id };
  const [account, item] = await ports.table.getMany<[AccountItem, CellItem]>([
    keys.account(tenant_id),
    keys.cell(tenant_id, cell),
  ]);
  if (!account || !item || account.deleted_at) return;
  if (hour !== undefined) {
    const present = await ports.table.get<RollupItem>(keys.rollup(tenant_id, cell, 'hour', hour));
    // One that is not made yet will hold it all.
    if (!present || present.made_at >= after) return;
    await makeHour(context, cell, hour);
    if (isClosed(dayOf(hour) + DAY_MS - HOUR_MS, ports.clock.now()))
      await makeDay(context, cell, dayOf(hour), account.retention_days);
    return;
  }
  const now = ports.clock.now();
  const newest = await ports.table.query<RollupItem>({
    partition: keys.ofCell(tenant_id, cell),
    ...under(ROLLUPS.hour),
    descending: true,
    limit: 1,
  });
  const kept = retentionStart(now, account.retention_days);
  const done = newest.items[0] ? newest.items[0].from + HOUR_MS : 0;
  let left = HOURS_A_MESSAGE;
  for (let at = Math.max(done, hourOf(Math.max(item.begun_at, kept))); isClosed(at, now); at += HOUR_MS) {
    if (left-- === 0) return ports.queues.send('rollup', [{ body: { tenant_id, cell }, group: tenant_id }]);
    await makeHour(context, cell, at);
    if (at + HOUR_MS === dayOf(at) + DAY_MS) await makeDay(context, cell, dayOf(at), account.retention_days);
  }
}

async function makeHour(context: TenantEnv, cell: string, hour: number): Promise<void> {
  const window = { from: hour, to: hour + HOUR_MS };
  await put(context, cell, 'hour', hour, async () => {
    const shared = sharedReads(context);
    const found = new Map<number, CheckRollup>();
    for (const check of await checksOfCell(context, cell)) {
      if (Date.parse(check.created_at) >= window.to) continue;
      found.set(numberOf(check.id), await measureCheck(shared, check, window));
      await othersTurn();
    }
    return { checks: encodeRollup(found) };
  });
}

async function makeDay(context: TenantEnv, cell: string, day: number, retentionDays: number): Promise<void> {
  const window = { from: day, to: day + DAY_MS };
  await put(context, cell, 'day', day, async () => {
    const rollups = readRollups(context, retentionDays);
    const checks = await checksOfCell(context, cell);
    const found = new Map<number, CheckRollup>();
    for (const check of checks) {
      if (Date.parse(check.created_at) >= window.to) continue;
      const hours = await rollups.hours(check, window);
      found.set(
        numberOf(check.id),
        dayRollup(
          hours.map(({ figures }) => figures),
          window,
        ),
      );
    }
    const entities = new Map<string, CheckRollup>();
    for (const entity of await entitiesAtHome(context, cell, checks)) {
      const hours = await entityHours(rollups, await checksOf(context, [entity]), window);
      const figures = mergeEntityFigures(hours.map((hour) => hour.figures));
      entities.set(entity.id, { ...figures, latency: emptyHistogram(), spans: null });
      await othersTurn();
    }
    return { checks: encodeRollup(found), entities: encodeRollup(entities) };
  });
}

/** The entities whose first check lies in a cell: their days are kept there. */
async function entitiesAtHome(
  { ports, keys, tenant }: TenantEnv,
  cell: string,
  checks: CheckItem[],
): Promise<EntityItem[]> {
  const ids = [...new Set(checks.map(({ entity_id }) => entity_id))];
  const entities = await ports.table.getMany<EntityItem>(ids.map((id) => keys.entity(tenant, id)));
  return entities.filter((entity) => entity !== undefined).filter((entity) => homeCellOf(entity) === cell);
}

/** Writes a rollup over the version it was made beside, so that none is replaced by one that knew less. */
async function put(
  { ports, keys, tenant }: TenantEnv,
  cell: string,
  of: 'hour' | 'day',
  from: number,
  make: () => Promise<Pick<RollupItem, 'checks' | 'entities'>>,
): Promise<void> {
  const key = keys.rollup(tenant, cell, of, from);
  await untilDone(ports, async () => {
    const present = await ports.table.get<RollupItem>(key);
    const made_at = ports.clock.now();
    const made = await make();
    const revised = { ...present?.revised };
    for (const [name, figures] of Object.entries({ ...made.checks, ...made.entities })) {
      const before = present?.checks[name] ?? present?.entities?.[name];
      if (present && !isDeepStrictEqual(figures, before)) revised[name] = made_at;
    }
    const item: RollupItem = {
      ...key,
      v: ports.ids.token(),
      expires_at: Math.ceil((from + (KEPT_DAYS[of] + 1) * DAY_MS) / 1000),
      from,
      made_at,
      ...made,
      ...(Object.keys(revised).length > 0 && { revised }),
    };
    const done = await commit(ports, [{ put: item, if: present ? { version: present.v } : 'absent' }]);
    return done.ok ? true : AGAIN;
  });
}
