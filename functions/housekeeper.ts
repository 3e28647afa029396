import { reclaimAction } from '#lib/actions/change-action.ts';
import { reclaimRelations } from '#lib/catalog/relations/change-relation.ts';
import { reclaimCheck } from '#lib/checks/change/reclaim-check.ts';
import { recountCell } from '#lib/checks/settings/cells.ts';
import { reclaimAccount } from '#lib/end-account.ts';
import { envOf, type Ports } from '#lib/env.ts';
import { rollUp } from '#lib/history/rollups/roll-up.ts';
import { messages } from '#lib/messages.ts';
import { type BatchReply, eachMessage, type QueueRecord } from '#lib/platform/batch.ts';

/** Rolls up the results of cells for the history, and frees the storage of deleted items. */
export function create(ports: Ports) {
  const env = envOf(ports);
  return (event: { Records: QueueRecord[] }, context?: { signal?: AbortSignal }): Promise<BatchReply> =>
    eachMessage(ports.log, event.Records, (body) => {
      const work = messages.housekeeping.parse(body);
      if ('cell' in work) return rollUp(env, work);
      if ('account' in work) return reclaimAccount(env, work);
      if ('action_id' in work) return reclaimAction(env, work, context?.signal);
      if ('left_cell' in work) return recountCell(env, { tenant_id: work.tenant_id, cell: work.left_cell });
      const { tenant_id, entity_id, check_id } = work;
      return check_id === undefined
        ? reclaimRelations({ ...env, tenant: tenant_id }, entity_id)
        : reclaimCheck(env, { tenant_id, check_id });
    });
}
