import { DatabaseSync } from 'node:sqlite';
import { AppError } from '#lib/platform/errors.ts';
import { batchCommits } from './batch-commits.ts';

/** The name of the one file under DATA_DIR. */
export const STORE_FILE = 'fleetwatch.db';

/** One SQLite file that table, queues and change stream share, so that what they write together commits together. */
export type Store = {
  db: DatabaseSync;
  /**
   * Runs `job` inside the next commit, together with whatever else waits, and resolves only after that COMMIT. A job
   * is synchronous, may run twice (its first run is then rolled back), and judges before it writes.
   * @param keep `durable`, or `soon` for what may be done again: a crash of the process loses none of it, a power cut
   *   may take the last of it along, as it is on the disk only with the next durable commit
   * @throws AppError UNAVAILABLE when SQLite refuses (disk full, locked)
   */
  write<T>(job: () => T, keep?: Keep): Promise<T>;
  /** Runs a read; between two turns of the event loop only committed data is seen. */
  read<T>(job: () => T): T;
  /**
   * Rewrites a file of at most 64 MB, so that nothing is left of what was deleted: SQLite overwrites what it deletes,
   * but not the copies that stay behind when it moves rows from page to page. For the service alone, when it ends.
   */
  rewrite(): void;
  /** Commits what waits and closes the file. */
  close(): void;
};

export type Keep = 'durable' | 'soon';

export type StoreOptions = {
  /** A path, or `:memory:`. */
  file: string;
  /** Calls `flush` once, soon: all that waits by then shares a commit. Default: batch-commits.ts says when. */
  schedule?: (flush: () => void, waiting: () => number) => void;
};

type Waiting = { job: () => unknown; keep: Keep; resolve: (value: never) => void; reject: (error: unknown) => void };

/** A file that is rewritten within a second. */
const MAX_REWRITTEN = 64 * 1024 * 1024;

/** Writes in one commit at most, so that a flood never blocks the process for long. */
const MAX_GROUP = 256;

// WITHOUT ROWID: an item lies under its key, and a query reads neighbours.
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

/** Opens the file, makes what is missing in it. Several processes may have it open (the operator's CLI). */
export function openStore({ file, schedule = batchCommits }: StoreOptions): Store {
  const db = new DatabaseSync(file, { timeout: 2000 });
  db.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -4000; PRAGMA temp_store = MEMORY;',
  );
  // What is deleted is overwritten: secrets of a channel or an action are gone with it.
  db.exec('PRAGMA wal_autocheckpoint = 2000; PRAGMA journal_size_limit = 67108864; PRAGMA secure_delete = ON;');
  db.exec(SCHEMA);
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const waiting: Waiting[] = [];
  const soon = () => schedule(flush, () => waiting.length);
  let kept: Keep = 'durable';

  /** In WAL mode a commit under NORMAL does not wait for the disk, and the next one under FULL brings it along. */
  function keepAs(keep: Keep): void {
    if (keep === kept) return;
    db.exec(`PRAGMA synchronous = ${keep === 'durable' ? 'FULL' : 'NORMAL'}`);
    kept = keep;
  }

  function flush(): void {
    const group = waiting.splice(0, MAX_GROUP);
    if (group.length === 0) return;
    if (waiting.length > 0) soon();
    // When one of them cannot be written, each goes alone, so that it does not take its neighbours along.
    if (!commitTogether(group)) for (const one of group) commitTogether([one]);
  }

  /** @returns false when a job failed and the group was rolled back, to be tried one by one */
  function commitTogether(group: Waiting[]): boolean {
    const values: unknown[] = [];
    let running = false;
    try {
      keepAs(group.some((one) => one.keep === 'durable') ? 'durable' : 'soon');
      begin.run();
      running = true;
      for (const one of group) values.push(one.job());
      running = false;
      commit.run();
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      if (running && group.length > 1) return false;
      for (const one of group) one.reject(known(error));
      return true;
    }
    for (const [i, one] of group.entries()) one.resolve(values[i] as never);
    return true;
  }

  return {
    db,
    write: (job, keep = 'durable') =>
      new Promise((resolve, reject) => {
        waiting.push({ job, keep, resolve, reject });
        if (waiting.length === 1) soon();
      }),
    read: (job) => {
      try {
        return job();
      } catch (error) {
        throw known(error);
      }
    },
    rewrite: () => {
      while (waiting.length > 0) flush();
      const { bytes } = db
        .prepare('SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()')
        .get() as { bytes: number };
      if (bytes <= MAX_REWRITTEN) db.exec('VACUUM');
    },
    close: () => {
      while (waiting.length > 0) flush();
      db.close();
    },
  };
}

/** An SQLite refusal as UNAVAILABLE; every other error as it is. */
function known(error: unknown): unknown {
  if ((error as { code?: string }).code !== 'ERR_SQLITE_ERROR') return error;
  return new AppError('UNAVAILABLE', 'The store cannot serve at the moment. Try again in a moment.', {
    headers: { 'retry-after': '1' },
    cause: error,
  });
}
