import { typeTitle } from '#console/api/check-names.ts';
import type { CheckDetail } from '#console/api/records.ts';
import { schemas } from '#console/api/schemas.ts';
import { live } from '#console/app/live.ts';
import { Labels } from '#console/parts/labels.tsx';
import { Section } from '#console/parts/page.tsx';
import { Time } from '#console/parts/time.tsx';
import { draftOf } from '#console/rules/form-draft.ts';
import { fieldsOf } from '#console/rules/form-fields.ts';
import { lineOf, rowsIn } from '#console/rules/rows.ts';

/** Said elsewhere on the page, or of no use. */
const SKIPPED = ['entity_id', 'entity', 'name', 'labels', 'enabled'];

/** Its settings: those of its type, by the type's own schema. */
export function CheckFacts({ check }: { check: CheckDetail }) {
  const specs = fieldsOf(schemas.checks[check.check_type] ?? {}, SKIPPED);
  const draft = draftOf(specs, check);
  // As one looks for it: its own win over those of its entity.
  const labels = { ...live.fleet.value?.get(check.entity_id)?.labels, ...check.labels };
  const isSet = (path: string) => path.split('.').reduce<unknown>((at, name) => (at as never)?.[name], check);
  return (
    <Section title="Settings">
      <dl class="facts">
        <div>
          <dt>Type</dt>
          <dd>{typeTitle(check.check_type)}</dd>
        </div>
        {specs.map(({ path, label, secret, kind, columns }) => {
          const typed = draft[path] ?? '';
          const said =
            kind === 'rows'
              ? rowsIn(typed)
                  .map((row) => lineOf(columns, row))
                  .join('\n')
              : typed;
          const text = secret && isSet(path) !== undefined ? 'set; not shown here' : said;
          return (
            text && (
              <div key={path}>
                <dt>{label}</dt>
                <dd dir="auto">{text}</dd>
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
          <dt>Made</dt>
          <dd>
            <Time at={check.created_at} />
          </dd>
        </div>
      </dl>
    </Section>
  );
}
