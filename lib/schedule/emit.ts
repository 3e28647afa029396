import type { Env } from '#lib/env.ts';
import type { DueDeadline, MessageTo } from '#lib/messages.ts';
import { chunks } from '#lib/platform/plain-data.ts';
import { pagesOf } from '#lib/platform/table/pages.ts';
import { iso } from '#lib/platform/time.ts';
import { dueDeadline, type EntryItem } from './entries.ts';
import {
  type CellJob,
  cellJobs,
  executionsDue,
  packDeadlines,
  packJobs,
  publicationDue,
  remediationDue,
  reportDue,
  rollupsDue,
} from './jobs.ts';
import { recordOutage } from './outages.ts';
import { executableSlots } from './slots.ts';
import {
  assertLayout,
  emittedUntil,
  LOOKAHEAD_MS,
  layoutOf,
  MAX_AHEAD_MS,
  readWatermark,
  type WatermarkItem,
} from './watermark.ts';

/** Maximum time (ms) until a clock step is noticed, because ticks arrive every minute. */
const MAX_STEP_UNNOTICED_MS = 60_000;
const ENTRIES_AT_ONCE = 25;

/**
 * Repairs a shard whose watermark (`mark`, epoch ms) is too far ahead, because the clock was set back: records an
 * outage until now, so that heartbeats missed before do not count, and moves entries to earlier times. Repeatable.
 */
async function repairAfterClockStep(env: Env, shard: number, mark: number, now: number): Promise<void> {
  const { ports, keys } = env;
  ports.log.error('the clock was set back: the schedule was ahead and continues at the present time', {
    shard,
    emitted_until: iso(mark),
    now: iso(now),
  });
  await recordOutage(env, { from: now - MAX_STEP_UNNOTICED_MS, to: now }, [shard]);
  const ahead = mark - now - LOOKAHEAD_MS;
  for await (const page of pagesOf<EntryItem>(ports.table, { partition: keys.entries(shard) })) {
    for (const entries of chunks(page, ENTRIES_AT_ONCE)) {
      const repairs = entries.flatMap((entry) => repaired(entry, ahead, now) ?? []);
      // If the version has changed, its writer knew the right time.
      const writes = repairs.map((entry) => ({ put: { ...entry, v: ports.ids.token() }, if: { version: entry.v } }));
      await Promise.all(writes.map((write) => ports.table.transact([write])));
    }
  }
}

/** Returns an entry with corrected times; undefined if they are right. `ahead`: approximate error (ms). Pure. */
function repaired(entry: EntryItem, ahead: number, now: number): EntryItem | undefined {
  if ('rhythm' in entry) return entry.from > now + MAX_AHEAD_MS + LOOKAHEAD_MS ? { ...entry, from: now } : undefined;
  return entry.deadline > now ? { ...entry, deadline: Math.max(now, entry.deadline - ahead) } : undefined;
}

/** Maximum time (ms) that a tick may be ahead; a tick further ahead is from a clock that ran ahead. */
const TICK_AHEAD_MS = 60_000;
/** Maximum number of shards that one invocation emits. */
export const SHARDS_PER_RUN = 4;

/**
 * Emits entries due until two minutes after the tick (epoch ms). Moves the watermarks after sending, so that a crash
 * repeats messages but loses none. A repeated or overtaken tick does nothing; the next tick makes up for a missing one.
 */
export async function emitShards(env: Env, shards: readonly number[], scheduledTime: number): Promise<void> {
  const { ports } = env;
  const now = ports.clock.now();
  const ranges = await Promise.all(shards.map((shard) => shardRangeOf(env, shard, scheduledTime, now)));
  const open = ranges.filter(({ from, horizon }) => from < horizon);
  for (const { shard, from, watermark } of open) {
    if (watermark && from < watermark.at) await repairAfterClockStep(env, shard, watermark.at, now);
    if (from < now) await recordOutage(env, { from, to: now }, [shard]);
  }
  const found = await Promise.all(open.map((range) => readDue(env, range)));
  const jobs = found.flatMap((each) => each.jobs);
  const { JOB_GROUP_MS } = ports.settings;
  const deadlines = [
    ...packDeadlines(
      found.flatMap((each) => each.deadlines),
      'generator',
      JOB_GROUP_MS,
      now,
    ),
    ...packDeadlines(
      found.flatMap((each) => each.deadlinesAgain),
      'repeat',
      JOB_GROUP_MS,
      now,
    ),
  ];
  const actions = found.flatMap((each) => each.actions);
  if (jobs.length > 0) await ports.queues.send('job', packJobs(jobs, JOB_GROUP_MS));
  if (deadlines.length > 0) await ports.queues.send('deadline', deadlines);
  const housekeeping = found.flatMap((each) => each.housekeeping);
  if (housekeeping.length > 0) await ports.queues.send('housekeeping', housekeeping);
  if (actions.length > 0) await ports.queues.send('action', actions);
  const publications = found.flatMap((each) => each.publications);
  if (publications.length > 0) await ports.queues.send('publish', publications);
  await Promise.all(open.map((range) => moveWatermark(env, range)));
}

