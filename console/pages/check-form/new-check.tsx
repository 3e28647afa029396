import { call } from '#console/api/call.ts';
import { labelOf, typeTitle } from '#console/api/check-names.ts';
import { useLoad } from '#console/api/load.ts';
import type { Check } from '#console/api/records.ts';
import { schemas, type TypeSchema } from '#console/api/schemas.ts';
import { live } from '#console/app/live.ts';
import type { PageProps } from '#console/app/pages.ts';
import { go, setQuery } from '#console/app/router.ts';
import { showToast } from '#console/app/toasts.tsx';
import { EntityPicker } from '#console/parts/entity-picker.tsx';
import { SelectField } from '#console/parts/field.tsx';
import { Form, FormFields } from '#console/parts/form/form.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { Page, Section } from '#console/parts/page.tsx';
import { Data } from '#console/parts/states.tsx';
import { pathTo } from '#console/rules/address.ts';
import { startingFrom } from '#console/rules/form-draft.ts';
import { fieldsOf } from '#console/rules/form-fields.ts';
import { SettingsTest } from './test-settings.tsx';

/** Form for a new check, or for a copy of another one (`?copy=`). */
export default function NewCheckPage({ query }: PageProps) {
  const copy = query.get('copy');
  const source = useLoad<Check>(copy && `/v1/checks/${encodeURIComponent(copy)}`);
  return (
    <Page title={copy ? 'Duplicate a check' : 'New check'} above={<a href="#/checks">Checks</a>}>
      {copy ? (
        <Data of={source} what="Loading the check">
          {(found) => (
            <TypedForm type={found.check_type} source={found} entityId={query.get('entity') ?? found.entity_id} />
          )}
        </Data>
      ) : (
        <TypedForm type={query.get('type') ?? ''} entityId={query.get('entity') ?? ''} />
      )}
    </Page>
  );
}

type TypedProps = { type: string; entityId: string; source?: Check };

function TypedForm({ type: chosen, entityId, source }: TypedProps) {
  const types = Object.keys(schemas.checks);
  const type = schemas.checks[chosen] ? chosen : types[0]!;
  return (
    <Section help="settings" title={source ? `Copy of ${labelOf(source)}` : 'Check'}>
      {!source && (
        <div class="fields above-form">
          <SelectField
            label="Type"
            value={type}
            onChange={(name) => setQuery({ type: name })}
            hint={schemas.checks[type]!.description}
            options={types.map((value) => ({ value, label: typeTitle(value) }))}
          />
        </div>
      )}
      <CheckForm key={type} type={type} schema={schemas.checks[type]!} entityId={entityId} source={source} />
    </Section>
  );
}

type CheckFormProps = { type: string; schema: TypeSchema; entityId: string; source: Check | undefined };

function CheckForm({ type, schema, entityId, source }: CheckFormProps) {
  const specs = startingFrom(fieldsOf(schema, ['entity']), {
    ...source,
    // Slugs are unique, so a copy has none.
    slug: undefined,
    entity_id: entityId || undefined,
  });
  const form = useForm({
    name: source ? `copy of ${source.id}` : `new ${type} check`,
    specs,
    async send(body) {
      const created = await call<Check>('POST', '/v1/checks', { ...body, check_type: type });
      showToast(`${labelOf(created)} is created.`);
      void live.refresh();
      go(pathTo('/checks/:id', { id: created.id }));
    },
  });
  return (
    <Form form={form} submit="Save check" onCancel={() => go('/checks')}>
      <div class="fields">
        <EntityPicker
          label="Entity"
          hint="Entity whose state the check determines."
          creates
          value={entityId}
          error={form.errors.entity_id}
          onChange={(id) => setQuery({ entity: id })}
        />
      </div>
      <FormFields form={form} specs={specs.filter(({ path }) => path !== 'entity_id')} />
      {type !== 'push' && (
        <SettingsTest form={form} settings={() => ({ ...withoutEntity(form.body()), check_type: type })} />
      )}
    </Form>
  );
}

const withoutEntity = ({ entity_id: _removed, ...settings }: Record<string, unknown>) => settings;
