import { ApiFailure, call } from '#console/api/call.ts';
import type { Entity, Relation } from '#console/api/records.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { EntityPicker } from '#console/parts/entity-picker.tsx';
import { SelectField, TextField } from '#console/parts/field.tsx';
import { Form } from '#console/parts/form/form.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { fieldsOf, type MemberSchema } from '#console/rules/form-fields.ts';

const SCHEMA: MemberSchema = {
  type: 'object',
  properties: {
    side: { type: 'string', enum: ['upstream', 'downstream'], default: 'upstream' },
    other: { type: 'string' },
    relation_type: { type: 'string', default: 'depends_on' },
  },
  required: ['other'],
};
const SPECS = fieldsOf(SCHEMA);
type RelationDialogProps = { entity: Entity; onSaved: () => void; onClose: () => void };

/** Adds a relation of an entity to another one, in either direction. */
export function RelationDialog({ entity, onSaved, onClose }: RelationDialogProps) {
  async function send({ side, other, relation_type }: Record<string, unknown>) {
    const [from, to] = side === 'upstream' ? [entity.id, other] : [other, entity.id];
    await call<Relation>('POST', '/v1/relations', { from_entity_id: from, to_entity_id: to, relation_type }).catch(
      (error: unknown) => {
        throw atOther(error, side);
      },
    );
    showToast('The relation is added.');
    onSaved();
  }
  const form = useForm({ name: `relation of ${entity.id}`, specs: SPECS, send });
  const common = (path: string) => ({
    name: path,
    value: form.draft[path] ?? '',
    error: form.errors[path],
    onChange: (text: string) => form.set(path, text),
  });
  return (
    <Dialog title={`Add relation of ${entity.name}`} onClose={onClose}>
      <Form form={form} submit="Add" onCancel={onClose}>
        <SelectField
          {...common('side')}
          label="Direction"
          options={[
            { value: 'upstream', label: 'upstream: this entity depends on it' },
            { value: 'downstream', label: 'downstream: it depends on this entity' },
          ]}
        />
        <EntityPicker {...common('other')} label="Entity" />
        <TextField {...common('relation_type')} label="Type" hint="Any name, such as depends_on, runs_on or part_of." />
      </Form>
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
