import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf, drawKey } from '#lib/access/api-key.ts';
import { createAccount } from '#lib/access/create-account.ts';
import type { Keys } from '#lib/keys.ts';
import type { Ports } from '#lib/platform/ports.ts';

/**
 * Makes an account when there is none, and keeps its admin key in `dir`/admin-key, for the owner of the process alone.
 * @returns that key, also on later starts; undefined when the file is gone or the key was deleted
 */
export async function firstAccount(ports: Ports, keys: Keys, dir: string | undefined): Promise<string | undefined> {
  const { items } = await ports.table.query({ partition: keys.accounts, limit: 1 });
  const file = dir && join(dir, 'admin-key');
  if (items.length > 0) {
    const kept = file && readKey(file);
    return kept && (await ports.table.get(keys.apiKey(digestOf(kept)))) ? kept : undefined;
  }
  // Kept before the account stands: should this process die in between, the next start makes another key; the other way
  // round, nobody would have the key of the account.
  const draw = drawKey(ports.ids);
  if (file) writeFileSync(file, `${draw.raw}\n`, { mode: 0o600, flush: true });
  await createAccount(ports, keys, { email: 'admin@localhost', name: 'First account' }, { draw, again: true });
  return draw.raw;
}

function readKey(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined; // The owner took it away, as a careful owner does.
  }
}
