import { execFileSync } from 'node:child_process';

/** Returns the path of a program that some tests need; undefined if it is not installed. */
export function findProgram(name: string): string | undefined {
  try {
    return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}
