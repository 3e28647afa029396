import { useMemo, useState } from 'preact/hooks';
import { labelOf } from '#console/api/check-names.ts';
import { useLoad } from '#console/api/load.ts';
import type { Check } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { SelectField } from '#console/parts/field.tsx';
import type { FormState } from '#console/parts/form/use-form.ts';
import { byName } from '#console/rules/fleet.ts';
import type { FieldSpec } from '#console/rules/form-fields.ts';

const NONE = { value: '', label: 'choose' };

/** Picks a check by its entity, because an account can have thousands of checks. */
export function CheckPicker({ form, spec: { path, label, hint } }: { form: FormState; spec: FieldSpec }) {
  const value = form.draft[path] ?? '';
  const fleet = live.fleet.value;
  const entities = useMemo(() => [...(fleet?.values() ?? [])].sort((a, b) => byName(a.name, b.name)), [fleet]);
  const current = useLoad<Check>(value ? `/v1/checks/${value}` : null);
  const [picked, pick] = useState<string | undefined>(undefined);
  const entity = picked ?? (value && current.data ? current.data.entity_id : '');
  const checks = useLoad<Check[]>(entity ? `/v1/checks?entity_id=${entity}` : null, { all: true });
  const ofEntity = (checks.data ?? []).filter(({ entity_id }) => entity_id === entity);
  // The action still names a deleted check.
  const isGone = value !== '' && picked === undefined && current.failure?.status === 404;
  return (
    <>
      <SelectField
        label="Entity"
        hint="Entity of the check."
        value={entity}
        options={[NONE, ...entities.map(({ id, name }) => ({ value: id, label: name }))]}
        onChange={(id) => {
          pick(id);
          form.set(path, '');
        }}
      />
      <SelectField
        label={label}
        hint={checks.failure?.message ?? hint}
        error={form.errors[path] ?? (isGone ? 'This check was deleted. Choose another one.' : undefined)}
        value={value}
        options={[
          NONE,
          ...(isGone ? [{ value, label: value }] : []),
          ...ofEntity.map((check) => ({ value: check.id, label: labelOf(check) })),
        ]}
        onChange={(id) => form.set(path, id)}
      />
    </>
  );
}
