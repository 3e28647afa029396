import { WALKED } from '#infra/docs/example-requests.ts';
import { answeringNet } from '#infra/docs/record.ts';
import { startHost } from '#infra/local/host.ts';
import { readHostSettings } from '#infra/local/settings.ts';
import { makeLog } from '#lib/platform/log.ts';

/**
 * The service in a process of its own, with a parent that asks how long the longest turn of its event loop was: by the
 * clock, and by the CPU of this one thread, which knows nothing of what else the machine does. Its targets answer at
 * once. Argument: DATA_DIR.
 */
export type Turn = { wall_ms: number; cpu_ms: number };
/** Where it listens, and the key of its first account. */
export type Begun = { url: string; key: string };

const cpuNow = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
const none = (): Turn => ({ wall_ms: 0, cpu_ms: 0 });
let longest = none();
let last = { wall: performance.now(), cpu: cpuNow() };

// Timers run once a turn: between two of them lies what a probe's own time-out would have had to wait for.
setInterval(() => {
  const now = { wall: performance.now(), cpu: cpuNow() };
  longest = {
    wall_ms: Math.max(longest.wall_ms, now.wall - last.wall),
    cpu_ms: Math.max(longest.cpu_ms, now.cpu - last.cpu),
  };
  last = now;
}, 1);

const { settings } = readHostSettings({ ...WALKED, EGRESS_ALLOW: '127.77.0.0/16', REFERENCE_HOST: '.' });
const host = await startHost({
  settings,
  log: makeLog('error'),
  dir: process.argv[2],
  host: '127.0.0.1',
  port: 0,
  world: { net: answeringNet },
});

process.on('message', () => {
  process.send!(longest);
  longest = none();
});
process.on('disconnect', () => process.exit(0));
if (!host.adminKey) throw new Error('The folder has an account already.');
const begun: Begun = { url: host.url, key: host.adminKey.raw };
process.send!(begun);
