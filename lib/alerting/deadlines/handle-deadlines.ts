import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import type { StateEnv } from '#lib/checks/state/on-change.ts';
import type { DueDeadline } from '#lib/messages.ts';
import { detectMissedHeartbeat } from '#lib/results/pushes/missed-heartbeat.ts';
import { sendDeadlines } from '#lib/schedule/jobs.ts';
import { recheckHeldAlert } from './recheck-held.ts';
import { escalate, sendImpactUpdate, sendLateAlert, sendReminder } from './timed-decisions.ts';

/**
 * Handles the deadlines of one message and sends the next ones. Deadlines of a disabled account stay due.
 * @throws if any failed; the others are done, and all can be repeated
 */
export async function handleDeadlines(env: StateEnv, deadlines: DueDeadline[]): Promise<void> {
  const { ports, keys } = env;
  const tenants = [...new Set(deadlines.map((deadline) => deadline.tenant_id))];
  const accounts = await ports.table.getMany<AccountItem>(tenants.map(keys.account));
  const handled = await Promise.allSettled(
    deadlines.map((deadline) => handle(env, deadline, accounts[tenants.indexOf(deadline.tenant_id)])),
  );
  await sendDeadlines(
    env,
    handled.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])),
  );
  const errors = handled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} of ${deadlines.length} deadlines failed`);
}

async function handle(env: StateEnv, deadline: DueDeadline, account: AccountItem | undefined): Promise<DueDeadline[]> {
  if (!account || isDisabled(account)) return [];
  try {
    if (deadline.kind === 'missed_heartbeat') return await detectMissedHeartbeat(env, deadline, account);
    if (deadline.kind === 'hold') return await recheckHeldAlert(env, deadline, account);
    if (deadline.kind === 'escalation') return await escalate(env, deadline);
    if (deadline.kind === 'impact') return await sendImpactUpdate(env, deadline);
    return deadline.kind === 'reminder' ? await sendReminder(env, deadline) : await sendLateAlert(env, deadline);
  } catch (error) {
    const { kind, tenant_id, check_id } = deadline;
    env.ports.log.error('deadline failed, will be retried', { kind, tenant_id, check_id, error });
    throw error;
  }
}
