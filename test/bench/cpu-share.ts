import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const ROOT = '/sys/fs/cgroup';
/** Period of CPU shares (µs), as in Lambda. */
const PERIOD_US = 20_000;

/**
 * Limits a process of this machine to a share of a vCPU, by its own control group (Linux, as root).
 * @param share 0.29 is the share of a Lambda function with 512 MB
 * @returns a function that removes the control group, to be called when the process has ended
 * @throws Error with a message if this machine does not support that
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
    // The group becomes empty shortly after its process has ended.
    for (let tries = 0; tries < 50; tries++) {
      try {
        return rmdirSync(dir);
      } catch {
        await pause(20);
      }
    }
  };
}
