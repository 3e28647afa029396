import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context, MutationContext, TenantEnv } from '#lib/access/context.ts';
import { assertHostsLimited, guardUrl, staysAtOrigin } from '#lib/actions/template/allowed-hosts.ts';
import { isSame } from '#lib/audit/write.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import type { Env } from '#lib/env.ts';
import { assertUnchanged } from '#lib/platform/http/validation.ts';
import { chunks } from '#lib/platform/plain-data.ts';
import type { Write } from '#lib/platform/ports.ts';
import { type CountItem, countWrite } from '#lib/platform/table/count-item.ts';
import { pagesOf } from '#lib/platform/table/pages.ts';
import { deleteAll, keysUnder, RECLAIM_AFTER_MS } from '#lib/platform/table/reclaim.ts';
import { commit, oneAtATime, RETRY, retryOnConflict } from '#lib/platform/table/retry.ts';
import { iso } from '#lib/platform/time.ts';
import {
  type ActionInput,
  type ActionPatch,
  assertComplete,
  assertHeadersSent,
  auditedAction,
  withStoredValues,
} from './action.ts';
import { type ActionItem, assertGuardable } from './action-item.ts';
import { bind, remediationSettingsWrites } from './bindings.ts';
import type { RunPointer } from './execution.ts';
import { requireAction } from './store.ts';

/** Maximum number of actions per tenant (docs/operate/limits.md#account-limits). */
const MAX_ACTIONS = 50;

/** Creates an action. Throws VALIDATION_ERROR, NOT_FOUND for its check, LIMIT_EXCEEDED. */
export async function createAction(context: Context, input: ActionInput): Promise<ActionItem> {
  const { ports, keys, tenant } = context;
  assertComplete(input);
  assertGuardable(input);
  const headers = withStoredValues({}, input.headers);
  await guardUrl(ports, input.url);
  assertHostsLimited({ ...input, headers });
  if (input.check_id !== null) await requireCheck(context, input.check_id);

  const id = ports.ids.id('act');
  const now = iso(ports.clock.now());
  const action: ActionItem = {
    ...keys.action(tenant, id),
    v: ports.ids.token(),
    tenant_id: tenant,
    id,
    ...input,
    headers,
    created_at: now,
    updated_at: now,
  };
  const bindings = await bind(context, action);
  const auditWrites = auditWriter(context, 'create', auditedAction);
  return oneAtATime(ports.table, keys.actions(tenant), () =>
    retryOnConflict(ports, async () => {
      const [made, count] = await actionAndCount(context, id);
      // Created by an earlier attempt whose response was lost.
      if (made) return made;
      const writes: Write[] = [
        { put: action, if: 'absent' },
        counted(context, count, +1),
        ...bindings,
        ...(await remediationSettingsWrites(context, action)),
      ];
      return (await commit(ports, [...writes, ...auditWrites(undefined, action)])).ok ? action : RETRY;
    }),
  );
}

const actionAndCount = ({ ports, keys, tenant }: TenantEnv, id: string) =>
  ports.table.getMany<[ActionItem, CountItem]>([keys.action(tenant, id), keys.actionCount(tenant)]);

const counted = ({ ports, keys, tenant }: TenantEnv, before: CountItem | undefined, step: 1 | -1): Write =>
  countWrite(ports, keys.actionCount(tenant), before, step, { max: MAX_ACTIONS, kind: 'actions' });

/**
 * Updates an action; headers are replaced as a map, in which eight asterisks keep a stored secret. The check must exist
 * only if the binding changes, so an action of a deleted check can be renamed. Throws VALIDATION_ERROR, NOT_FOUND.
 */
export function updateAction(context: Context, id: string, patch: ActionPatch): Promise<ActionItem> {
  const { ports } = context;
  const auditWrites = auditWriter(context, 'update', auditedAction);
  return retryOnConflict(ports, async () => {
    const before = await requireAction(context, id);
    assertUnchanged({ id: before.id }, { id: patch.id });
    const supplied = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
    const next: ActionItem = {
      ...before,
      ...supplied,
      headers: patch.headers ? withStoredValues(before.headers, patch.headers) : before.headers,
      v: ports.ids.token(),
      updated_at: iso(ports.clock.now()),
    };
    if (!staysAtOrigin(next, before)) assertHeadersSent(before.headers, patch.headers);
    if (isSame(auditedAction, before, next)) return before;
    assertComplete(next);
    assertGuardable(next);
    if (next.url !== before.url) await guardUrl(ports, next.url);
    assertHostsLimited(next);
    if (next.check_id !== null && isRebound(next, before)) await requireCheck(context, next.check_id);
    const bindings = await bind(context, next, before);
    const actionWrite: Write = { put: next, if: { version: before.v } };
    const outcome = await commit(ports, [
      actionWrite,
      ...bindings,
      ...(await remediationSettingsWrites(context, next, before)),
      ...auditWrites(before, next),
    ]);
    return outcome.ok ? next : RETRY;
  });
}

const isRebound = (next: ActionItem, before: ActionItem): boolean =>
  next.check_id !== before.check_id || (next.trigger_type === 'state_change' && before.trigger_type !== 'state_change');

/** Deletes an action, which hides its executions at once; storage is reclaimed in the background. */
export async function deleteAction(context: TenantEnv & MutationContext, id: string): Promise<void> {
  const { ports, keys, tenant } = context;
  const auditWrites = auditWriter(context, 'delete', auditedAction);
  // The message is sent first: a crash after the deletion would lose it. It is ignored while the action exists.
  const body = { tenant_id: tenant, action_id: id };
  await ports.queues.send('housekeeping', [{ body, not_before: ports.clock.now() + RECLAIM_AFTER_MS, group: tenant }]);
  await oneAtATime(ports.table, keys.actions(tenant), () =>
    retryOnConflict(ports, async () => {
      const [action, count] = await actionAndCount(context, id);
      if (!action) return;
      const outcome = await commit(ports, [
        { delete: keys.action(tenant, id), if: { version: action.v } },
        counted(context, count, -1),
        ...(await bind(context, undefined, action)),
        ...(await remediationSettingsWrites(context, undefined, action)),
        ...auditWrites(action, undefined),
      ]);
      return outcome.ok ? undefined : RETRY;
    }),
  );
}

const EXECUTIONS_PER_PAGE = 50;
const AT_ONCE = 10;

/** Deletes executions and logs of a deleted action. Idempotent. If `signal` aborts, sends a message to continue. */
export async function reclaimAction(
  { ports, keys }: Env<'table' | 'queues' | 'clock' | 'ids'>,
  { tenant_id, action_id }: { tenant_id: string; action_id: string },
  signal?: AbortSignal,
): Promise<void> {
  if (await ports.table.get(keys.action(tenant_id, action_id))) return;
  const reclaim = async ({ pk, sk, execution_id }: RunPointer): Promise<void> => {
    await deleteAll(ports, await keysUnder(ports, keys.ofExecution(tenant_id, execution_id)));
    // The pointer is deleted last, because only it names the execution: after a crash, the next attempt finds it.
    await deleteAll(ports, [{ pk, sk }]);
  };
  const runs = { partition: keys.runs(tenant_id, action_id), limit: EXECUTIONS_PER_PAGE };
  for await (const items of pagesOf<RunPointer>(ports.table, runs)) {
    for (const some of chunks(items, AT_ONCE)) {
      await Promise.all(some.map(reclaim));
      if (!signal?.aborted) continue;
      return ports.queues.send('housekeeping', [{ body: { tenant_id, action_id }, group: tenant_id }]);
    }
  }
}
