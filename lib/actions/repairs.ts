import type { AlertRepair, CheckItem } from '#lib/checks/check-item.ts';
import { nextCheck, replaceCheck } from '#lib/checks/next-check.ts';
import type { Env } from '#lib/env.ts';
import type { Write } from '#lib/platform/ports.ts';
import type { ActionItem } from './action-item.ts';
import { checkOf } from './bindings.ts';

/** What the alert of its check waits for; undefined of an action that no alert waits for. */
function repairBy(action: ActionItem | undefined): AlertRepair | undefined {
  const { remediation, trigger_to_state: state } = action ?? {};
  if (!remediation?.alert_after_remediation || (state !== 'down' && state !== 'degraded')) return undefined;
  return { state, settle_seconds: remediation.settle_seconds };
}

/**
 * The writes by which checks know whether their alert waits for an action: whoever decides on an alert reads the check
 * anyway. None where nothing of that changes, or the check is gone.
 */
export async function repairWrites(env: Env, next: ActionItem | undefined, before?: ActionItem): Promise<Write[]> {
  const places = new Map<string, { action: ActionItem; repair: AlertRepair | undefined }>();
  for (const [action, repair] of [
    [before, undefined],
    [next, repairBy(next)],
  ] as const) {
    const check = checkOf(action);
    if (action && check && (repairBy(before) ?? repair)) places.set(check, { action, repair });
  }
  const writes = await Promise.all([...places].map(([check, of]) => repairWrite(env, check, of)));
  return writes.flat();
}

async function repairWrite(
  { ports, keys }: Env,
  id: string,
  { action, repair }: { action: ActionItem; repair: AlertRepair | undefined },
): Promise<Write[]> {
  const check = await ports.table.get<CheckItem>(keys.check(action.tenant_id, id));
  if (!check) return [];
  const { [action.id]: was, ...others } = check.repairs ?? {};
  if (was?.state === repair?.state && was?.settle_seconds === repair?.settle_seconds) return [];
  const repairs = { ...others, ...(repair && { [action.id]: repair }) };
  const isEmpty = Object.keys(repairs).length === 0;
  return [replaceCheck(check, nextCheck(check, ports.ids.token(), { repairs }, isEmpty ? ['repairs'] : []))];
}
