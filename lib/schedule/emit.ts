import type { Keys } from '#lib/keys.ts';
import type { Job } from '#lib/messages.ts';
import type { Message, Ports } from '#lib/platform/ports.ts';
import type { EntryItem } from './entries.ts';
import { packJobs, scheduledRuns, type Timer } from './jobs.ts';
import { recordOutage } from './outages.ts';
import { slotsWorth } from './slots.ts';
import { LOOKAHEAD_MS, readWatermark, type WatermarkItem } from './watermark.ts';

/**
 * Emits what is due in one shard up to two minutes after the tick's scheduled time (epoch ms): sends first and then
 * moves the watermark, so that a crash between sends twice and never not at all. A tick that comes twice, late or out
 * of order finds the watermark ahead and does nothing; one that is missing is made up by the next.
 */
export async function emitShard(ports: Ports, keys: Keys, shard: number, scheduledTime: number): Promise<void> {
  const watermark = await readWatermark(ports, keys, shard);
  const now = ports.clock.now();
  const horizon = Math.max(scheduledTime, watermark ? 0 : now) + LOOKAHEAD_MS;
  if (watermark && watermark.at >= horizon) return;
  if (watermark && watermark.at < now) await recordOutage(ports, keys, { from: watermark.at, to: now }, [shard]);

  const { jobs, timers, runs } = await due(ports, keys, shard, { from: watermark?.at ?? now, horizon, now });
  if (jobs.length > 0) await ports.queues.send('job', packJobs(jobs, ports.settings.JOB_GROUP_MS));
  if (timers.length > 0) await ports.queues.send('timer', timers);
  if (runs.length > 0) await ports.queues.send('action', runs);
  await moveWatermark(ports, keys, shard, watermark, horizon);
}

type Window = { from: number; horizon: number; now: number };

async function due(ports: Ports, keys: Keys, shard: number, { from, horizon, now }: Window) {
  const jobs: Job[] = [];
  const timers: Message[] = [];
  const runs: Message[] = [];
  let after: string | undefined;
  do {
    const page = await ports.table.query<EntryItem>({
      partition: keys.entries(shard),
      eventual: true,
      ...(after !== undefined && { after }),
    });
    for (const entry of page.items) {
      const { tenant_id, entity_id, id } = entry;
      if (entry.rhythm) {
        const slots = slotsWorth(entry.rhythm, Math.max(from, entry.from), horizon, now);
        if (entry.kind === 'action') runs.push(...scheduledRuns(entry, slots));
        else jobs.push(...slots.map((slot) => ({ tenant_id, entity_id, check_id: id, slot })));
      } else if (entry.deadline <= horizon) {
        const body = { kind: entry.kind as Timer['kind'], tenant_id, entity_id, check_id: id, at: entry.deadline };
        timers.push({ body: body satisfies Timer, not_before: entry.deadline });
      }
    }
    after = page.next;
  } while (after !== undefined);
  return { jobs, timers, runs };
}

/** Never backwards: when another run has moved it meanwhile, that run's mark stands. */
async function moveWatermark(ports: Ports, keys: Keys, shard: number, old: WatermarkItem | undefined, at: number) {
  const put: WatermarkItem = { ...keys.watermark(shard), v: ports.ids.token(), at };
  await ports.table.transact([{ put, if: old ? { version: old.v } : 'absent' }]);
}
