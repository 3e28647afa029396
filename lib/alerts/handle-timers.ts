import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import { judgeSilence } from '#lib/health/judge-silence.ts';
import type { Keys } from '#lib/keys.ts';
import type { Timer } from '#lib/messages.ts';
import type { Ports } from '#lib/platform/ports.ts';
import { sendTimers } from '#lib/schedule/jobs.ts';
import { catchUp } from './catch-up.ts';
import { repeatAlert } from './repeat.ts';

/**
 * Handles the deadlines of one message, and sends those that come next in one go. Deadlines of a disabled account wait:
 * the generator emits them at each tick until their handler moves them.
 * @throws when one failed. The others are done; all may be done again.
 */
export async function handleTimers(ports: Ports, keys: Keys, timers: Timer[]): Promise<void> {
  const tenants = [...new Set(timers.map((timer) => timer.tenant_id))];
  const accounts = (await ports.table.getMany(tenants.map(keys.account))) as (AccountItem | undefined)[];
  const handled = await Promise.allSettled(
    timers.map((timer) => handle(ports, keys, timer, accounts[tenants.indexOf(timer.tenant_id)])),
  );
  await sendTimers(
    ports,
    keys,
    handled.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])),
  );
  const errors = handled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of ${timers.length} deadlines failed`);
}

/** @returns the deadlines that come next */
async function handle(ports: Ports, keys: Keys, timer: Timer, account: AccountItem | undefined): Promise<Timer[]> {
  if (!account || isDisabled(account)) return [];
  try {
    if (timer.kind === 'silence') return await judgeSilence(ports, keys, timer, account);
    return timer.kind === 'repeat' ? await repeatAlert(ports, keys, timer) : await catchUp(ports, keys, timer);
  } catch (error) {
    const { kind, tenant_id, check_id } = timer;
    ports.log.error('a deadline failed and comes again', { kind, tenant_id, check_id, error });
    throw error;
  }
}
