import { typeTitle } from '#console/api/check-names.ts';
import type { CheckDetail } from '#console/api/records.ts';
import { schemas } from '#console/api/schemas.ts';
import { live } from '#console/app/live.ts';
import { Labels } from '#console/parts/labels.tsx';
import { Section } from '#console/parts/page.tsx';
import { Time } from '#console/parts/time.tsx';
import { durationText } from '#console/rules/durations.ts';
import { draftOf } from '#console/rules/form-draft.ts';
import { type FieldSpec, fieldsOf } from '#console/rules/form-fields.ts';
import { lineOf, rowsIn } from '#console/rules/rows.ts';

function settingText(spec: FieldSpec, typed: string): string {
  if (spec.kind === 'duration') return durationText(spec, typed);
  if (spec.kind !== 'rows' && spec.kind !== 'map') return typed;
  return rowsIn(typed)
    .map((row) => lineOf(spec.columns, row))
    .join('\n');
}

const SKIPPED = ['entity_id', 'entity', 'name', 'labels', 'enabled'];

export function CheckFacts({ check }: { check: CheckDetail }) {
  const specs = fieldsOf(schemas.checks[check.check_type] ?? {}, SKIPPED);
  const draft = draftOf(specs, check);
  // Labels of the check take precedence, as in searches.
  const labels = { ...live.fleet.value?.get(check.entity_id)?.labels, ...check.labels };
  const valueAt = (path: string) => path.split('.').reduce<unknown>((at, name) => (at as never)?.[name], check);
  return (
    <Section title="Settings">
      <dl class="facts">
        <div>
          <dt>Type</dt>
          <dd>{typeTitle(check.check_type)}</dd>
        </div>
        {specs.map((spec) => {
          const { path, label, secret } = spec;
          const text = settingText(spec, draft[path] ?? '');
          const shown = secret && valueAt(path) !== undefined ? 'set (hidden)' : text;
          return (
            shown && (
              <div key={path}>
                <dt>{label}</dt>
                <dd dir="auto">{shown}</dd>
              </div>
            )
          );
        })}
        {Object.keys(labels).length > 0 && (
          <div>
            <dt>Labels</dt>
            <dd>
              <Labels labels={labels} />
            </dd>
          </div>
        )}
        <div>
          <dt>Created</dt>
          <dd>
            <Time at={check.created_at} />
          </dd>
        </div>
      </dl>
    </Section>
  );
}
