import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { lockDirectory } from './lock.ts';
import { damaged, isDamage, STORE_FILE } from './store.ts';
import { newerVersion, STORE_VERSION, StoreError, versionOf } from './version.ts';

/**
 * Copies all that is committed, also while the service runs, and verifies the copy. `to` exists once the copy is
 * complete and on the disk, or not at all; an interrupted copy leaves `<to>.part`. Throws an Error if `from` is not an
 * intact store of this version or an earlier one. @returns the size of the copy in bytes
 */
export function copyStore(from: string, to: string): number {
  const part = `${to}.part`;
  rmSync(part, { force: true });
  try {
    // A reader does not block writers in WAL mode. A copy of the file would have traces of deleted secrets.
    withDatabase(from, (db) => {
      const version = versionOf(db);
      if (version === undefined) throw new StoreError(`${from} is not a store of Fleetwatch.`);
      if (version > STORE_VERSION) throw newerVersion(from, version);
      db.prepare('VACUUM INTO ?').run(part);
    });
    withDatabase(part, (db) => {
      const [found] = db.prepare('PRAGMA integrity_check(1)').all();
      if (found?.integrity_check !== 'ok') throw damaged(from);
    });
    syncPath(part);
    renameSync(part, to);
    syncPath(dirname(to));
    return statSync(to).size;
  } catch (error) {
    rmSync(part, { force: true });
    throw isDamage(error) ? damaged(from) : error;
  }
}

/**
 * Replaces the store of a folder with a copy of `from`. The folder has the old store or the new one at every moment.
 * Throws an Error if a service uses the folder, or `from` cannot be copied. @returns the size of the store in bytes
 */
export function restoreStore(from: string, dir: string): number {
  const unlock = lockDirectory(dir);
  try {
    const file = join(dir, STORE_FILE);
    const whole = `${file}.restored`;
    const bytes = copyStore(from, whole);
    // The log of the old store must not be applied to the new one. Its writes move into the old file first, so that the
    // old store stays complete until it is replaced.
    if (existsSync(file)) moveLogIntoFile(file);
    for (const log of ['-wal', '-shm']) rmSync(file + log, { force: true });
    renameSync(whole, file);
    syncPath(dir);
    return bytes;
  } finally {
    unlock();
  }
}

/** Moves the write-ahead log into the file. Ignores damage of the store, because the restore replaces it anyway. */
function moveLogIntoFile(file: string): void {
  try {
    withDatabase(file, (db) => db.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
}

function withDatabase(file: string, use: (db: DatabaseSync) => void): void {
  const db = new DatabaseSync(file, { timeout: 2000 });
  try {
    use(db);
  } finally {
    db.close();
  }
}

/** Waits until a file, or the names in a folder, are on the disk. */
function syncPath(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
