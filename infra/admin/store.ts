import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '#infra/flags.ts';
import { copyStore, restoreStore } from '#infra/local/store/copy-store.ts';
import { STORE_FILE } from '#infra/local/store/store.ts';
import type { Command, CommandOutput } from './commands.ts';

export const STORE_FLAGS = { replace: { type: 'boolean' } } as const;

export const STORE_USAGE = `  npm run admin -- backup FILE                           copy all data to a new file, also while the service runs
  npm run admin -- restore FILE [--replace]              put a backup into DATA_DIR while the service is stopped;
                                                         --replace replaces the data that it contains`;

/** Commands on the files of one machine. */
export const STORE_COMMANDS: Record<string, Command> = {
  backup: {
    takes: [],
    operands: ['file'],
    runOnFiles: (dir, _options, file) => {
      const [from, to] = [join(dir, STORE_FILE), pathOf(file)];
      if (!existsSync(from)) throw new UsageError(`${dir} does not contain the data of a service. Set DATA_DIR.`);
      if (existsSync(to)) throw new UsageError(`${to} exists. Choose another name, or delete it first.`);
      if (!existsSync(dirname(to))) throw new UsageError(`The folder ${dirname(to)} does not exist. Create it first.`);
      return copied('Backup', to, copyStore(from, to));
    },
  },
  restore: {
    takes: ['replace'],
    operands: ['file'],
    runOnFiles: (dir, { replace = false }, file) => {
      const from = pathOf(file);
      if (!statSync(from, { throwIfNoEntry: false })?.isFile())
        throw new UsageError(`${from} is not a file. Give the file that admin backup wrote.`);
      if (existsSync(join(dir, STORE_FILE)) && !replace)
        throw new UsageError(`${dir} contains data. To replace it, add --replace; to keep it, set another DATA_DIR.`);
      return copied('Restored', join(dir, STORE_FILE), restoreStore(from, dir));
    },
  },
};

const copied = (label: string, file: string, bytes: number): CommandOutput => ({
  text: `${label} ${file} (${(bytes / 1e6).toFixed(1)} MB, verified)`,
  json: { file, bytes },
});

/** Resolves a path against the folder in which the command was typed; npm runs it in the folder of the package. */
export const pathOf = (file: string): string => resolve(process.env.INIT_CWD ?? '.', file);
