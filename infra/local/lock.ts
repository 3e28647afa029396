import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;

/**
 * Makes DATA_DIR where it is not there yet, for its owner's eyes alone, and holds it for this process alone, by an exclusive transaction on a file of its own: the kernel lets go of it
 * however the process ends, kill -9 included.
 * @returns lets go
 * @throws Error with one sentence when another service holds it, or it is no folder that can be written
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
        : `DATA_DIR ${dir} cannot be used (${message}). Name a folder that can be written.`,
      { cause },
    );
  }
  return () => db.close();
}
