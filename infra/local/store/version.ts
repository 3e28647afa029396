import type { DatabaseSync } from 'node:sqlite';

/**
 * Version of the store (tables and items), stored as `PRAGMA user_version`. A change that code of the previous version
 * cannot read gets the next number and a step in migrate.ts.
 */
export const STORE_VERSION = 1;

/** An error of the store whose message is for the operator, with the remedy. */
export class StoreError extends Error {}

/** Returns the version of a store; undefined for a new one without tables. */
export function versionOf(db: DatabaseSync): number | undefined {
  const tables = db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'items'").get()!;
  return tables.n === 0 ? undefined : Number(db.prepare('PRAGMA user_version').get()!.user_version);
}

/** Returns the version of a store that this code reads; undefined for a new one. Throws an Error for other versions. */
export function requireVersion(db: DatabaseSync, file: string): number | undefined {
  const version = versionOf(db);
  if (version === undefined || version === STORE_VERSION) return version;
  throw version > STORE_VERSION
    ? newerVersion(file, version)
    : new Error(
        `${file} has version ${version} of the store, before ${STORE_VERSION}. Start the service to migrate it.`,
      );
}

/** Returns the error of a store that only a newer release reads. */
export const newerVersion = (file: string, version: number): StoreError =>
  new StoreError(
    `${file} has version ${version} of the store, and this release reads up to ${STORE_VERSION}. ` +
      'Install a newer release, or restore a backup made before the upgrade.',
  );
