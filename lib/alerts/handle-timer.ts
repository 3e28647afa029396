import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import { judgeSilence } from '#lib/health/judge-silence.ts';
import type { Keys } from '#lib/keys.ts';
import type { Ports } from '#lib/platform/ports.ts';
import type { Timer } from '#lib/schedule/jobs.ts';
import { catchUp } from './catch-up.ts';
import { repeatAlert } from './repeat.ts';

/**
 * What happens at a deadline. A disabled account's deadlines wait: the generator emits them at each tick until their
 * handler moves them.
 */
export async function handleTimer(ports: Ports, keys: Keys, timer: Timer): Promise<void> {
  const account = await ports.table.get<AccountItem>(keys.account(timer.tenant_id));
  if (!account || isDisabled(account)) return;
  if (timer.kind === 'silence') return judgeSilence(ports, keys, timer, account);
  return timer.kind === 'repeat' ? repeatAlert(ports, keys, timer) : catchUp(ports, keys, timer);
}
