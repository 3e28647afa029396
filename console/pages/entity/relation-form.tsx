import { ApiFailure, call } from '#console/api/call.ts';
import type { Entity, Relation } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { tell } from '#console/app/notices.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SelectField, TextField } from '#console/parts/field.tsx';
import { Form } from '#console/parts/form/form.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import type { FleetRow } from '#console/rules/fleet.ts';
import { filtered } from '#console/rules/fleet.ts';
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
const OFFERED = 20;

const keyOf = ({ blueprint_slug, slug }: Pick<FleetRow, 'blueprint_slug' | 'slug'>) => `${blueprint_slug}/${slug}`;

type RelationDialogProps = { entity: Entity; onSaved: () => void; onClose: () => void };

/** Relates an entity to another one, on either side. */
export function RelationDialog({ entity, onSaved, onClose }: RelationDialogProps) {
  const rows = [...(live.fleet.value?.values() ?? [])].filter(({ id }) => id !== entity.id);
  async function send({ side, other, relation_type }: Record<string, unknown>) {
    const found = rows.find((row) => keyOf(row) === other);
    if (!found) throw wrong('other', 'is none of the entities: choose one of those offered');
    const [from, to] = side === 'upstream' ? [entity.id, found.id] : [found.id, entity.id];
    await call<Relation>('POST', '/v1/relations', { from_entity_id: from, to_entity_id: to, relation_type });
    tell(`${entity.name} and ${found.name} are related.`);
    onSaved();
  }
  const form = useForm({ name: `relation of ${entity.id}`, specs: SPECS, send });
  const common = (path: string) => ({
    name: path,
    value: form.draft[path] ?? '',
    error: form.errors[path],
    onChange: (text: string) => form.set(path, text),
  });
  const words = (form.draft.other ?? '').replace('/', ' ');
  const offered = filtered(rows, { states: new Set(), words }).slice(0, OFFERED);
  return (
    <Dialog title={`Relate ${entity.name}`} onClose={onClose}>
      <Form form={form} submit="Add" onCancel={onClose}>
        <SelectField
          {...common('side')}
          label="The other one is"
          options={[
            { value: 'upstream', label: 'upstream: this one depends on it' },
            { value: 'downstream', label: 'downstream: it depends on this one' },
          ]}
        />
        <TextField
          {...common('other')}
          required
          label="Entity"
          hint="Type a part of its name and choose it."
          suggestions={offered.map((row) => ({ value: keyOf(row), label: row.name }))}
        />
        <TextField
          {...common('relation_type')}
          label="How"
          hint="A word of your own, such as depends_on, runs_on or part_of."
        />
      </Form>
    </Dialog>
  );
}

const wrong = (path: string, message: string) =>
  new ApiFailure(message, { status: 400, code: 'VALIDATION_ERROR', details: [{ path, message }] });
