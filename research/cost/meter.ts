import { noUnits, type Unit, type Units } from './prices.ts';

/** Counts units, SDK commands and CPU time by path (row of the cost table), and bytes of log. */
export type Meter = {
  add(path: string, unit: Unit, count: number): void;
  /** Counts one SDK command of a path. */
  countCommand(path: string, command: string): void;
  log(bytes: number): void;
  /** Adds CPU time (ms of a vCPU) of an invocation. */
  cpu(path: string, ms: number): void;
  reading(): Reading;
  reset(): void;
};

export type Reading = {
  paths: ReadonlyMap<string, Units>;
  /** Counts by `<path> <command>`. */
  commands: ReadonlyMap<string, number>;
  log_bytes: number;
  /** CPU time in ms by path. */
  cpu_ms: ReadonlyMap<string, number>;
};

export function makeMeter(): Meter {
  let paths = new Map<string, Units>();
  let commands = new Map<string, number>();
  let cpu = new Map<string, number>();
  let logBytes = 0;
  return {
    add: (path, unit, count) => {
      const units = paths.get(path) ?? noUnits();
      paths.set(path, units);
      units[unit] += count;
    },
    countCommand: (path, command) => {
      const name = `${path} ${command}`;
      commands.set(name, (commands.get(name) ?? 0) + 1);
    },
    log: (bytes) => {
      logBytes += bytes;
    },
    cpu: (path, ms) => void cpu.set(path, (cpu.get(path) ?? 0) + ms),
    reading: () => ({ paths, commands, log_bytes: logBytes, cpu_ms: cpu }),
    reset: () => {
      paths = new Map();
      commands = new Map();
      cpu = new Map();
      logBytes = 0;
    },
  };
}
