import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export type MainProcess = {
  child: ChildProcess;
  /** Everything it wrote so far. */
  out: () => string;
  err: () => string;
  exited: Promise<{ code: number | null; signal: string | null }>;
  /** Base URL and admin key, as it printed them. Rejects when it ends instead. */
  ready: Promise<{ url: string; key: string }>;
};

const HERE = join(import.meta.dirname, '../..');

/** `npm start` without npm, on a free port unless told otherwise. @param code the checkout whose code runs */
export function startMain(env: Record<string, string>, code = HERE): MainProcess {
  const main = join(code, 'infra/local/main.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main], {
    env: { PATH: process.env.PATH, PORT: '0', EGRESS_ALLOW: '127.77.0.0/16', ...env },
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
      const url = /runs at (\S+)/.exec(out)?.[1];
      const key = /Admin key: (\S+)/.exec(out)?.[1];
      if (url && key && out.includes('curl')) resolve({ url, key });
    });
    exited.then(() => reject(new Error(`The service ended: ${err}`)));
  });
  ready.catch(() => {});
  return { child, out: () => out, err: () => err, exited, ready };
}
