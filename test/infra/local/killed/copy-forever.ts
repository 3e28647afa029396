import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { copyStore, restoreStore } from '#infra/local/store/copy-store.ts';
import { migrateStore } from '#infra/local/store/migrate.ts';
import { STORE_FILE } from '#infra/local/store/store.ts';

/**
 * `copy-forever.ts backup|restore|migrate FOLDER A B`: backs up, restores or migrates stores in FOLDER, and prints a
 * line at the start of each round, until it is killed. A and B are stores; A has version 0 for `migrate`.
 */
const [job = '', folder = '', a = '', b = ''] = process.argv.slice(2);
const silent = { info: () => {}, warn: () => {}, error: () => {} };

const rounds: Record<string, (n: number) => void> = {
  backup: (n) => copyStore(a, join(folder, `backup-${n}.db`)),
  restore: (n) => restoreStore(n % 2 === 0 ? a : b, folder),
  migrate: (n) => {
    const dir = join(folder, `store-${n}`);
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir);
    // The kill may interrupt this copy, which is not what the test is about.
    copyFileSync(a, join(dir, 'part'));
    renameSync(join(dir, 'part'), join(dir, STORE_FILE));
    migrateStore(dir, silent);
  },
};
for (let n = 0; ; n++) {
  process.stdout.write(`${n}\n`);
  rounds[job]!(n);
}
