import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { AppError } from '#lib/platform/errors.ts';
import { memberOf } from '#lib/platform/plain-data.ts';
import type { Files, PublicFile } from '#lib/platform/ports.ts';

/** Folder of the published files in the data directory. Any web server can serve it. */
const FOLDER = 'public';

/** Media types by extension, because a folder stores none. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.atom': 'application/atom+xml; charset=utf-8',
  '.ics': 'text/calendar; charset=utf-8',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
};

export const localFiles = (dir: string | undefined): Files =>
  dir === undefined ? memoryFiles() : folderFiles(join(dir, FOLDER));

/** Returns published files in memory, for an instance without a data directory. */
export function memoryFiles(): Files {
  const files = new Map<string, PublicFile>();
  return {
    put: async (path, file) => void files.set(path, file),
    get: async (path) => files.get(path),
    remove: async (paths) => {
      for (const path of paths) files.delete(path);
    },
  };
}

function folderFiles(folder: string): Files {
  return {
    put: (path, { bytes }) =>
      orUnavailable(async () => {
        const file = join(folder, path);
        await mkdir(dirname(file), { recursive: true });
        // The file is renamed when it is complete, so that readers, such as another web server, never see a part.
        const written = join(folder, `.${randomUUID()}`);
        try {
          await writeFile(written, bytes);
          await rename(written, file);
        } finally {
          await rm(written, { force: true });
        }
      }),
    get: (path) =>
      orUnavailable(async () => {
        const bytes = await readFile(join(folder, path)).catch(unlessMissing);
        return bytes && { bytes, type: TYPES[extname(path)] ?? 'application/octet-stream' };
      }),
    remove: (paths) =>
      orUnavailable(async () => {
        for (const path of paths) await rm(join(folder, path), { force: true });
      }),
  };
}

const MISSING: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'EISDIR'];

function unlessMissing(error: unknown): undefined {
  if (!MISSING.includes(memberOf(error, 'code'))) throw error;
}

async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new AppError('UNAVAILABLE', 'The published files are not accessible.', { cause });
  }
}
