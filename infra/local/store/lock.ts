import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from './version.ts';

const SQLITE_BUSY = 5;

/** Locks DATA_DIR (SQLite) until the result is called or the process ends, also by kill -9. Throws StoreError. */
export function lockDirectory(dir: string): () => void {
  let db: DatabaseSync | undefined;
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    db = new DatabaseSync(join(dir, 'lock.db'));
    db.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    db?.close();
    const { errcode, message } = cause as Error & { errcode?: number };
    throw new StoreError(
      errcode === SQLITE_BUSY
        ? `Another Fleetwatch is running on ${dir}. Stop it first, or start this one with another DATA_DIR and PORT.`
        : `DATA_DIR ${dir} cannot be used (${message}). Use a writable folder.`,
      { cause },
    );
  }
  return () => db.close();
}
