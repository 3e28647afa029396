import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import type { Keys } from '#lib/keys.ts';
import type { Ports } from '#lib/platform/ports.ts';
import type { Timer } from '#lib/schedule/jobs.ts';
import { judgeSilence } from './judge-silence.ts';

/**
 * What happens at a deadline. A disabled account's deadlines wait: the generator emits them at each tick until their
 * handler moves them.
 */
export async function handleTimer(ports: Ports, keys: Keys, timer: Timer): Promise<void> {
  const account = await ports.table.get<AccountItem>(keys.account(timer.tenant_id));
  if (!account || isDisabled(account)) return;
  if (timer.kind === 'silence') await judgeSilence(ports, keys, timer, account);
}
