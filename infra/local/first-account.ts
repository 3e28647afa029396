import { chmodSync, closeSync, existsSync, fchmodSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, generateApiKey } from '#lib/access/api-key.ts';
import { createAccount } from '#lib/access/change-account.ts';
import type { Env } from '#lib/env.ts';

/** Raw key of the first account's admin, and whether this start has made it; undefined when its file is gone. */
export type FirstKey = { raw: string; isNew: boolean } | undefined;

/** Where the key is kept, under DATA_DIR. */
export const KEY_FILE = 'admin-key';

/**
 * Makes an account when there is none, and keeps its admin key in `dir`/admin-key, for the owner of the process alone.
 * @returns that key, also on later starts; undefined when the file is gone or the key was deleted
 */
export async function firstAccount(env: Env, dir: string | undefined): Promise<FirstKey> {
  const { ports, keys } = env;
  const { items } = await ports.table.query({ partition: keys.accounts, limit: 1 });
  const file = dir && join(dir, KEY_FILE);
  if (items.length > 0) {
    const raw = file && readKey(file);
    return raw && (await ports.table.get(keys.apiKey(digestOf(raw)))) ? { raw, isNew: false } : undefined;
  }
  // Kept before the account stands: should this process die in between, the next start makes another key; the other way
  // round, nobody would have the key of the account.
  const draw = generateApiKey(ports.ids);
  if (file) writeKey(file, draw.raw);
  await createAccount(env, { email: 'admin@localhost', name: 'First account' }, { draw, again: true });
  return { raw: draw.raw, isNew: true };
}

const OWNER_ALONE = 0o600;

/** A file that stands there already, with whatever mode, is the owner's alone before the key is in it. */
function writeKey(file: string, raw: string): void {
  const open = openSync(file, 'w', OWNER_ALONE);
  try {
    fchmodSync(open, OWNER_ALONE);
    writeFileSync(open, `${raw}\n`, { flush: true });
  } finally {
    closeSync(open);
  }
}

function readKey(file: string): string | undefined {
  if (!existsSync(file)) return undefined; // The owner took it away, as a careful owner does.
  chmodSync(file, OWNER_ALONE);
  return readFileSync(file, 'utf8').trim();
}
