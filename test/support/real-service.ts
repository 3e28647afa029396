import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, clientOf } from './client.ts';
import { watchLogged } from './kept-secrets.ts';
import { lastingPort } from './lasting-port.ts';
import { type MainProcess, startMain } from './main-process.ts';
import { UNREACHED_LIMITS } from './service.ts';

/** `npm start` in its own process, with the same DATA_DIR and port across restarts. */
export type RealService = AsyncDisposable & {
  dir: string;
  url: string;
  /** Client of the admin of its first account. */
  client: Client;
  pid(): number;
  isAlive(): boolean;
  /** Output of the current process on stdout and stderr. */
  out(): string;
  err(): string;
  /** Sends SIGKILL to node; resolves when it has ended. */
  kill(): Promise<void>;
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** Starts it again with the same data. @param env replaces the first environment */
  start(env?: Record<string, string>): Promise<void>;
};

/**
 * Starts the service on an empty folder. Disposing of it kills the process and removes the folder.
 * @param code the checkout whose code runs; default: this one
 */
export async function startRealService(env: Record<string, string> = {}, code?: string): Promise<RealService> {
  const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-real-'));
  let main: MainProcess | undefined;
  const begin = async (port: string, more: Record<string, string>) => {
    main = startMain(
      { DATA_DIR: dir, LOG_LEVEL: 'warn', RATE_LIMITS: UNREACHED_LIMITS, ...more, PORT: port },
      [],
      code,
    );
    return main.ready;
  };
  // Ends the other process whenever this one ends.
  const tidyUp = () => {
    main?.child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  };
  process.once('exit', tidyUp);
  const end = async (signal: NodeJS.Signals) => {
    main!.child.kill(signal);
    const { code } = await main!.exited;
    watchLogged(main!.err());
    return code;
  };
  const dispose = async () => {
    await end('SIGKILL');
    process.off('exit', tidyUp);
    tidyUp();
  };
  try {
    const { url, key } = await begin(String(await lastingPort()), env);
    return {
      dir,
      url,
      client: clientOf(url, key),
      pid: () => main!.child.pid!,
      isAlive: () => main!.child.exitCode === null && main!.child.signalCode === null,
      out: () => main!.out(),
      err: () => main!.err(),
      kill: async () => void (await end('SIGKILL')),
      stop: () => end('SIGTERM'),
      start: async (more = env) => void (await begin(new URL(url).port, more)),
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}
