import * as z from 'zod';
import type { AccountItem } from '#lib/access/account.ts';
import type { Context } from '#lib/access/context.ts';
import { retentionStart } from '#lib/access/retention.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { probeTimeout } from '#lib/checks/check-item.ts';
import { heartbeatDeadline, type LastHeartbeat } from '#lib/checks/heartbeat.ts';
import { revisionsSince } from '#lib/checks/settings/revisions.ts';
import type { Env } from '#lib/env.ts';
import { resultOf, slotOf, storedEntries } from '#lib/history/results/stored-results.ts';
import { cellOf, numberOf } from '#lib/keys.ts';
import { pastOrZero } from '#lib/platform/time.ts';
import { entryOf, PACK_MS, type PackItem } from '#lib/results/pack.ts';
import { newestReceived, pushTimesOf } from '#lib/results/pushes/newest-received.ts';
import { MAX_FUTURE_MS, orderOf, type ResultItem } from '#lib/results/result.ts';
import { lastOutageEnd } from '#lib/schedule/outages.ts';
import { intervalScheduleOf, latestSlot } from '#lib/schedule/slots.ts';
import { emittedUntil, readWatermark } from '#lib/schedule/watermark.ts';

/** `stale` in lists, from `staleChecks`. It depends only on the schedule, so a list can skip reading results. */
export const StaleInList = z.object({
  stale: z.boolean().describe('Whether the service is late with its probes, so that the state may be outdated.'),
});

/** Maximum duration of a probe (ms): for that long after an outage the newest slots may be in progress. */
const SETTLING_MS = 30_000;

/**
 * Returns a function from a check id to whether the check is stale: the schedule of its shard is behind, or its last
 * outage ended less than SETTLING_MS ago. An entity is stale if one of its checks is. Makes two small reads per shard.
 */
export async function staleChecks(context: Env): Promise<(checkId: string) => boolean> {
  const { ports, keys } = context;
  const now = ports.clock.now();
  const stale = await Promise.all(
    keys.shards.map(async (shard) => {
      const [watermark, outageEnd] = await Promise.all([readWatermark(context, shard), lastOutageEnd(context, shard)]);
      return emittedUntil(watermark, now) <= now || outageEnd + SETTLING_MS > now;
    }),
  );
  return (checkId) => stale[keys.shardOf(checkId)] === true;
}

/** Items per read of the newest result; a second read is rarely needed. */
const ITEMS_PER_READ = 3;

/** Returns the newest retained result, if any. A push with a `checked_at` in the future counts at its arrival. */
export async function newestResult(context: Context, check: CheckItem): Promise<ResultItem | undefined> {
  const { ports, keys, caller } = context;
  const now = ports.clock.now();
  const range = { from: retentionStart(now, caller.retention_days), until: now + MAX_FUTURE_MS };
  const revisions = check.execution_mode === 'pull' ? await revisionsSince(context, check, range.from) : [];
  let newest: ResultItem | undefined;
  for await (const page of storedEntries(context, check, revisions, range, {
    descending: true,
    page: ITEMS_PER_READ,
  })) {
    for (const { at, result } of page.filter((entry) => entry.gap === undefined)) {
      // Results are read by sort time, newest first; `at` of pushTimesOf is never later, so all others are older.
      if (newest && at < pushTimesOf(newest).at) return newest;
      const item = resultOf(keys, check, at, result);
      if (!newest || isNewer(item, newest)) newest = item;
    }
  }
  return newest;
}

function isNewer(a: ResultItem, b: ResultItem): boolean {
  const [one, other] = [pushTimesOf(a), pushTimesOf(b)];
  return one.at > other.at || (one.at === other.at && one.received_at > other.received_at);
}

/** Whether the newest slot whose probe must have ended has no result; false while disabled. */
export function isOverdue({ ports }: Env, check: CheckItem, last: ResultItem | undefined): boolean {
  if (!check.enabled) return false;
  const now = ports.clock.now();
  const rhythm = intervalScheduleOf(cellOf(check.id), check.interval_seconds);
  const due = latestSlot(rhythm, now - rhythm.interval_ms - probeTimeout(check) - PACK_MS);
  // A change of settings triggers a probe at once, which replaces the slots before it.
  return due >= check.settings_at && (last === undefined || orderOf(last) < due);
}

