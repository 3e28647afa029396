import { reclaimAction } from '#lib/actions/reclaim-action.ts';
import { reclaimRelations } from '#lib/catalog/relations/reclaim-relations.ts';
import { reclaimCheck } from '#lib/checks/reclaim-check.ts';
import { reclaimAccount } from '#lib/end-account.ts';
import { keyTable } from '#lib/keys.ts';
import { messages } from '#lib/messages.ts';
import { type BatchReply, eachMessage, type QueueRecord } from '#lib/platform/batch.ts';
import type { Ports } from '#lib/platform/ports.ts';

/** Frees the storage of what was deleted. */
export function create(ports: Ports) {
  const keys = keyTable(ports.settings);
  return (event: { Records: QueueRecord[] }, context?: { signal?: AbortSignal }): Promise<BatchReply> =>
    eachMessage(ports.log, event.Records, (body) => {
      const left = messages.reclaim.parse(body);
      if ('account' in left) return reclaimAccount(ports, keys, left);
      if ('action_id' in left) return reclaimAction(ports, keys, left, context?.signal);
      const { tenant_id, entity_id, check_id } = left;
      return check_id === undefined
        ? reclaimRelations({ ports, keys, tenant: tenant_id }, entity_id)
        : reclaimCheck(ports, keys, { tenant_id, entity_id, check_id });
    });
}
