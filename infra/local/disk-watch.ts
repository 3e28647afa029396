import { statfs } from 'node:fs/promises';
import type { Env } from '#lib/env.ts';
import { type DiskItem, MIN_FREE_PERCENT } from '#lib/history/status/service-health.ts';

const EVERY_MS = 30_000;
const LOG_PERIOD_MS = 3_600_000;

/** Size of a file system and the part that is free for this user, in blocks of `bsize` bytes. */
type Space = { bavail: number; blocks: number; bsize: number };

/** Measures the free space of the disk of `dir` every 30 s. Logs an error once an hour while less than 10 % is free. */
export async function watchDisk(
  { ports, keys }: Env<'table' | 'clock' | 'log'>,
  dir: string,
  measure: (dir: string) => Promise<Space> = statfs,
): Promise<{ stop: () => void; update: () => Promise<void> }> {
  let logged: number | undefined;
  let stored: number | undefined;
  const update = async () => {
    try {
      const { bavail, blocks, bsize } = await measure(dir);
      const free_percent = Math.floor((bavail * 1000) / blocks) / 10;
      const now = ports.clock.now();
      const isLow = free_percent < MIN_FREE_PERCENT;
      if (isLow && (logged === undefined || now - logged >= LOG_PERIOD_MS)) {
        logged = now;
        ports.log.error('disk space low, writes fail when it is full', {
          dir,
          free_percent,
          free_mb: Math.floor((bavail * bsize) / 1_000_000),
        });
      }
      if (!isLow) logged = undefined;
      if (free_percent === stored) return;
      const item: DiskItem = { ...keys.disk, free_percent };
      await ports.table.putMany([item]);
      stored = free_percent;
    } catch (error) {
      ports.log.error('disk space not measured, will be retried', { dir, error });
    }
  };
  await update();
  const timer = setInterval(() => void update(), EVERY_MS);
  return { update, stop: () => clearInterval(timer) };
}
