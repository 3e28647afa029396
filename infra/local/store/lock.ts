import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/**
 * Creates DATA_DIR if it is missing (mode 0700) and locks it with an exclusive transaction on a file in it: the kernel
 * releases the lock however the process ends, including kill -9.
 * @returns releases the lock
 * @throws Error of one sentence if another service holds it or the folder is not writable
 */
export function lockDirectory(dir: string): () => void {
  let db: DatabaseSync | undefined;
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    db = new DatabaseSync(join(dir, 'lock.db'));
    db.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    db?.close();
    const { errcode, message } = cause as Error & { errcode?: number };
    throw new Error(
      errcode === SQLITE_BUSY
        ? `Another Fleetwatch is running on ${dir}. Stop it first, or start this one with another DATA_DIR and PORT.`
        : `DATA_DIR ${dir} cannot be used (${message}). Use a writable folder.`,
      { cause },
    );
  }
  return () => db.close();
}
