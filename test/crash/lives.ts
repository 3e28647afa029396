import { setTimeout as pause } from 'node:timers/promises';
import { type RealService, startRealService } from '#test/support/real-service.ts';

/** One life of the service's process. Times in epoch ms, by the clock of the test. */
export type Life = {
  spawned_at: number;
  /** Time of its ready message; undefined if it was killed before. */
  ready_at?: number;
  /** Time of the signal. */
  killed_at?: number;
  /** Time at which the process was gone. */
  gone_at?: number;
};

/** The service under test, across all of its lives on the same data. */
export type Lives = AsyncDisposable & {
  service: RealService;
  all: Life[];
  kill(): Promise<void>;
  start(): Promise<void>;
};

/** Each start compiles again, unlike a second `npm start`, so that a kill can also hit the compilation. */
export const NO_COMPILE_CACHE = { NODE_DISABLE_COMPILE_CACHE: '1' };

/** Starts the service on an empty folder. */
export async function beginLives(env: Record<string, string>): Promise<Lives> {
  const first: Life = { spawned_at: Date.now() };
  const service = await startRealService({ ...env, ...NO_COMPILE_CACHE });
  first.ready_at = Date.now();
  const all = [first];
  return {
    service,
    all,
    kill: async () => {
      const life = all.at(-1)!;
      life.killed_at = Date.now();
      await service.kill();
      life.gone_at = Date.now();
    },
    start: async () => {
      const life: Life = { spawned_at: Date.now() };
      all.push(life);
      await service.start();
      life.ready_at = Date.now();
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/**
 * Starts the service and kills it after `afterMs`, most likely before it is ready.
 * @returns whether it was killed before it was ready
 */
export async function killStarting(lives: Lives, afterMs: number): Promise<boolean> {
  const starting = lives.start().then(
    () => false,
    (error: Error) => {
      // A start that fails by itself is not excused by a kill.
      if (lives.all.at(-1)!.killed_at === undefined) throw error;
      return true;
    },
  );
  await Promise.race([pause(afterMs), starting]);
  await lives.kill();
  return starting;
}
