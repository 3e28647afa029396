import { chmodSync, closeSync, existsSync, fchmodSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, generateApiKey } from '#lib/access/api-key.ts';
import { createAccount } from '#lib/access/change-account.ts';
import type { Env } from '#lib/env.ts';

/** Raw key of the first admin, and whether this start created it; undefined if the key or its file was deleted. */
export type FirstKey = { raw: string; isNew: boolean } | undefined;

export const KEY_FILE = 'admin-key';

/** Creates an account in an empty store, with its key in `dir`/admin-key (0600). @returns the key of the first admin */
export async function ensureFirstAccount(env: Env, dir: string | undefined): Promise<FirstKey> {
  const { ports, keys } = env;
  const { items } = await ports.table.query({ partition: keys.accounts, limit: 1 });
  const file = dir && join(dir, KEY_FILE);
  if (items.length > 0) {
    const raw = file && readKey(file);
    return raw && (await ports.table.get(keys.apiKey(digestOf(raw)))) ? { raw, isNew: false } : undefined;
  }
  // The key is stored before the account exists: after a crash in between, the next start creates another key.
  const draw = generateApiKey(ports.ids);
  if (file) writeKey(file, draw.raw);
  await createAccount(env, { email: 'admin@localhost', name: 'First account' }, { draw, sharedEmail: true });
  return { raw: draw.raw, isNew: true };
}

const OWNER_ONLY = 0o600;

/** Writes the key. An existing file first becomes accessible only to its owner. */
function writeKey(file: string, raw: string): void {
  const open = openSync(file, 'w', OWNER_ONLY);
  try {
    fchmodSync(open, OWNER_ONLY);
    writeFileSync(open, `${raw}\n`, { flush: true });
  } finally {
    closeSync(open);
  }
}

function readKey(file: string): string | undefined {
  if (!existsSync(file)) return undefined; // The operator may have deleted it.
  chmodSync(file, OWNER_ONLY);
  return readFileSync(file, 'utf8').trim();
}
