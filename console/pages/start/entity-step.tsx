import { useState } from 'preact/hooks';
import { asFailure, call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import type { Entity } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { setQuery } from '#console/app/router.ts';
import { SelectField } from '#console/parts/field.tsx';
import { Form, FormFields } from '#console/parts/form/form.tsx';
import { type FormState, useForm } from '#console/parts/form/use-form.ts';
import { Data } from '#console/parts/states.tsx';
import { schemaOfFields } from '#console/rules/catalog.ts';
import type { Command } from '#console/rules/curl.ts';
import { bodyOf } from '#console/rules/form-draft.ts';
import { fieldsOf } from '#console/rules/form-fields.ts';
import { slugOf } from '#lib/platform/slug.ts';
import type { Blueprint } from '#lib/catalog/blueprint.ts';
import { Calls } from './calls.tsx';
import { UseExisting } from './use-existing.tsx';

const FIRST = { slug: 'service', name: 'Service', fields: [] };

const openNextStep = ({ blueprint_slug, slug }: Pick<Entity, 'blueprint_slug' | 'slug'>) =>
  setQuery({ entity: `${blueprint_slug}/${slug}` });

/** Step that adds an entity, and a blueprint if the account lacks one. */
export function EntityStep() {
  const blueprints = useLoad<Blueprint[]>('/v1/blueprints', { all: true });
  const [chosen, choose] = useState('');
  const fleet = live.fleet.value;
  return (
    <Data of={blueprints}>
      {(found) => {
        const blueprint = found.find(({ slug }) => slug === chosen) ?? found.find((one) => one.is_default) ?? found[0];
        return (
          <>
            <UseExisting with={fleet && [...fleet.values()]} nameOf={({ name }) => name} onChoose={openNextStep} />
            {found.length > 1 && (
              <div class="fields">
                <SelectField
                  label="Blueprint"
                  value={blueprint?.slug ?? ''}
                  options={found.map(({ slug, name }) => ({ value: slug, label: name }))}
                  onChange={choose}
                />
              </div>
            )}
            <EntityForm key={blueprint?.slug} blueprint={blueprint} />
          </>
        );
      }}
    </Data>
  );
}

function EntityForm({ blueprint }: { blueprint: Blueprint | undefined }) {
  const { slug, name, fields } = blueprint ?? FIRST;
  const path = `/v1/blueprints/${encodeURIComponent(slug)}/entities`;
  const specs = fieldsOf({
    properties: {
      name: {
        type: 'string',
        description: `Name in alerts, such as that of a ${name.toLowerCase()}, a machine or a job.`,
      },
      slug: { type: 'string', description: 'Part of paths. It cannot be changed.' },
      fields: schemaOfFields(fields),
    },
    required: ['name', 'slug'],
  });
  const form = useForm({
    name: `start entity ${slug}`,
    specs,
    send: async (body) => {
      if (!blueprint) await createFirstBlueprint();
      openNextStep(await call<Entity>('POST', path, withSlug(body)));
      void live.refresh();
    },
  });
  const body = withSlug(bodyOf(specs, form.draft));
  const calls: Command[] = [{ method: 'POST', path, body }];
  if (!blueprint) calls.unshift({ method: 'POST', path: '/v1/blueprints', body: FIRST });
  return (
    <div class="step-body">
      <Form form={withDerivedSlug(form)} submit="Create entity">
        <FormFields form={withDerivedSlug(form)} specs={specs} />
      </Form>
      <Calls of={calls} />
    </div>
  );
}

const withDerivedSlug = (form: FormState): FormState => ({
  ...form,
  draft: { ...form.draft, slug: form.draft.slug || slugOf(form.draft.name ?? '') },
});

const withSlug = (body: Record<string, unknown>): Record<string, unknown> => {
  const slug = body.slug ?? slugOf(String(body.name ?? ''));
  return { ...body, ...(slug !== '' && { slug }) };
};

/** Creates the first blueprint, unless another user has created it. */
async function createFirstBlueprint(): Promise<void> {
  try {
    await call('POST', '/v1/blueprints', FIRST);
  } catch (error) {
    if (asFailure(error).code !== 'CONFLICT') throw error;
  }
}
