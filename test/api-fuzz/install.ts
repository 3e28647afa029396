import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const VERSION = '4.32.5';

/**
 * Installs Schemathesis in a virtual environment if it is missing.
 * @returns its command; undefined if no suitable Python is installed
 */
export async function installSchemathesis(dir: string): Promise<string | undefined> {
  const st = join(dir, 'bin/st');
  const { stdout: found } = await run(st, ['--version']).catch(() => ({ stdout: '' }));
  if (found.includes(VERSION)) return st;
  try {
    await run('python3', ['-m', 'venv', '--clear', dir]);
  } catch {
    return undefined;
  }
  await run(join(dir, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`]);
  return st;
}
