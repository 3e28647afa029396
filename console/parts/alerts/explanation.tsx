import { useState } from 'preact/hooks';
import { useLoad } from '#console/api/load.ts';
import type { Explanation, Transition } from '#console/api/records.ts';
import { EntityName } from '#console/parts/entity-name.tsx';
import { Icon } from '#console/parts/icon.tsx';
import { Data } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import { RULE_OUTCOME } from '#console/rules/alert-reason.ts';
import { incidentHref, incidentsOfEntity } from '#console/rules/incidents.ts';
import { NEXT, type Piece, piecesOf } from '#console/rules/rule-facts.ts';
import { CauseEvaluations } from './cause-evaluations.tsx';

/** Why one change of state was announced or not: what each rule said, once somebody asks. */
export function WhyOf({ transition }: { transition: string }) {
  const [opened, open] = useState(false);
  const found = useLoad<Explanation>(opened ? `/v1/transitions/${transition}/explain` : null);
  return (
    <details class="why-card" open={opened} onToggle={(event) => open(event.currentTarget.open)}>
      <summary>Why: what each rule said</summary>
      {opened && <Data of={found}>{(explanation) => <Why explanation={explanation} />}</Data>}
    </details>
  );
}

/** An explanation: the answer, then every rule with what it looked at. */
export const Why = ({ explanation }: { explanation: Explanation }) => {
  const { sentence, remedy, rules, transition, evaluations, next } = explanation;
  return (
    <>
      <p dir="auto">{sentence}</p>
      {remedy && (
        <p>
          <Marked text={remedy} />
        </p>
      )}
      {transition?.alert.attributed_to && <Because of={transition.alert.attributed_to} />}
      {transition && <p>{incidentOf(transition)}</p>}
      {rules.length > 0 && (
        <ol class="rules">
          {rules.map((one) => (
            <li key={one.rule} class={one.outcome}>
              <Icon name={ICON[one.outcome]} />
              <strong>{one.label}</strong>
              <span>{RULE_OUTCOME[one.outcome]}</span>
              <span class="hint" dir="auto">
                <Marked text={one.found} />
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

/** The incident that explains it, where it is known; else those of its entity. */
const incidentOf = ({ entity_id, alert: { attributed_to } }: Transition) =>
  because?.incident_id ? (
    <a href={incidentHref(because.incident_id)}>The incident</a>
  ) : (
    <a href={incidentsOfEntity(entity_id)}>Incidents of the entity</a>
  );

/** The failure that it follows from. */
const Because = ({ of }: { of: NonNullable<Transition['alert']['attributed_to']> }) =>
  of.root_entity_id && (
    <p dir="auto">
      Cause: <EntityName id={of.root_entity_id} name={of.root_entity_name} />
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

/** A text of the API: its times in the chosen zone, its ids as links. */
const Marked = ({ text }: { text: string }) => (
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
