import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { clientOf } from '#test/support/client.ts';
import { startMain } from '#test/support/main-process.ts';
import { makeRandom, type Random } from '#test/support/random.ts';
import { NO_COMPILE_CACHE } from './lives.ts';

const FOLDERS = 5;
/** Number of killed starts per folder, before one that is not interrupted. */
const KILLS = 3;

/**
 * Tests the first start on an empty folder, with kills at random moments and repeated starts: in the end, one account
 * exists and the printed key is valid.
 * @returns the violations, one sentence each
 */
export async function firstStarts(seed: number): Promise<string[]> {
  const random = makeRandom(seed);
  const wrong: string[] = [];
  for (let i = 0; i < FOLDERS; i++) wrong.push(...(await firstStart(random)));
  return wrong;
}

async function firstStart(random: Random): Promise<string[]> {
  const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-first-'));
  const env = { DATA_DIR: dir, LOG_LEVEL: 'warn', ...NO_COMPILE_CACHE };
  const killed: number[] = [];
  const keys = new Set<string>();
  try {
    for (let i = 0; i < KILLS; i++) {
      const { child, ready, exited } = startMain(env);
      const after = random.int(100, 700);
      ready.then(({ key }) => keys.add(key)).catch(() => {});
      await pause(after);
      child.kill('SIGKILL');
      const { signal } = await exited;
      if (signal !== 'SIGKILL') return [`a first start killed after ${[...killed, after]} ms ended by itself`];
      killed.push(after);
    }
    const { child, ready, exited } = startMain(env);
    const response = await ready.then(({ url, key }) => {
      keys.add(key);
      return clientOf(url, key).get('/v1/me');
    });
    child.kill('SIGKILL');
    await exited;
    const isOne = response.status === 200 && keys.size === 1;
    return isOne
      ? []
      : [`first starts killed after ${killed} ms left ${keys.size} keys, and /v1/me ${response.status}`];
  } catch (error) {
    return [`first starts killed after ${killed} ms: ${(error as Error).message}`];
  } finally {
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}
