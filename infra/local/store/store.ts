import { DatabaseSync } from 'node:sqlite';
import { AppError } from '#lib/platform/errors.ts';
import { batchCommits } from './batch-commits.ts';
import { requireVersion, STORE_VERSION, StoreError } from './version.ts';

export const STORE_FILE = 'fleetwatch.db';

/** SQLite file that table, queues and change stream share, so that their writes commit together. */
export type Store = {
  db: DatabaseSync;
  /** Runs a synchronous `job` in the next commit, possibly twice. Default: durable. @throws UNAVAILABLE */
  write<T>(job: () => T, durability?: Durability): Promise<T>;
  /** Runs a read. Outside `job` of a write, it sees only committed data. */
  read<T>(job: () => T): T;
  /** Rewrites a file of at most 64 MB when the service stops: SQLite leaves copies of deleted rows otherwise. */
  rewrite(): void;
  close(): void;
};

/** `durable`: on the disk when the write resolves. `soon`: committed but not yet synced, so a power cut may lose it. */
export type Durability = 'durable' | 'soon';

export type StoreOptions = {
  file: string;
  /** Calls `flush` once, soon: all jobs that wait by then share a commit. Default: batchCommits. */
  schedule?: (flush: () => void, waiting: () => number) => void;
  /** Monotonic time (ms), for the length of a commit. Default: performance.now. */
  elapsed?: () => number;
};

type Waiting = {
  job: () => unknown;
  durability: Durability;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
};

/** Maximum size of a store that is checked at the start and rewritten at the stop; each takes less than a second. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Maximum number of writes per commit, and time (ms) after which it takes no more: a burst must not block others. */
const [MAX_GROUP, MAX_GROUP_MS] = [256, 8];

// WITHOUT ROWID: items are stored in key order, and a query reads neighbors.
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS items (
    pk TEXT NOT NULL, sk TEXT NOT NULL, v TEXT, expires_at INTEGER, body TEXT NOT NULL, PRIMARY KEY (pk, sk)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS items_by_expiry ON items (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, sk TEXT NOT NULL, at INTEGER NOT NULL, image TEXT NOT NULL
  );
  CREATE TABLE IF NOT EXISTS checkpoints (consumer TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, group_id TEXT NOT NULL, body TEXT NOT NULL,
    sent_at INTEGER NOT NULL,
    visible_at INTEGER NOT NULL, receives INTEGER NOT NULL DEFAULT 0, first_received_at INTEGER,
    in_flight INTEGER NOT NULL DEFAULT 0,
    dead_at INTEGER
  );
  CREATE INDEX IF NOT EXISTS messages_by_due ON messages (queue, visible_at) WHERE dead_at IS NULL;
  CREATE INDEX IF NOT EXISTS messages_by_group ON messages (queue, group_id, visible_at) WHERE dead_at IS NULL;
  CREATE INDEX IF NOT EXISTS messages_dead ON messages (dead_at) WHERE dead_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS layout (setting TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS ticks (schedule TEXT PRIMARY KEY, last TEXT NOT NULL) WITHOUT ROWID;
`;

/** Opens or creates the file. Admin commands may have it open too. Throws if it is damaged or has another version. */
export function openStore({ file, schedule = batchCommits, elapsed = () => performance.now() }: StoreOptions): Store {
  const db = openFile(file);
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const waiting: Waiting[] = [];
  const scheduleFlush = () => schedule(flush, () => waiting.length);
  let current: Durability = 'durable';

  /** In WAL mode, a commit with NORMAL is not synced; the next commit with FULL syncs it too. */
  function setDurability(durability: Durability): void {
    if (durability === current) return;
    db.exec(`PRAGMA synchronous = ${durability === 'durable' ? 'FULL' : 'NORMAL'}`);
    current = durability;
  }

  function flush(): void {
    const group = waiting.splice(0, MAX_GROUP);
    if (group.length === 0) return;
    // If one job fails, each is committed alone, so that it does not affect the others.
    if (!commitTogether(group)) for (const one of group) commitTogether([one]);
    if (waiting.length > 0) scheduleFlush();
  }

  /** @returns false if a job failed and the group was rolled back, to be retried one by one */
  function commitTogether(group: Waiting[]): boolean {
    const values: unknown[] = [];
    let running = false;
    try {
      setDurability(group.some((one) => one.durability === 'durable') ? 'durable' : 'soon');
      begin.run();
      running = true;
      const until = elapsed() + MAX_GROUP_MS;
      for (const one of group) {
        values.push(one.job());
        if (elapsed() > until) break;
      }
      running = false;
      commit.run();
      waiting.unshift(...group.splice(values.length));
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      if (running && group.length > 1) return false;
      for (const one of group) one.reject(storeError(error, file));
      return true;
    }
    for (const [i, one] of group.entries()) one.resolve(values[i] as never);
    return true;
  }

  return {
    db,
    write: (job, durability = 'durable') =>
      new Promise((resolve, reject) => {
        waiting.push({ job, durability, resolve, reject });
        if (waiting.length === 1) scheduleFlush();
      }),
    read: (job) => {
      try {
        return job();
      } catch (error) {
        throw storeError(error, file);
      }
    },
    rewrite: () => {
      while (waiting.length > 0) flush();
      if (sizeOf(db) <= MAX_BYTES) db.exec('VACUUM');
    },
    close: () => {
      while (waiting.length > 0) flush();
      db.close();
    },
  };
}

function openFile(file: string): DatabaseSync {
  try {
    const db = new DatabaseSync(file, { timeout: 2000 });
    db.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -4000; PRAGMA temp_store = MEMORY;',
    );
    // Deleted data is overwritten, because channels and actions contain secrets.
    db.exec('PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 67108864; PRAGMA secure_delete = ON;');
    if (requireVersion(db, file) === undefined)
      db.exec(`BEGIN IMMEDIATE; ${SCHEMA} PRAGMA user_version = ${STORE_VERSION}; COMMIT`);
    const isWhole = () => db.prepare('PRAGMA quick_check(1)').get()?.quick_check === 'ok';
    if (sizeOf(db) <= MAX_BYTES && !isWhole()) throw damaged(file);
    return db;
  } catch (error) {
    throw isDamage(error) ? damaged(file) : error;
  }
}

const sizeOf = (db: DatabaseSync): number =>
  Number(
    db.prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()').get()?.bytes,
  );

/** SQLITE_CORRUPT and SQLITE_NOTADB, the low byte of their extended codes. */
const DAMAGE = [11, 26];

/** Whether SQLite found the file damaged. */
export const isDamage = (error: unknown): boolean => {
  const { code, errcode = 0 } = error as { code?: string; errcode?: number };
  return code === 'ERR_SQLITE_ERROR' && DAMAGE.includes(errcode & 0xff);
};

export const damaged = (file: string): StoreError =>
  new StoreError(`${file} is damaged; restore another copy. See docs/operate/backup-and-upgrade.md#restore.`);

/** Converts an SQLite error to UNAVAILABLE, or to one that names the damaged file; returns other errors unchanged. */
function storeError(error: unknown, file: string): unknown {
  if (isDamage(error)) return damaged(file);
  if ((error as { code?: string }).code !== 'ERR_SQLITE_ERROR') return error;
  return new AppError('UNAVAILABLE', 'The store is unavailable. Try again.', {
    headers: { 'retry-after': '1' },
    cause: error,
  });
}
