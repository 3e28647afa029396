import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { entryOf } from '#infra/aws/bundle/entry.ts';
import { functions } from '#infra/topology.ts';
import { namesOf } from '#lib/platform/plain-data.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Paths of all text files of the repository, including untracked ones. */
export const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(tsx?|css|html|json|md|cjs|txt|ndjson)$/.test(file));

export const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Returns the text of every TypeScript file by its path, including the entry files of functions on AWS. */
export const sources = (): Map<string, string> =>
  new Map([
    ...files.filter((file) => /\.tsx?$/.test(file)).map((file) => [file, textOf(file)] as const),
    ...namesOf(functions).map((name) => [`infra/aws/${name}.entry.ts`, entryOf(name)] as const),
  ]);
