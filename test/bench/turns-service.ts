import { WALK_SETTINGS } from '#infra/docs/example-requests.ts';
import { fakeNet } from '#infra/docs/record.ts';
import { startHost } from '#infra/local/host.ts';
import { readHostSettings } from '#infra/local/settings.ts';
import { makeLog } from '#lib/platform/log.ts';

/**
 * The service in its own process, which reports the longest turn of its event loop to its parent: by the clock, and by
 * the CPU of this thread, which other load of the machine does not affect. Its targets respond immediately. Argument:
 * DATA_DIR.
 */
export type Turn = { wall_ms: number; cpu_ms: number };
/** Base URL, and the key of its first account. */
export type Begun = { url: string; key: string };

const cpuNow = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};
const none = (): Turn => ({ wall_ms: 0, cpu_ms: 0 });
let longest = none();
let last = { wall: performance.now(), cpu: cpuNow() };

// A timer runs once per turn, so the time between two runs is a delay that a probe's timeout could have.
setInterval(() => {
  const now = { wall: performance.now(), cpu: cpuNow() };
  longest = {
    wall_ms: Math.max(longest.wall_ms, now.wall - last.wall),
    cpu_ms: Math.max(longest.cpu_ms, now.cpu - last.cpu),
  };
  last = now;
}, 1);

const { settings } = readHostSettings({ ...WALK_SETTINGS, EGRESS_ALLOW: '127.77.0.0/16', REFERENCE_HOST: '.' });
const host = await startHost({
  settings,
  log: makeLog('error'),
  dir: process.argv[2],
  host: '127.0.0.1',
  port: 0,
  world: { net: fakeNet },
});

process.on('message', () => {
  process.send!(longest);
  longest = none();
});
process.on('disconnect', () => process.exit(0));
if (!host.adminKey) throw new Error('The folder has an account already.');
const begun: Begun = { url: host.url, key: host.adminKey.raw };
process.send!(begun);
