import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { STORE_FILE } from '#infra/local/store/store.ts';
import { after, cellOf, keyTable, numberOf, RESULTS } from '#lib/keys.ts';
import { entryOf, type PackItem } from '#lib/results/pack.ts';
import { type IntervalSchedule, intervalScheduleOf, isSlot } from '#lib/schedule/slots.ts';
import { got, newEntity } from '#test/support/fleet.ts';
import type { RealService } from '#test/support/real-service.ts';
import type { Arrivals } from './target.ts';

/** One of many checks; the target identifies it by its number. */
export type Check = { id: string; number: number; schedule: IntervalSchedule };

export type LocalTarget = Disposable & { url: string; arrivals(): Promise<Arrivals> };

export async function startTarget(): Promise<LocalTarget> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'target.ts'), { serialization: 'advanced' });
  const [{ port }] = await once(child, 'message');
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals: async () => {
      child.send('arrivals');
      return (await once(child, 'message'))[0] as Arrivals;
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}

/** Runs `work` over a list with limited concurrency. @returns the results in the order of the list */
export async function inParallel<T, R>(list: readonly T[], limit: number, work: (one: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  const left = list.entries();
  const worker = async () => {
    for (const [i, one] of left) done[i] = await work(one);
  };
  await Promise.all(Array.from({ length: limit }, worker));
  return done;
}

const CHECKS_PER_ENTITY = 90;

/** Sets account limits; the names in `limits` are option names of `account set-limits`. */
export async function setLimits(
  { client, dir }: Pick<RealService, 'client' | 'dir'>,
  limits: Record<string, number>,
): Promise<void> {
  const { id } = got(await client.get('/v1/me'), 200);
  const cli = join(import.meta.dirname, '../../infra/admin/main.ts');
  const options = Object.entries(limits).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const words = ['--disable-warning=ExperimentalWarning', cli, 'account', 'set-limits', id, ...options];
  await promisify(execFile)(process.execPath, words, { env: { ...process.env, DATA_DIR: dir } });
}

/** Raises the account limits with the operator CLI, then creates http checks, ninety per entity. */
export async function makeChecks(
  { client, dir }: RealService,
  count: number,
  interval_seconds: number,
  targetUrl: string,
): Promise<{ tenant: string; checks: Check[] }> {
  const { id: tenant } = got(await client.get('/v1/me'), 200);
  const entities = Math.ceil(count / CHECKS_PER_ENTITY);
  await setLimits(
    { client, dir },
    {
      checks: CHECKS_PER_ENTITY,
      // One more of each for records of the caller.
      entities: entities + 1,
      'all-checks': count + 1,
      'checks-per-minute': Math.ceil((count * 60) / interval_seconds),
    },
  );

  const owners = await inParallel(Array.from({ length: entities }), 8, () => newEntity(client));
  const numbers = Array.from({ length: count }, (_, number) => number);
  const checks = await inParallel(numbers, 32, async (number) => {
    const settings = { check_type: 'http', target_url: `${targetUrl}/${number}`, interval_seconds };
    const entity_id = owners[number % entities]!.id;
    const { id } = got(await client.post('/v1/checks', { ...settings, entity_id }), 201);
    return { id, number, schedule: intervalScheduleOf(cellOf(id), interval_seconds) };
  });
  return { tenant, checks };
}

type Pack = { slot: number; pack: PackItem };

/** Returns for each check the slots with a result, single or in a pack (epoch ms, ascending). */
export function slotsRecorded(dir: string, tenant: string, checks: Check[]): number[][] {
  const db = new DatabaseSync(join(dir, STORE_FILE), { readOnly: true });
  try {
    const keys = keyTable({ BUCKETS: 1, SHARDS: 1 });
    const singles = db.prepare('SELECT sk FROM items WHERE pk = ? AND sk >= ? AND sk < ? ORDER BY sk');
    const packs = db.prepare('SELECT sk, body FROM items WHERE pk = ?');
    const ofCell = (cell: string, interval_seconds: number): Pack[] =>
      packs.all(keys.packs(tenant, cell, interval_seconds)).map(({ sk, body }) => ({
        slot: Number(String(sk).slice(0, 13)),
        pack: JSON.parse(String(body)) as PackItem,
      }));
    const cells = new Map<string, Pack[]>();
    return checks.map(({ id, schedule }) => {
      const cell = cellOf(id);
      const written = cells.get(cell) ?? ofCell(cell, schedule.interval_ms / 1000);
      cells.set(cell, written);
      const packed = written.filter(({ pack }) => {
        const entry = entryOf(pack, numberOf(id));
        return entry !== undefined && entry.gap === undefined;
      });
      const single = singles
        .all(keys.ofCheck(tenant, id), RESULTS, after(RESULTS))
        .map(({ sk }) => Number(String(sk).slice(RESULTS.length, RESULTS.length + 13)))
        // The probe at the creation of a check is not at a slot.
        .filter((at) => isSlot(schedule, at));
      return [...new Set([...packed.map(({ slot }) => slot), ...single])].sort((a, b) => a - b);
    });
  } finally {
    db.close();
  }
}

/** Returns the number of jobs that are more than a second overdue, and of dead letters. */
export function backlogOf(dir: string, now: number): { overdue: number; dead: number } {
  const db = new DatabaseSync(join(dir, STORE_FILE), { readOnly: true });
  try {
    const count = (sql: string, ...values: number[]) => Number(db.prepare(sql).get(...values)!.n);
    return {
      overdue: count(
        "SELECT count(*) AS n FROM messages WHERE queue = 'job' AND dead_at IS NULL AND in_flight = 0 AND visible_at < ?",
        now - 1000,
      ),
      dead: count('SELECT count(*) AS n FROM messages WHERE dead_at IS NOT NULL'),
    };
  } finally {
    db.close();
  }
}
