import { call } from '#console/api/call.ts';
import type { Field } from '#console/api/records.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { pathTo } from '#console/rules/address.ts';
import type { FormSchema } from '#console/rules/form-fields.ts';

export const fieldPath = (slug: string, name: string): string =>
  pathTo('/v1/blueprints/:slug/fields/:name', { slug, name });

type FieldDialogProps = {
  blueprint: string;
  field: Field | undefined;
  onSaved: () => void;
  onClose: () => void;
};

export function FieldDialog({ blueprint, field, onSaved, onClose }: FieldDialogProps) {
  async function send(body: Record<string, unknown>) {
    if (field) await call('PUT', fieldPath(blueprint, field.name), { ...body, name: field.name });
    else await call('POST', pathTo('/v1/blueprints/:slug/fields', { slug: blueprint }), body);
    showToast(`The field ${field?.name ?? body.name} is saved.`);
    onSaved();
  }
  return (
    <Dialog help="blueprints" title={field ? `Edit ${field.name}` : 'New field'} onClose={onClose}>
      {field && <p class="hint">If you change the type, values that do not match it are hidden.</p>}
      <SchemaForm
        name={`${field ? `field ${field.name}` : 'new field'} of ${blueprint}`}
        schema={SCHEMA}
        skip={field ? ['name'] : []}
        record={field}
        submit={field ? 'Save' : 'Add'}
        send={send}
        onCancel={onClose}
      />
    </Dialog>
  );
}

const TYPES: readonly Field['field_type'][] = ['string', 'number', 'boolean', 'url', 'array'];

const SCHEMA: FormSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Name, such as owner or On call. It cannot be changed later.' },
    field_type: {
      type: 'string',
      title: 'Type',
      enum: TYPES,
      default: 'string',
      description: 'url: an absolute HTTP or HTTPS URL. array: a list of strings, numbers or booleans.',
    },
    required: {
      type: 'boolean',
      default: false,
      description: 'Whether every entity must have a value. A default counts as a value.',
    },
    default_value: {
      type: 'string',
      title: 'Default',
      description: 'Value of entities without one, such as 42, true or ["a", "b"].',
    },
  },
  required: ['name'],
};