/** Returns the last heartbeat of a push check, and the time since which it is monitored. Costs three small reads. */
export async function readLastHeartbeat(env: Env, check: CheckItem): Promise<LastHeartbeat> {
  const { ports, keys } = env;
  const [newest, outageEnd, account] = await Promise.all([
    newestReceived(env, check),
    lastOutageEnd(env, keys.shardOf(check.id)),
    ports.table.get<AccountItem>(keys.account(check.tenant_id)),
  ]);
  const enabledAt = pastOrZero(account?.enabled_at ?? 0, ports.clock.now());
  return { last: newest?.received_at, monitoredSince: Math.max(outageEnd, enabledAt) };
}

/** Whether the heartbeat deadline of a push check has passed, even if the missed heartbeat was already recorded. */
export function isHeartbeatOverdue(check: CheckItem, { last }: LastHeartbeat, now: number): boolean {
  if (!check.enabled) return false;
  const { missed_at: _recorded, ...rest } = check;
  const deadline = heartbeatDeadline(rest, { last, monitoredSince: 0 }, now);
  return deadline !== undefined && deadline.at < now;
}

/** Packs read per cell and interval: the newest one can lack slow checks, and a slot can have several packs. */
const PACKS_READ = 3;

/**
 * Returns the newest result of each check, in the order of `checks`; undefined without one. One read per cell and
 * interval covers up to 50 checks; one batch read covers newer single results. Others are read one by one.
 */
export async function newestResults(
  context: Context,
  checks: readonly CheckItem[],
): Promise<(ResultItem | undefined)[]> {
  const { ports, keys, tenant } = context;
  const packs = new Map<string, Promise<PackItem[]>>();
  const packsOf = ({ id, interval_seconds }: CheckItem): Promise<PackItem[]> => {
    const partition = keys.packs(tenant, cellOf(id), interval_seconds);
    const known = packs.get(partition) ?? newest(partition);
    packs.set(partition, known);
    return known;
  };
  const newest = async (partition: string): Promise<PackItem[]> =>
    (await ports.table.query<PackItem>({ partition, descending: true, limit: PACKS_READ, eventual: true })).items;

  const inPack = await Promise.all(
    checks.map(async (check) => {
      if (!check.enabled || check.execution_mode === 'push') return undefined;
      const found = newestOf(await packsOf(check), check);
      return found && (check.single === undefined || found.at > orderOf({ sk: check.single })) ? found : undefined;
    }),
  );
  const withSingle = checks.flatMap((check, i) => {
    const { id, single } = check;
    return single && !inPack[i] && isSingleNewest(check, single) ? [{ id, single }] : [];
  });
  const singles = await ports.table.getMany<ResultItem>(
    withSingle.map(({ id, single }) => ({ pk: keys.ofCheck(tenant, id), sk: single })),
  );
  const singleOf = new Map(withSingle.map(({ id }, i) => [id, singles[i]]));
  return Promise.all(
    checks.map((check, i) => {
      const found = inPack[i];
      if (found) return resultOf(keys, check, found.at, found.result);
      return singleOf.get(check.id) ?? newestResult(context, check);
    }),
  );
}

/** Whether the single result is the newest, given that no pack since the last change of settings has a newer one. */
const isSingleNewest = ({ enabled, settings_at }: CheckItem, single: string): boolean =>
  enabled && orderOf({ sk: single }) >= settings_at;

function newestOf(packs: PackItem[], { id, settings_at }: CheckItem) {
  for (const pack of packs) {
    const entry = entryOf(pack, numberOf(id));
    // A pack before `settings_at` may not be the newest: the check may have had another interval since.
    if (entry && !entry.gap && slotOf(pack) >= settings_at) return { at: slotOf(pack), result: entry };
  }
  return undefined;
}