/** Range of a shard to emit: slots in (from, horizon], and deadlines up to `horizon`; epoch ms. */
type ShardRange = { shard: number; watermark: WatermarkItem | undefined; from: number; horizon: number; now: number };

/** Returns the range to emit. It begins now if the shard has no valid watermark, and is empty if it was emitted. */
async function shardRangeOf(env: Env, shard: number, scheduledTime: number, now: number): Promise<ShardRange> {
  const watermark = await readWatermark(env, shard);
  assertLayout(env.ports.settings, watermark ?? (await readWatermark(env, 0)));
  const until = emittedUntil(watermark, now);
  const tick = Math.min(scheduledTime, now + TICK_AHEAD_MS);
  const horizon = Math.max(tick, until > 0 ? 0 : now) + LOOKAHEAD_MS;
  return { shard, watermark, from: until > 0 ? until : now, horizon, now };
}

async function readDue({ ports, keys }: Env, { shard, from, horizon, now }: ShardRange) {
  const jobs: CellJob[] = [];
  const deadlines: DueDeadline[] = [];
  const deadlinesAgain: DueDeadline[] = [];
  const housekeeping: MessageTo<'housekeeping'>[] = [];
  const actions: MessageTo<'action'>[] = [];
  const publications: MessageTo<'publish'>[] = [];
  for await (const page of pagesOf<EntryItem>(ports.table, { partition: keys.entries(shard), eventual: true })) {
    for (const entry of page) {
      const { tenant_id } = entry;
      if (entry.kind === 'rollup') {
        const slots = executableSlots(entry.rhythm, Math.max(from, entry.from), horizon, now);
        housekeeping.push(...rollupsDue(entry, slots));
      } else if (entry.kind === 'probe' || entry.kind === 'action') {
        const slots = executableSlots(entry.rhythm, Math.max(from, entry.from), horizon, now);
        if (entry.kind === 'action') actions.push(...executionsDue(entry, slots));
        else jobs.push(...cellJobs(entry, slots));
      } else if (entry.kind === 'account_end') {
        housekeeping.push({ body: { tenant_id, account: true }, group: tenant_id });
      } else if (entry.kind === 'remediation') {
        if (entry.deadline <= horizon) actions.push(remediationDue(entry, Math.max(entry.deadline, now)));
      } else if (entry.kind === 'status_page' || entry.kind === 'report') {
        // Sent once ahead, and again if it was not handled when due.
        const isSentAhead = entry.deadline < from && entry.deadline >= now;
        const message = entry.kind === 'report' ? reportDue : publicationDue;
        if (entry.deadline <= horizon && !isSentAhead) publications.push(message(entry, entry.deadline, now));
      } else if (entry.deadline <= horizon) {
        const list = entry.deadline < from ? deadlinesAgain : deadlines;
        list.push(dueDeadline(entry.kind, entry, entry.deadline));
      }
    }
  }
  return { jobs, deadlines, deadlinesAgain, housekeeping, actions, publications };
}

/** Moves the watermark, unless another invocation has moved it (compare-and-set). */
async function moveWatermark({ ports, keys }: Env, { shard, watermark, horizon }: ShardRange) {
  const layout = layoutOf(ports.settings);
  const put: WatermarkItem = { ...keys.watermark(shard), v: ports.ids.token(), at: horizon, layout };
  await ports.table.transact([{ put, if: watermark ? { version: watermark.v } : 'absent' }]);
}
