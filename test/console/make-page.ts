import { localAssets } from '#infra/local/assets.ts';
import { makeLog } from '#lib/platform/log.ts';

/** Makes the page once, before the processes of the tests ask for it. */
export const setup = async (): Promise<void> => void (await localAssets(makeLog('warn')).console());
