import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import { historyExpiry } from '#lib/access/retention.ts';
import type { ActionItem, Trigger } from '#lib/actions/action-item.ts';
import type { ExecutionItem, RunPointer } from '#lib/actions/execution.ts';
import type { Env } from '#lib/env.ts';
import type { Keys } from '#lib/keys.ts';
import type { Write } from '#lib/platform/ports.ts';
import type { FairSemaphore } from '#lib/platform/sharing/fair-semaphore.ts';
import { commit, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';

/** `places` are there where runs come from a queue; runs by hand are the caller's own time. */
export type RunEnv = Env & { places?: FairSemaphore };

/** A run that is wanted. Its id follows from its cause, so that a repeat means the same run. */
export type Wanted = {
  tenant_id: string;
  action_id: string;
  execution_id: string;
  trigger: Trigger;
  transition_id: string | null;
  /** It is only to be seen that it could not be made: no guard is asked, as nothing is sent. */
  given_up?: true;
  called_by?: NonNullable<ExecutionItem['called_by']>;
};

export type Claim =
  /** This process sends it; no other ever will. */
  | { is: 'ours'; action: ActionItem; execution: ExecutionItem }
  /** It was claimed before. */
  | { is: 'taken'; execution: ExecutionItem }
  /** Its guards are to be asked first (remediation/attempt.ts). */
  | { is: 'guarded' }
  /** The action is gone or no longer wants it, or the account was disabled. */
  | { is: 'void' };

/** How long a run that was claimed waits for a place. */
export const PLACE_MS = 5_000;
/** Beside the request itself: waiting for its place, and the writes before and after it, each tried for 10 s. */
const WRITES_MS = 15_000 + PLACE_MS;

/** Epoch ms from which a pending run of the action, begun at `now`, must have been cut off. */
export const giveUpAt = (action: ActionItem, now: number): number => now + action.timeout_ms + WRITES_MS;

/**
 * Writes a run down as pending before anything is sent: at most one claim of an id ever succeeds. It is held to the
 * version of the action that was read, so that no run begins of an action that was changed or deleted meanwhile.
 * @param wants whether the action, as it now is, still wants this run
 * @param beside what else is written in the same transaction
 */
export function claim(
  { ports, keys }: RunEnv,
  wanted: Wanted,
  wants: (action: ActionItem) => boolean = () => true,
  beside: (action: ActionItem) => Write[] = () => [],
): Promise<Claim> {
  const { tenant_id, action_id, execution_id } = wanted;
  return retryOnConflict(ports, async (): Promise<Claim | typeof RETRY> => {
    const [taken, action, account] = await ports.table.getMany<[ExecutionItem, ActionItem, AccountItem]>([
      keys.execution(tenant_id, execution_id),
      keys.action(tenant_id, action_id),
      keys.account(tenant_id),
    ]);
    if (taken) return { is: 'taken', execution: taken };
    if (!action || !account || isDisabled(account) || !wants(action)) return { is: 'void' };
    if (action.remediation && wanted.trigger === 'state_change' && !wanted.given_up) return { is: 'guarded' };
    const { execution, writes } = newRun(keys, wanted, action, account, ports.ids.token(), ports.clock.now());
    const outcome = await commit(ports, [...writes, ...beside(action)]);
    return outcome.ok ? { is: 'ours', action, execution } : RETRY;
  });
}

/** A pending run, and the writes that claim it. @param now epoch ms */
export function newRun(
  keys: Keys,
  { tenant_id, action_id, execution_id, ...wanted }: Wanted,
  action: ActionItem,
  account: AccountItem,
  token: string,
  now: number,
  changes: Partial<ExecutionItem> = {},
): { execution: ExecutionItem; writes: Write[] } {
  const expires_at = historyExpiry(now, account.retention_days);
  const execution: ExecutionItem = {
    ...keys.execution(tenant_id, execution_id),
    v: token,
    expires_at,
    tenant_id,
    id: execution_id,
    action_id,
    trigger: wanted.trigger,
    dispatch_status: 'pending',
    status_code: 0,
    latency_ms: 0,
    response_snippet: '',
    error_message: '',
    pipeline_status: null,
    log_count: 0,
    transition_id: wanted.transition_id,
    attempt: null,
    verdict: null,
    verified_at: null,
    verified_by: null,
    created_at: iso(now),
    finished_at: null,
    give_up_at: giveUpAt(action, now),
    ...(wanted.called_by && { called_by: wanted.called_by }),
    ...changes,
  };
  const pointer: RunPointer = { ...keys.run(tenant_id, action_id, now, execution_id), expires_at, execution_id };
  return {
    execution,
    writes: [
      { put: execution, if: 'absent' },
      { put: pointer },
      { check: keys.action(tenant_id, action_id), if: { version: action.v } },
    ],
  };
}
