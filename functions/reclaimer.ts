import { reclaimAction } from '#lib/actions/change-action.ts';
import { reclaimRelations } from '#lib/catalog/relations/change-relation.ts';
import { reclaimCheck } from '#lib/checks/change/reclaim-check.ts';
import { settleCell } from '#lib/checks/settings/cells.ts';
import { reclaimAccount } from '#lib/end-account.ts';
import { envOf, type Ports } from '#lib/env.ts';
import { messages } from '#lib/messages.ts';
import { type BatchReply, eachMessage, type QueueRecord } from '#lib/platform/batch.ts';

/** Frees the storage of deleted items. */
export function create(ports: Ports) {
  const env = envOf(ports);
  return (event: { Records: QueueRecord[] }, context?: { signal?: AbortSignal }): Promise<BatchReply> =>
    eachMessage(ports.log, event.Records, (body) => {
      const left = messages.reclaim.parse(body);
      if ('account' in left) return reclaimAccount(env, left);
      if ('action_id' in left) return reclaimAction(env, left, context?.signal);
      if ('cell' in left) return settleCell(env, left);
      const { tenant_id, entity_id, check_id } = left;
      return check_id === undefined
        ? reclaimRelations({ ...env, tenant: tenant_id }, entity_id)
        : reclaimCheck(env, { tenant_id, check_id });
    });
}
