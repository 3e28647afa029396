import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MainProcess, startMain } from '#test/support/main-process.ts';

export type Json = Record<string, unknown> & { id: string };

const dirs: string[] = [];
const processes: MainProcess[] = [];

export function newDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-host-'));
  dirs.push(dir);
  return dir;
}

/** Starts a service in its own process. */
export function start(env: Record<string, string>, flags?: string[]): MainProcess {
  const started = startMain(env, flags);
  processes.push(started);
  return started;
}

/** Kills running services and deletes their folders. */
export async function cleanUp(): Promise<void> {
  for (const { child, exited } of processes.splice(0)) {
    child.kill('SIGKILL');
    await exited;
  }
  for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
}

/** Calls the API with a key; throws unless the status is 2xx. */
export const client =
  ({ url, key }: { url: string; key: string }) =>
  async <T = Json>(method: string, path: string, body?: unknown): Promise<T> => {
    const reply = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${key}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
    return (reply.status === 204 ? undefined : await reply.json()) as T;
  };
