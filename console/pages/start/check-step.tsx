import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { labelOf } from '#console/api/check-names.ts';
import { useLoad } from '#console/api/load.ts';
import type { Check, Entity } from '#console/api/records.ts';
import { schemas } from '#console/api/schemas.ts';
import { live } from '#console/app/live.ts';
import { setQuery } from '#console/app/router.ts';
import { SelectField } from '#console/parts/field.tsx';
import { Form, FormFields } from '#console/parts/form/form.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { bodyOf } from '#console/rules/form-draft.ts';
import { firstFields } from '#console/rules/start.ts';
import { Calls } from './calls.tsx';
import { UseExisting } from './use-existing.tsx';

const TYPES = Object.entries(schemas.checks).map(([value, { title }]) => ({ value, label: title }));

/** Step that adds a check to the entity; the default type is http. */
export function CheckStep({ entity }: { entity: Entity }) {
  const [type, choose] = useState(TYPES[0]!.value);
  const existing = useLoad<Check[]>(`/v1/checks?entity_id=${entity.id}`);
  return (
    <>
      <UseExisting with={existing.data} nameOf={labelOf} onChoose={({ id }) => setQuery({ check: id })} />
      <div class="fields">
        <SelectField
          label="Type"
          value={type}
          options={TYPES}
          hint={schemas.checks[type]!.description}
          onChange={choose}
        />
      </div>
      <CheckForm key={type} entity={entity} type={type} />
    </>
  );
}

function CheckForm({ entity, type }: { entity: Entity; type: string }) {
  const specs = firstFields(schemas.checks[type]!);
  const request = (body: object) => ({ entity_id: entity.id, check_type: type, ...body });
  const form = useForm({
    name: `start check ${entity.id} ${type}`,
    specs,
    send: async (body) => {
      const { id } = await call<Check>('POST', '/v1/checks', request(body));
      setQuery({ check: id });
      void live.refresh();
    },
  });
  return (
    <div class="step-body">
      <Form form={form} submit="Create check">
        <FormFields form={form} specs={specs} />
      </Form>
      <Calls of={[{ method: 'POST', path: '/v1/checks', body: request(bodyOf(specs, form.draft)) }]} />
    </div>
  );
}
