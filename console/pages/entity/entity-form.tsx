import { call } from '#console/api/call.ts';
import type { Blueprint, Entity } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { blueprintPath, changedOnly, entityPath, schemaOfFields } from '#console/rules/catalog.ts';
import type { FormSchema } from '#console/rules/form-fields.ts';
import { withSlug } from '#lib/platform/slug.ts';

type EntityDialogProps = {
  blueprint: Blueprint;
  entity?: Entity | undefined;
  onSaved: (entity: Entity) => void;
  onClose: () => void;
};

export function EntityDialog({ blueprint, entity, onSaved, onClose }: EntityDialogProps) {
  async function send(body: Record<string, unknown>) {
    const saved = entity
      ? await call<Entity>('PUT', entityPath(entity), changedOnly(body, entity))
      : await call<Entity>('POST', `${blueprintPath(blueprint.slug)}/entities`, body);
    showToast(`${saved.name} is saved.`);
    onSaved(saved);
    void live.refresh();
  }
  return (
    <Dialog
      help="entities"
      wide
      title={entity ? `Edit ${entity.name}` : `New entity of ${blueprint.name}`}
      onClose={onClose}
    >
      <SchemaForm
        name={entity ? `entity ${entity.id}` : `new entity of ${blueprint.slug}`}
        schema={schemaOf(blueprint)}
        skip={entity ? ['slug'] : []}
        record={entity}
        {...(!entity && { derive: withSlug })}
        submit={entity ? 'Save' : 'Create'}
        send={send}
        onCancel={onClose}
      />
    </Dialog>
  );
}

const schemaOf = ({ fields }: Blueprint): FormSchema => ({
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Name in lists and alerts.' },
    slug: { type: 'string', description: 'Identifier in URLs, such as web-shop. It cannot be changed later.' },
    fields: schemaOfFields(fields),
    labels: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Labels by which the entity and its checks are selected, such as team: payments.',
    },
  },
  required: ['name', 'slug'],
});
