import type { CheckHistory } from './check-records.ts';

export type { Blueprint } from '#lib/catalog/blueprint.ts';
export type { Entity } from '#lib/catalog/entity.ts';
export type { Field } from '#lib/catalog/field.ts';
export type { Relation } from '#lib/catalog/relations/relation.ts';

/** What `GET /v1/history?entity_id=…` answers: a history for each check. */
export type CheckHistories = { checks: (CheckHistory & { check_id: string })[] };
