import type { Explanation } from '#console/api/records.ts';
import { EntityName } from '#console/parts/entity-name.tsx';
import { Time } from '#console/parts/time.tsx';
import { EVIDENCE, UPSTREAM_STATUS } from '#console/rules/rule-facts.ts';
import { count } from '#console/rules/words.ts';

type CauseEvaluation = Explanation['evaluations'][number];

export const CauseEvaluations = ({ evaluations }: { evaluations: readonly CauseEvaluation[] }) => (
  <details>
    <summary>{count(evaluations.length, 'cause evaluation')}</summary>
    <ol class="evaluations">
      {evaluations.map(({ at, roots, ancestors, truncated }) => (
        <li key={at}>
          <Time at={at} as="full" />: {roots.length === 0 ? 'no upstream cause' : <>caused by {names(roots)}</>}
          <ul>
            {ancestors.map(({ entity_id, status, evidence, at: seen }) => (
              <li key={entity_id} class="hint">
                <EntityName id={entity_id} /> {UPSTREAM_STATUS[status]}
                {EVIDENCE[evidence]}
                {seen && (
                  <>
                    {' '}
                    at <Time at={seen} as="clock" />
                  </>
                )}
              </li>
            ))}
            {truncated && <li class="hint">More upstream entities exist.</li>}
          </ul>
        </li>
      ))}
    </ol>
  </details>
);

const names = (ids: readonly string[]) =>
  ids.map((id, i) => (
    <span key={id}>
      {i > 0 && ', '}
      <EntityName id={id} />
    </span>
  ));
