import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Assets } from '#lib/platform/assets.ts';
import { lazy } from '#lib/platform/lazy.ts';
import type { Log } from '#lib/platform/ports.ts';
import type { AssetName } from './make-asset.ts';

const MAKER = join(import.meta.dirname, 'make-asset.ts');

/** Limit of an asset in bytes: several times the size of the largest. */
const MAX_BYTES = 32 * 1024 * 1024;

const run = promisify(execFile);

/** Returns assets that are generated on first use in a separate process, which keeps this one responsive. */
export function localAssets(log: Log): Assets {
  let warned = false;
  const make = async (name: AssetName): Promise<string> => {
    const args = ['--disable-warning=ExperimentalWarning', MAKER, name];
    const { stdout, stderr } = await run(process.execPath, args, { maxBuffer: MAX_BYTES });
    if (stderr !== '' && !warned) log.warn('asset generated with a warning', { warning: stderr.trim() });
    warned ||= stderr !== '';
    return stdout;
  };
  return {
    openApi: lazy(() => make('openapi')),
    console: lazy(async () => JSON.parse(await make('console'))),
    docs: lazy(async () => JSON.parse(await make('docs'))),
  };
}
