import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Holds DATA_DIR for this process alone, by an exclusive transaction on a file of its own: the kernel lets go of it
 * however the process ends, kill -9 included.
 * @returns lets go
 * @throws Error with one sentence when another service holds it
 */
export function lockDirectory(dir: string): () => void {
  const db = new DatabaseSync(join(dir, 'lock.db'));
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    db.close();
    throw new Error(
      `Another Fleetwatch is running on ${dir}. Stop it first, or start this one with another DATA_DIR and PORT.`,
      { cause },
    );
  }
  return () => db.close();
}
