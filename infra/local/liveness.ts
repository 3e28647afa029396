import { closeSync, openSync, statSync, utimesSync } from 'node:fs';
import type { Log } from '#lib/platform/ports.ts';

/** Time range in which this service did not run, epoch ms. */
export type Outage = { from: number; to: number };

const EVERY_MS = 2000;
/** Minimum pause (ms) of the process that counts as an outage, such as the sleep of a laptop or a suspended machine. */
const PAUSED_MS = 15_000;

/** Maximum age of the last tick of a running service. */
const TICKS_APART_MS = 2 * 60_000;

/** Returns the outage before this start. @param tick last tick (epoch ms), used if the file is missing or copied */
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
  /** Resolves once the outage of a pause is recorded, and rejects if that fails; undefined without a pause. */
  afterPause(): Promise<void> | undefined;
  stop(): void;
};

/** Updates the file time every 2 s, without a disk write. @param noteOutage records a pause before the update */
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
