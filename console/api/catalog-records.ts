import type { Blueprint as BlueprintRecord } from '#lib/catalog/blueprint.ts';
import type { Entity as EntityRecord } from '#lib/catalog/entity.ts';
import type { Field as FieldRecord } from '#lib/catalog/field.ts';
import type { Relation as RelationRecord } from '#lib/catalog/relations/relation.ts';
import type { CheckHistory } from './check-records.ts';

/** What the API answers of the catalog, by the types of its own schemas. */
export type Blueprint = BlueprintRecord;
export type Entity = EntityRecord;
export type Field = FieldRecord;
export type Relation = RelationRecord;

/** What `GET /v1/history?entity_id=…` answers: a history for each check. */
export type CheckHistories = { checks: (CheckHistory & { check_id: string })[] };
