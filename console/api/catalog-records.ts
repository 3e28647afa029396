import type { CheckRecord } from '#lib/checks/check-record.ts';
import type { ResultRecord } from '#lib/health/history/result-item.ts';
import type { checkHistoryRecords } from '#lib/health/rollups/history-routes.ts';

export type { ActionRecord as Action } from '#lib/actions/action.ts';
export type { Blueprint } from '#lib/catalog/blueprint.ts';
export type { Entity } from '#lib/catalog/entity.ts';
export type { Field } from '#lib/catalog/field.ts';
export type { Relation } from '#lib/catalog/relations/relation.ts';

/** A check of an entity, as `GET /v1/checks?entity_id=…&last_result=true` shows it. */
export type EntityCheck = CheckRecord & { stale: boolean; last_result?: ResultRecord | null };

/** What `GET /v1/history?entity_id=…` answers: a history for each check. */
export type CheckHistories = { checks: Awaited<ReturnType<typeof checkHistoryRecords>> };
