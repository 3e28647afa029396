import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { STORE_FILE } from '#infra/local/store/store.ts';
import { type Check, type LocalTarget, makeChecks, startTarget } from '#test/long/fleet.ts';
import { type RealService, startRealService } from '#test/support/real-service.ts';
import { IS_PACK, IS_RESULT } from '#test/support/stored-results.ts';

/**
 * Returns the number of recorded results, single and in packs, and the bytes of the pages with rows and their index
 * by expiry. Messages and the write log are not counted: they disappear within seconds.
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
/** Time after which the burst that follows an outage is over. */
const CALM_MS = 15_000;

/**
 * Removes the jobs that the creation of each check sent for its first minutes. They are long overdue and would be
 * dropped one by one.
 */
function dropJobs(dir: string): void {
  const db = new DatabaseSync(join(dir, STORE_FILE));
  db.exec("DELETE FROM messages WHERE queue = 'job'");
  db.close();
}

type Fleet = AsyncDisposable & { service: RealService; target: LocalTarget; checks: Check[] };

/**
 * Starts a service with this many checks in steady state: they are created while its clock is ten minutes behind, so
 * that during the measurement the jobs come from the generator and not from the creations.
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
