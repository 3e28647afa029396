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

/** `permits`: for executions from a queue. Manual executions need no permit, because only their caller waits. */
export type RunEnv = Env & { permits?: FairSemaphore };

/** Requested execution. Unless manual, its id is derived from its cause, so a repeated request has the same id. */
export type Wanted = {
  tenant_id: string;
  action_id: string;
  execution_id: string;
  trigger: Trigger;
  transition_id: string | null;
  /** Records a failed execution and sends nothing, so guards are not evaluated. */
  given_up?: true;
  called_by?: NonNullable<ExecutionItem['called_by']>;
};

export type Claim =
  /** Claimed: only this process sends it. */
  | { is: 'claimed'; action: ActionItem; execution: ExecutionItem }
  /** Claimed before, by another process or attempt. */
  | { is: 'taken'; execution: ExecutionItem }
  /** The action has `remediation`: its guards decide (remediation/attempt.ts). */
  | { is: 'remediation' }
  /** The action was deleted or its trigger no longer matches, or the account is disabled. */
  | { is: 'void' };

/** Maximum wait of a claimed execution for a permit, in ms. */
export const PERMIT_WAIT_MS = 5_000;
/** Time in addition to the request (ms): the wait for a permit, and the writes before and after it with retries. */
const OVERHEAD_MS = 15_000 + PERMIT_WAIT_MS;

/** Returns the time (epoch ms) from which an execution that starts at `now` counts as interrupted while pending. */
export const giveUpAt = (action: ActionItem, now: number): number => now + action.timeout_ms + OVERHEAD_MS;

/**
 * Records an execution as pending before anything is sent; at most one claim of an id succeeds. Conditional on the
 * version of the action: no execution starts with old settings or after a deletion. `also` adds writes to the claim.
 */
export function claim(
  { ports, keys }: RunEnv,
  wanted: Wanted,
  stillFires: (action: ActionItem) => boolean = () => true,
  also: (action: ActionItem) => Write[] = () => [],
): Promise<Claim> {
  const { tenant_id, action_id, execution_id } = wanted;
  return retryOnConflict(ports, async (): Promise<Claim | typeof RETRY> => {
    const [taken, action, account] = await ports.table.getMany<[ExecutionItem, ActionItem, AccountItem]>([
      keys.execution(tenant_id, execution_id),
      keys.action(tenant_id, action_id),
      keys.account(tenant_id),
    ]);
    if (taken) return { is: 'taken', execution: taken };
    if (!action || !account || isDisabled(account) || !stillFires(action)) return { is: 'void' };
    if (action.remediation && wanted.trigger === 'state_change' && !wanted.given_up) return { is: 'remediation' };
    const { execution, writes } = newExecution(keys, wanted, action, account, ports.ids.token(), ports.clock.now());
    const outcome = await commit(ports, [...writes, ...also(action)]);
    return outcome.ok ? { is: 'claimed', action, execution } : RETRY;
  });
}

/** Returns a new execution, pending unless `changes` end it, and the writes that record it. @param now epoch ms */
export function newExecution(
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
