import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/**
 * Runs a script of this folder, takes each printed line as an acknowledgement, and kills the process with SIGKILL after
 * `count` lines.
 * @returns every printed line, including those in transit when it was killed
 */
export async function runUntilKilled(script: string, args: string[], count: number): Promise<string[]> {
  const path = new URL(script, import.meta.url).pathname;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (lines.length === count) child.kill('SIGKILL');
  }
  const [code, signal] = await exited;
  if (signal !== 'SIGKILL') throw new Error(`${script} exited on its own (${code}) after ${lines.length} lines.`);
  return lines;
}
