// Loaded into the attacked process: writes the longest stalls of its event loop (ms) to a file, each half second: by the
// clock, and in CPU time of its thread, which the load of other programs hardly lengthens. Begins on SIGUSR2.
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const RESOLUTION_MS = 5;
const file = process.env.EVENT_LOOP_FILE;

function watchStalls() {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let [stall_cpu_ms, before] = [0, process.threadCpuUsage()];
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    stall_cpu_ms = Math.max(stall_cpu_ms, (user + system) / 1000 - RESOLUTION_MS);
  }, RESOLUTION_MS).unref();
  setInterval(() => {
    const stall_ms = Math.max(0, delay.max / 1e6 - RESOLUTION_MS);
    writeFileSync(`${file}.new`, JSON.stringify({ stall_ms, stall_cpu_ms }));
    renameSync(`${file}.new`, file);
  }, 500).unref();
}

if (file && isMainThread) process.once('SIGUSR2', watchStalls);
