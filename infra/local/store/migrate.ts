import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Log } from '#lib/platform/ports.ts';
import { copyStore } from './copy-store.ts';
import { toVersion1 } from './migrations/to-version-1.ts';
import { damaged, isDamage, STORE_FILE } from './store.ts';
import { STORE_VERSION, versionOf } from './version.ts';

/** Changes a store of the previous version. Runs in a transaction, on the tables and items of the previous version. */
type Migration = (db: DatabaseSync) => void;

/** The migration to each version, the first one to version 1. */
const MIGRATIONS: readonly Migration[] = [toVersion1];

/**
 * Migrates a store to this version, after a copy to `fleetwatch-version-<n>.db`. The store has the old version or the
 * new one at every moment. Does nothing for a new store, or one of this version or later. The caller holds the lock.
 */
export function migrateStore(dir: string, log: Log): void {
  const file = join(dir, STORE_FILE);
  if (!existsSync(file)) return;
  const db = new DatabaseSync(file, { timeout: 2000 });
  try {
    const version = versionOf(db);
    if (version === undefined || version >= STORE_VERSION) return;
    const copy = join(dir, `fleetwatch-version-${version}.db`);
    log.info('migrating the store', { from: version, to: STORE_VERSION, copy });
    copyStore(file, copy);
    db.exec('BEGIN IMMEDIATE');
    for (const migrate of MIGRATIONS.slice(version)) migrate(db);
    db.exec(`PRAGMA user_version = ${STORE_VERSION}; COMMIT`);
    log.info('store migrated', { to: STORE_VERSION });
  } catch (error) {
    throw isDamage(error) ? damaged(file) : error;
  } finally {
    // Rolls back an uncommitted transaction.
    db.close();
  }
}
