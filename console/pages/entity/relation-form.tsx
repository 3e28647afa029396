import { ApiFailure, call } from '#console/api/call.ts';
import type { Entity, Relation } from '#console/api/records.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import type { FormSchema } from '#console/rules/form-fields.ts';

const SCHEMA: FormSchema = {
  type: 'object',
  properties: {
    other: { type: 'string', format: 'entity', title: 'Entity' },
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
        'The downstream entity fails if fewer members of the group are healthy. Default: as the other members, else 1.',
      'x-group': 'Redundancy',
    },
  },
  required: ['other'],
};
type RelationDialogProps = { entity: Entity; onSaved: () => void; onClose: () => void };

/** Adds a relation of an entity to another one, in either direction. */
export function RelationDialog({ entity, onSaved, onClose }: RelationDialogProps) {
  async function send({ side, other, ...relation }: Record<string, unknown>) {
    const [from, to] = side === 'upstream' ? [entity.id, other] : [other, entity.id];
    await call<Relation>('POST', '/v1/relations', { ...relation, from_entity_id: from, to_entity_id: to }).catch(
      (error: unknown) => {
        throw atOther(error, side);
      },
    );
    showToast('The relation is added.');
    onSaved();
  }
  return (
    <Dialog help="relations" title={`Add relation of ${entity.name}`} wide onClose={onClose}>
      <SchemaForm name={`relation of ${entity.id}`} schema={SCHEMA} submit="Add" send={send} onCancel={onClose} />
    </Dialog>
  );
}

/** Moves an API error about the other end of the relation to the field of this form. */
function atOther(error: unknown, side: unknown): unknown {
  if (!(error instanceof ApiFailure)) return error;
  const { message, status, code, retryAfter } = error;
  const end = side === 'upstream' ? 'to_entity_id' : 'from_entity_id';
  const details = error.details.map((one) => (one.path === end ? { ...one, path: 'other' } : one));
  return new ApiFailure(message, { status, code, details, retryAfter });
}
