import { closeSync, openSync, statSync, utimesSync } from 'node:fs';
import type { Log } from '#lib/platform/ports.ts';

/** Time in which this service did not run, epoch ms. */
export type Outage = { from: number; to: number };

const EVERY_MS = 2000;
/** A process that was not run for so long (a laptop asleep, a machine paused) has missed time as well. */
const PAUSED_MS = 15_000;

/** While a service runs, its last tick is never older than this. */
const TICKS_APART_MS = 2 * 60_000;

/**
 * The outage between the last sign of life in `file` and now; undefined on a first start. Makes the file where it is
 * missing. The next sign is given once the outage is noted: a start that dies before leaves it to the next one.
 * @param tick when the service ticked last (epoch ms), as its store knows: the file of a store that was copied or
 *   restored is missing, or tells of the copying
 */
export function outageBefore(file: string, now: number, tick: number | undefined): Outage | undefined {
  const noted = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  const isOwn = noted !== undefined && (tick === undefined || (noted >= tick && noted <= tick + TICKS_APART_MS));
  const last = isOwn ? noted : tick;
  if (noted === undefined) {
    closeSync(openSync(file, 'a', 0o600));
    utimesSync(file, (last ?? now) / 1000, (last ?? now) / 1000);
  }
  return last !== undefined && last < now ? { from: Math.floor(last), to: now } : undefined;
}

export type SignOfLife = {
  /**
   * Asked before work is taken. When this process was paused until now, a promise that resolves once that is noted and
   * rejects when it cannot be; otherwise, as nearly always, undefined.
   */
  afterPause(): Promise<void> | undefined;
  /** After a last sign. */
  stop(): void;
};

/**
 * Notes at once and every 2 s that the process lives, on the file's time alone: no write of its own to the disk.
 * @param noteOutage gets the time in which this process existed, but did not run; until it is noted, no sign is given
 */
export function writeLiveness(file: string, log: Log, noteOutage: (outage: Outage) => Promise<void>): SignOfLife {
  let last = Date.now();
  let noting: Promise<void> | undefined;
  const give = () => {
    try {
      utimesSync(file, Date.now() / 1000, Date.now() / 1000);
    } catch (error) {
      log.error('the sign of life could not be noted', { file, error });
    }
  };
  const afterPause = () => {
    const outage = { from: last, to: Date.now() };
    if (!noting && outage.to - outage.from > PAUSED_MS) {
      noting = noteOutage(outage)
        .then(() => {
          last = outage.to;
        })
        .finally(() => {
          noting = undefined;
        });
    }
    return noting;
  };
  const look = async () => {
    const pause = afterPause();
    if (pause) await pause;
    else last = Date.now();
    give();
  };
  give();
  const timer = setInterval(() => {
    look().catch((error) => log.error('an outage could not be noted', { from: last, error }));
  }, EVERY_MS);
  return {
    afterPause,
    stop: () => {
      clearInterval(timer);
      if (!noting) give();
    },
  };
}
