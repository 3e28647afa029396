import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second in /proc on every Linux on which node runs. */
const TICKS = 100;

/** Returns CPU seconds (user and system, including reaped children) and resident bytes of a process tree. */
export function usageOf(pid: number): { cpu_s: number; rss_bytes: number } {
  const tree = treeOf(pid);
  const ticks = tree.flatMap(({ stat }) => [11, 12, 13, 14].map((field) => Number(stat[field])));
  return {
    cpu_s: ticks.reduce((sum, each) => sum + each, 0) / TICKS,
    rss_bytes: tree.reduce((sum, { rss }) => sum + rss, 0),
  };
}

function treeOf(pid: number) {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => read(Number(name)));
  const tree = all.filter((one) => one.pid === pid);
  for (const one of tree) tree.push(...all.filter((other) => other.parent === one.pid));
  return tree;
}

/** Returns a list with the process; an empty one if the process has ended. */
function read(pid: number) {
  try {
    // The name in parentheses can contain spaces; the rest does not.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const rss = 1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
    return [{ pid, parent: Number(stat[1]), stat, rss }];
  } catch {
    return [];
  }
}

/** Samples a process tree every second until `end`. */
export function watch(pid: number): { end(): { cpu_s: number; peak_bytes: number } } {
  const before = usageOf(pid).cpu_s;
  let peak_bytes = 0;
  const sample = () => {
    peak_bytes = Math.max(peak_bytes, usageOf(pid).rss_bytes);
  };
  const timer = setInterval(sample, 1000);
  return {
    end: () => {
      clearInterval(timer);
      sample();
      return { cpu_s: usageOf(pid).cpu_s - before, peak_bytes };
    },
  };
}
