import { spawn } from 'node:child_process';

export type Ran = { code: number; out: string; seconds: number };

/** Runs a program. After `limitSeconds`, kills it and its children, and returns the code 124. */
export function run(
  command: string,
  args: string[],
  { limitSeconds, env = process.env, show = false }: { limitSeconds: number; env?: NodeJS.ProcessEnv; show?: boolean },
): Promise<Ran> {
  const started = performance.now();
  // Its own process group, to kill it with its children.
  const child = spawn(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const kill = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // The process has already exited.
    }
  };
  process.once('exit', kill);
  let out = '';
  let late = false;
  const take = (chunk: Buffer) => {
    out += chunk;
    if (show) process.stdout.write(chunk);
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  const timer = setTimeout(() => {
    late = true;
    kill();
  }, limitSeconds * 1000);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      process.off('exit', kill);
      resolve({ code: late ? 124 : (code ?? 1), out, seconds: (performance.now() - started) / 1000 });
    });
  });
}
