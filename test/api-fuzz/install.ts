import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const VERSION = '4.32.5';

/**
 * Schemathesis in a virtual environment of its own, installed when it is not there.
 * @returns its command; undefined where there is no Python that can make one
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
