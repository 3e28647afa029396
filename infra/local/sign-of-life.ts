import { closeSync, openSync, statSync, utimesSync } from 'node:fs';
import type { Log } from '#lib/platform/ports.ts';

/** Time in which this service did not run, epoch ms. */
export type Outage = { from: number; to: number };

const EVERY_MS = 2000;
/** A process that was not run for so long (a laptop asleep, a machine paused) has missed time as well. */
const PAUSED_MS = 15_000;

/**
 * The outage between the last sign of life in `file` and now; undefined on a first start, which makes the file. The next
 * sign is given once the outage is noted: a start that dies before leaves it to the next one.
 */
export function outageBefore(file: string, now: number): Outage | undefined {
  const last = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  if (last !== undefined) return last < now ? { from: Math.floor(last), to: now } : undefined;
  closeSync(openSync(file, 'a', 0o600));
  utimesSync(file, now / 1000, now / 1000);
  return undefined;
}

/**
 * Notes at once and every 2 s that the process lives, on the file's time alone: no write of its own to the disk.
 * @param onPause gets the time in which this process existed, but did not run
 * @returns stops it, after a last note
 */
export function keepSignOfLife(file: string, log: Log, onPause: (outage: Outage) => void): () => void {
  let last = Date.now();
  const note = () => {
    try {
      utimesSync(file, Date.now() / 1000, Date.now() / 1000);
    } catch (error) {
      log.error('the sign of life could not be noted', { file, error });
    }
  };
  note();
  const timer = setInterval(() => {
    const now = Date.now();
    if (now - last > PAUSED_MS) onPause({ from: last, to: now });
    last = now;
    note();
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    note();
  };
}
