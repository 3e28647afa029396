import { call } from '#console/api/call.ts';
import type { Blueprint } from '#console/api/records.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { blueprintPath } from '#console/rules/catalog.ts';
import type { FormSchema } from '#console/rules/form-fields.ts';
import { withSlug } from '#lib/platform/slug.ts';

type BlueprintDialogProps = {
  blueprint?: Blueprint | undefined;
  onSaved: (blueprint: Blueprint) => void;
  onClose: () => void;
};

/** Creates a blueprint, or changes its properties except the fields. */
export function BlueprintDialog({ blueprint, onSaved, onClose }: BlueprintDialogProps) {
  async function send(body: Record<string, unknown>) {
    const saved = blueprint
      ? await call<Blueprint>('PUT', blueprintPath(blueprint.slug), { ...body, description: body.description ?? '' })
      : await call<Blueprint>('POST', '/v1/blueprints', body);
    showToast(`${saved.name} is saved.`);
    onSaved(saved);
  }
  // There is always a default blueprint, so `is_default` can be set but not cleared.
  const skip = [...(blueprint ? ['slug'] : []), ...(blueprint?.is_default ? ['is_default'] : [])];
  return (
    <Dialog help="blueprints" title={blueprint ? `Edit ${blueprint.name}` : 'New blueprint'} onClose={onClose}>
      <SchemaForm
        name={blueprint ? `blueprint ${blueprint.slug}` : 'new blueprint'}
        schema={SCHEMA}
        skip={skip}
        record={blueprint}
        {...(!blueprint && { derive: withSlug })}
        submit={blueprint ? 'Save' : 'Create'}
        send={send}
        onCancel={onClose}
      />
    </Dialog>
  );
}

const SCHEMA: FormSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Name of the kind of entities, such as Service.' },
    slug: { type: 'string', description: 'Identifier in URLs, such as service. It cannot be changed later.' },
    description: { type: 'string' },
    is_default: { type: 'boolean', default: false, title: 'Default blueprint' },
  },
  required: ['name', 'slug'],
};
