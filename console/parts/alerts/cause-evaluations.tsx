import type { Explanation } from '#console/api/records.ts';
import { EntityName } from '#console/parts/entity-name.tsx';
import { Time } from '#console/parts/time.tsx';
import { KNOWN_BY, STATUS_OF_ANCESTOR } from '#console/rules/rule-facts.ts';

type CauseEvaluation = Explanation['evaluations'][number];

/** What each look for the cause of a failure saw, while its alert was held. */
export const CauseEvaluations = ({ evaluations }: { evaluations: readonly CauseEvaluation[] }) => (
  <details>
    <summary>Looked for its cause {evaluations.length === 1 ? 'once' : `${evaluations.length} times`}</summary>
    <ol class="evaluations">
      {evaluations.map(({ at, roots, ancestors, truncated }) => (
        <li key={at}>
          <Time at={at} as="full" />:{' '}
          {roots.length === 0 ? 'it follows from nothing else' : <>it follows from {names(roots)}</>}
          <ul>
            {ancestors.map(({ entity_id, status, evidence, at: seen }) => (
              <li key={entity_id} class="hint">
                <EntityName id={entity_id} /> {STATUS_OF_ANCESTOR[status]}
                {KNOWN_BY[evidence]}
                {seen && (
                  <>
                    {' '}
                    at <Time at={seen} as="clock" />
                  </>
                )}
              </li>
            ))}
            {truncated && <li class="hint">There were more than are looked at, or shown.</li>}
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
