import { readFileSync } from 'node:fs';

/** Clock ticks per second in /proc on every Linux on which node runs. */
const TICKS = 100;
const SAMPLE_MS = 250;

/** `cpu`: cores used, on average. `peak_bytes`: maximum memory. */
export type Usage = { cpu: number; peak_bytes: number };

type Sample = { cpu_s: number; peak_bytes: number };

/** Samples a process four times a second until `end` is called. If the process ends before, the last sample applies. */
export function watchProcess(pid: number): { end(): Usage } {
  const first = usageOf(pid)!;
  const began = Date.now();
  let last = first;
  const sample = () => {
    last = usageOf(pid) ?? last;
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    end: () => {
      clearInterval(timer);
      sample();
      return { cpu: (1000 * (last.cpu_s - first.cpu_s)) / (Date.now() - began), peak_bytes: last.peak_bytes };
    },
  };
}

/** Returns CPU seconds (user and system) and maximum memory so far; undefined if the process has ended. */
function usageOf(pid: number): Sample | undefined {
  try {
    // The name in parentheses can contain spaces; the rest does not.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    // A process that has ended and was not reaped has no memory any more.
    if (peak === undefined) return undefined;
    return { cpu_s: (Number(stat[11]) + Number(stat[12])) / TICKS, peak_bytes: 1024 * Number(peak) };
  } catch {
    return undefined;
  }
}
