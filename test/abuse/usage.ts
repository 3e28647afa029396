import { readFileSync } from 'node:fs';

/** Clock ticks a second in /proc on every Linux that node runs on. */
const TICKS = 100;
const LOOK_MS = 250;

/** `cpu`: how many cores it took, on average. `peak_bytes`: the most memory that it ever had. */
export type Usage = { cpu: number; peak_bytes: number };

type Seen = { cpu_s: number; peak_bytes: number };

/** Looks at a process four times a second until told to end, or until it is gone: then what was seen last holds. */
export function watchProcess(pid: number): { end(): Usage } {
  const first = usageOf(pid)!;
  const began = Date.now();
  let last = first;
  const look = () => {
    last = usageOf(pid) ?? last;
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    end: () => {
      clearInterval(timer);
      look();
      return { cpu: (1000 * (last.cpu_s - first.cpu_s)) / (Date.now() - began), peak_bytes: last.peak_bytes };
    },
  };
}

/** CPU seconds (user and system) so far and the most memory so far; undefined when it is gone. */
function usageOf(pid: number): Seen | undefined {
  try {
    // The name in parentheses may hold blanks; what follows it does not.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    // A process that has ended and waits for its parent has no memory any more.
    if (peak === undefined) return undefined;
    return { cpu_s: (Number(stat[11]) + Number(stat[12])) / TICKS, peak_bytes: 1024 * Number(peak) };
  } catch {
    return undefined;
  }
}
