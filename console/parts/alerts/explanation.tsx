import { useState } from 'preact/hooks';
import { useLoad } from '#console/api/load.ts';
import type { Explanation, Transition } from '#console/api/records.ts';
import { EntityName } from '#console/parts/entity-name.tsx';
import { Icon } from '#console/parts/icon.tsx';
import { Data } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import { RULE_OUTCOME } from '#console/rules/alert-reason.ts';
import { entityIncidentsHref, incidentHref } from '#console/rules/incidents.ts';
import { NEXT, type Piece, piecesOf } from '#console/rules/rule-facts.ts';
import { CauseEvaluations } from './cause-evaluations.tsx';

/** Explains the alert decision of a state change. The explanation is loaded when the user opens it. */
export function AlertExplanation({ transition }: { transition: string }) {
  const [opened, open] = useState(false);
  const found = useLoad<Explanation>(opened ? `/v1/transitions/${transition}/explain` : null);
  return (
    <details class="why-card" open={opened} onToggle={(event) => open(event.currentTarget.open)}>
      <summary>Explain: result of each rule</summary>
      {opened && <Data of={found}>{(explanation) => <Why explanation={explanation} />}</Data>}
    </details>
  );
}

export const Why = ({ explanation }: { explanation: Explanation }) => {
  const { sentence, remedy, rules, transition, evaluations, next } = explanation;
  return (
    <>
      <p dir="auto">{sentence}</p>
      {remedy && (
        <p>
          <RichText text={remedy} />
        </p>
      )}
      {transition?.alert.attributed_to && <RootCause of={transition.alert.attributed_to} />}
      {transition && <p>{incidentOf(transition)}</p>}
      {rules.length > 0 && (
        <ol class="rules">
          {rules.map((one) => (
            <li key={one.rule} class={one.outcome}>
              <Icon name={ICON[one.outcome]} />
              <strong>{one.label}</strong>
              <span>{RULE_OUTCOME[one.outcome]}</span>
              <span class="hint" dir="auto">
                <RichText text={one.found} />
              </span>
            </li>
          ))}
        </ol>
      )}
      {evaluations.length > 0 && <CauseEvaluations evaluations={evaluations} />}
      {next && (
        <p class="hint">
          Next, <Time at={next.at} as="full" />: {NEXT[next.what]}.
        </p>
      )}
    </>
  );
};

const incidentOf = ({ entity_id, alert: { attributed_to } }: Transition) =>
  attributed_to?.incident_id ? (
    <a href={incidentHref(attributed_to.incident_id)}>Open incident</a>
  ) : (
    <a href={entityIncidentsHref(entity_id)}>Incidents of the entity</a>
  );

const RootCause = ({ of }: { of: NonNullable<Transition['alert']['attributed_to']> }) =>
  of.root_entity_id && (
    <p dir="auto">
      Root cause: <EntityName id={of.root_entity_id} name={of.root_entity_name} />
      {of.root_state && `, ${of.root_state}`}
      {of.root_since && (
        <>
          {' '}
          since <Time at={of.root_since} as="full" />
        </>
      )}
    </p>
  );

const ICON = { pass: 'done', stop: 'muted', not_reached: 'more' } as const;

const RichText = ({ text }: { text: string }) => (
  <>
    {piecesOf(text).map((piece, i) => (
      <One key={i} piece={piece} />
    ))}
  </>
);

function One({ piece }: { piece: Piece }) {
  if (typeof piece === 'string') return <>{piece}</>;
  if ('at' in piece) return <Time at={piece.at} as="full" />;
  return <a href={piece.href}>{piece.id}</a>;
}
