import { localAssets } from '#infra/local/assets.ts';
import { makeLog } from '#lib/platform/log.ts';

/** Makes the document and the page once, before the processes of the tests ask for them. */
export async function setup(): Promise<void> {
  const { document, console } = localAssets(makeLog('warn'));
  await document();
  await console();
}
