import type { Context } from '#lib/access/context.ts';
import { type AccountAlerting, type AlertingHead, alertingOf } from '#lib/alerting/policy/account-alerting.ts';
import type { PolicySettings } from '#lib/alerting/policy/settings.ts';
import { publishMessage, WRITTEN_MS, wakeMessage } from '#lib/messages.ts';
import type { Write } from '#lib/platform/ports.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';

type AlertingChange = {
  writes: Write[];
  /** The new default policy, if it changes. */
  policy?: Partial<PolicySettings>;
  /** Whether suppressed alerts are rechecked, because the change can release them. */
  rechecks?: boolean;
  /** Whether status pages show the change. */
  is_public?: boolean;
};

/** Writes a change of the alerting settings and a new version of their head. Every change uses this function. */
export async function changeAlerting(
  context: Context,
  change: (
    present: AccountAlerting,
    head: AlertingHead | undefined,
  ) => AlertingChange | undefined | Promise<AlertingChange | undefined>,
): Promise<void> {
  const { ports, keys, tenant } = context;
  const v = ports.ids.token();
  await retryOnConflict(ports, async () => {
    const head = await ports.table.get<AlertingHead>(keys.alertingHead(tenant));
    if (head?.v === v) return undefined;
    const wanted = await change(await alertingOf(context, tenant, head), head);
    if (!wanted) return undefined;
    const now = ports.clock.now();
    const policy = wanted.policy ?? head?.policy ?? {};
    const next: AlertingHead = { ...keys.alertingHead(tenant), v, policy, updated_at: iso(now) };
    if (wanted.rechecks) await ports.queues.send('deadline', [wakeMessage(tenant, now, WRITTEN_MS)]);
    const writes: Write[] = [{ put: next, if: head ? { version: head.v } : 'absent' }, ...wanted.writes];
    if (!(await commit(ports, writes)).ok) return RETRY;
    if (wanted.rechecks) await ports.queues.send('deadline', [wakeMessage(tenant, now)]);
    if (wanted.is_public) await ports.queues.send('publish', [publishMessage(tenant, now)]);
    return undefined;
  });
}
