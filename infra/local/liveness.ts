import { closeSync, openSync, statSync, utimesSync } from 'node:fs';
import type { Log } from '#lib/platform/ports.ts';

/** Time range in which this service did not run, epoch ms. */
export type Outage = { from: number; to: number };

const EVERY_MS = 2000;
/** A process that was paused for this long (sleeping laptop, suspended machine) has missed time as well. */
const PAUSED_MS = 15_000;

/** Maximum age of the last tick of a running service. */
const TICKS_APART_MS = 2 * 60_000;

/**
 * Returns the outage between the last liveness time in `file` and now; undefined on a first start. Creates the file if
 * it is missing. The time is updated only after the outage is recorded, so that a later start finds an unrecorded one.
 * @param tick last tick of the store (epoch ms); the file of a copied or restored store is missing or has the time of
 *   the copy
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

export type Liveness = {
  /**
   * Called before work starts. After a pause of this process, resolves once the outage is recorded and rejects if that
   * fails; otherwise undefined.
   */
  afterPause(): Promise<void> | undefined;
  /** Stops after a last update. */
  stop(): void;
};

/**
 * Updates the modification time of the file at once and every 2 s, without a write of its own to the disk.
 * @param noteOutage records an outage of this process; the time is not updated before it has
 */
export function writeLiveness(file: string, log: Log, noteOutage: (outage: Outage) => Promise<void>): Liveness {
  let last = Date.now();
  let noting: Promise<void> | undefined;
  const touch = () => {
    try {
      utimesSync(file, Date.now() / 1000, Date.now() / 1000);
    } catch (error) {
      log.error('liveness not written', { file, error });
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
  const update = async () => {
    const pause = afterPause();
    if (pause) await pause;
    else last = Date.now();
    touch();
  };
  touch();
  const timer = setInterval(() => {
    update().catch((error) => log.error('outage not recorded', { from: last, error }));
  }, EVERY_MS);
  return {
    afterPause,
    stop: () => {
      clearInterval(timer);
      if (!noting) touch();
    },
  };
}
