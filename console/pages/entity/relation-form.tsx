import { useRef } from 'preact/hooks';
import { ApiFailure, call } from '#console/api/call.ts';
import type { Entity, Relation } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import type { FormSchema } from '#console/rules/form-fields.ts';

const SCHEMA: FormSchema = {
  type: 'object',
  properties: {
    others: { type: 'array', format: 'entities', title: 'Entities', items: { type: 'string' } },
    side: {
      type: 'string',
      title: 'Direction',
      enum: ['upstream', 'downstream'],
      titles: {
        upstream: 'upstream: this entity depends on it',
        downstream: 'downstream: it depends on this entity',
      },
      default: 'upstream',
    },
    relation_type: {
      type: 'string',
      title: 'Type',
      description: 'Any name, such as depends_on, runs_on or part_of.',
      default: 'depends_on',
    },
    propagates_failure: {
      type: 'boolean',
      title: 'Passes on failures',
      description: 'Whether the downstream entity fails with the upstream one. Default: yes for depends_on, else no.',
    },
    when: {
      type: 'string',
      title: 'Upstream fails when',
      enum: ['down', 'degraded'],
      titles: { down: 'all its checks are down', degraded: 'any of its checks is down' },
      default: 'down',
    },
    group: {
      type: 'string',
      description: 'Name of interchangeable upstream entities, such as replicas; add each with this group.',
      'x-group': 'Redundancy',
    },
    required: {
      type: 'integer',
      title: 'Required healthy members',
      description:
        'The downstream entity fails if fewer members of the group are healthy. The lowest value in the group applies; default: 1.',
      'x-group': 'Redundancy',
    },
  },
  required: ['others'],
};
type RelationDialogProps = { entity: Entity; onSaved: () => void; onClose: () => void };

/** Adds relations of an entity to others, in either direction. */
export function RelationDialog({ entity, onSaved, onClose }: RelationDialogProps) {
  // Ids of the entities whose relation is added, so that a retry after an error skips them.
  const added = useRef(new Set<string>());
  async function send({ side, others = [], ...relation }: Record<string, unknown>) {
    const ids = others as string[];
    if (ids.length === 0) {
      const details = [{ path: 'others', message: 'must have at least one entity' }];
      throw new ApiFailure('No entity is selected.', { status: 400, code: 'VALIDATION_ERROR', details });
    }
    for (const other of ids) {
      if (added.current.has(other)) continue;
      const [from, to] = side === 'upstream' ? [entity.id, other] : [other, entity.id];
      await call<Relation>('POST', '/v1/relations', { ...relation, from_entity_id: from, to_entity_id: to }).catch(
        (error: unknown) => {
          throw withErrorsAtOthers(error, side, live.fleet.value?.get(other)?.name ?? other);
        },
      );
      added.current.add(other);
    }
    showToast(added.current.size === 1 ? 'The relation is added.' : `${added.current.size} relations are added.`);
    onSaved();
  }
  return (
    <Dialog help="relations" title={`Add relation to ${entity.name}`} wide onClose={onClose}>
      <SchemaForm name={`relation of ${entity.id}`} schema={SCHEMA} submit="Add" send={send} onCancel={onClose} />
    </Dialog>
  );
}

/** Moves API errors about the other entity of a relation to the field `others`. @param name of that entity */
function withErrorsAtOthers(error: unknown, side: unknown, name: string): unknown {
  if (!(error instanceof ApiFailure)) return error;
  const { message, status, code, retryAfter } = error;
  const end = side === 'upstream' ? 'to_entity_id' : 'from_entity_id';
  const details = error.details.map((one) =>
    one.path === end ? { message: `${name}: ${one.message}`, path: 'others' } : one,
  );
  return new ApiFailure(`${name}: ${message}`, { status, code, details, retryAfter });
}
