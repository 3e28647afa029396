import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const ROOT = '/sys/fs/cgroup';
/** A share is given out in periods of so many µs, as Lambda does. */
const PERIOD_US = 20_000;

/**
 * Holds a process of this machine to a share of a vCPU, by a control group of its own (Linux, as root).
 * @param share 0.29 is what Lambda gives a function of 512 MB
 * @returns takes the control group away again, once the process has ended
 * @throws a sentence when this machine cannot do that
 */
export function holdToShare(pid: number, share: number): () => Promise<void> {
  const isV2 = existsSync(join(ROOT, 'cgroup.controllers'));
  const dir = join(ROOT, isV2 ? '' : 'cpu', `fleetwatch-bench-${pid}`);
  const quota = Math.round(PERIOD_US * share);
  try {
    mkdirSync(dir);
    if (isV2) writeFileSync(join(dir, 'cpu.max'), `${quota} ${PERIOD_US}`);
    else {
      writeFileSync(join(dir, 'cpu.cfs_period_us'), `${PERIOD_US}`);
      writeFileSync(join(dir, 'cpu.cfs_quota_us'), `${quota}`);
    }
    writeFileSync(join(dir, 'cgroup.procs'), `${pid}`);
  } catch (cause) {
    throw new Error('A share of a CPU needs Linux, root and a writable /sys/fs/cgroup.', { cause });
  }
  return async () => {
    // The group is empty a moment after its process has ended.
    for (let tries = 0; tries < 50; tries++) {
      try {
        return rmdirSync(dir);
      } catch {
        await pause(20);
      }
    }
  };
}
