import type { TestProject } from 'vitest/node';
import { localAssets } from '#infra/local/assets.ts';
import { makeLog } from '#lib/platform/log.ts';

/** Makes the document and the page once, before the processes of the tests ask for them. */
export async function setup({ config }: TestProject): Promise<void> {
  // Where the tests look for them.
  process.env.NODE_COMPILE_CACHE = config.env.NODE_COMPILE_CACHE;
  const { document, console } = localAssets(makeLog('warn'));
  await document();
  await console();
}
