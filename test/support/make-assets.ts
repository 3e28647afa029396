import type { TestProject } from 'vitest/node';
import { localAssets } from '#infra/local/assets.ts';
import { makeLog } from '#lib/platform/log.ts';

/** Builds the OpenAPI document and the console page once, before the test processes need them. */
export async function setup({ config }: TestProject): Promise<void> {
  // Stores the assets in the folder in which the tests look for them.
  process.env.NODE_COMPILE_CACHE = config.env.NODE_COMPILE_CACHE;
  const { openApi, console } = localAssets(makeLog('warn'));
  await openApi();
  await console();
}
