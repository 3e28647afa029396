import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { STORE_FILE } from '#infra/local/store/store.ts';
import { type Check, type LocalTarget, makeChecks, startTarget } from '#test/long/fleet.ts';
import { type RealService, startRealService } from '#test/support/real-service.ts';
import { IS_PACK, IS_RESULT } from '#test/support/stored-results.ts';

/**
 * Runs that are recorded, as results of their own and as words of packs, and the bytes of the pages under rows and
 * their index by expiry. Messages and the log of writes are not counted: they go again within seconds.
 */
export function stored(dir: string): { runs: number; bytes: number } {
  const db = new DatabaseSync(join(dir, STORE_FILE), { readOnly: true });
  const numberOf = (sql: string) => Number(Object.values(db.prepare(sql).get()!)[0] ?? 0);
  try {
    const singles = numberOf(`SELECT count(*) FROM items WHERE ${IS_RESULT}`);
    const packed = numberOf(
      `SELECT sum(length(runs) - length(replace(runs, ' ', '')) + 1)
       FROM (SELECT json_extract(body, '$.runs') AS runs FROM items WHERE ${IS_PACK})`,
    );
    const bytes = numberOf("SELECT sum(pgsize) FROM dbstat WHERE name IN ('items', 'items_by_expiry')");
    return { runs: singles + packed, bytes };
  } finally {
    db.close();
  }
}

const EARLIER_MS = 10 * 60_000;
/** The burst after an outage is over by then. */
const CALM_MS = 15_000;

/**
 * Each creation sent the jobs of its first minutes; all of them are long past, and would be dropped as late one by one.
 */
function dropJobs(dir: string): void {
  const db = new DatabaseSync(join(dir, STORE_FILE));
  db.exec("DELETE FROM messages WHERE queue = 'job'");
  db.close();
}

type Fleet = AsyncDisposable & { service: RealService; target: LocalTarget; checks: Check[] };

/**
 * A service with so many checks, in the swing of it: they are made while its clock stands ten minutes behind, so that
 * at the measure the jobs come from the generator and no longer from the creations, one by one.
 */
export async function fleetOf(count: number, interval: number): Promise<Fleet> {
  const service = await startRealService({
    CLOCK_BEHIND_MS: String(EARLIER_MS),
    NODE_OPTIONS: `--import=${join(import.meta.dirname, '../long/earlier.ts')} --disable-warning=ExperimentalWarning`,
  });
  const target = await startTarget();
  const { checks } = await makeChecks(service, count, interval, target.url);
  await service.stop();
  dropJobs(service.dir);
  await service.start({});
  await pause(CALM_MS);
  return {
    service,
    target,
    checks,
    [Symbol.asyncDispose]: async () => {
      target[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}
