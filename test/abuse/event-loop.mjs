// Loaded into the attacked process: writes the longest stall of its event loop (ms) to a file, each half second.
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const RESOLUTION_MS = 5;
const file = process.env.EVENT_LOOP_FILE;
if (file && isMainThread) {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  // The start of the service does not count.
  setTimeout(() => delay.enable(), 3_000).unref();
  setInterval(() => writeFileSync(file, String(Math.max(0, delay.max / 1e6 - RESOLUTION_MS))), 500).unref();
}
