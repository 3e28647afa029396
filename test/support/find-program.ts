import { execFileSync } from 'node:child_process';

/** Where a program is that some tests need; undefined when this machine has none. */
export function findProgram(name: string): string | undefined {
  try {
    return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
