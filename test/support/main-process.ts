import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KEY_FILE } from '#infra/local/first-account.ts';
import { bareEnv } from './command.ts';

export type MainProcess = {
  child: ChildProcess;
  /** Output so far. */
  out: () => string;
  err: () => string;
  exited: Promise<{ code: number | null; signal: string | null }>;
  /** The base URL, from the output, and the stored admin key. Rejects if the process ends first. */
  ready: Promise<{ url: string; key: string }>;
};

const HERE = join(import.meta.dirname, '../..');

/** Runs `npm start` without npm, by default on a free port. @param code the checkout whose code runs */
export function startMain(env: Record<string, string>, flags: string[] = [], code = HERE): MainProcess {
  const child = spawn(process.execPath, [join(code, 'infra/local/start.cjs'), ...flags], {
    env: bareEnv({ PORT: '0', EGRESS_ALLOW: '127.77.0.0/16', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const exited = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  const ready = new Promise<{ url: string; key: string }>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      out += chunk;
      const url = /runs at (\S+\w)/.exec(out)?.[1];
      if (!url || !out.includes('curl')) return;
      const file = join(env.DATA_DIR ?? '.data', KEY_FILE);
      resolve({ url, key: existsSync(file) ? readFileSync(file, 'utf8').trim() : '' });
    });
    exited.then(() => reject(new Error(`The service ended: ${err}`)));
  });
  ready.catch(() => {});
  return { child, out: () => out, err: () => err, exited, ready };
}
