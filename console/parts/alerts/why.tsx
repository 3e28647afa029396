import { useState } from 'preact/hooks';
import { useLoad } from '#console/api/load.ts';
import type { Explanation } from '#console/api/records.ts';
import { Icon } from '#console/parts/icon.tsx';
import { Data } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import { RULE, RULE_OUTCOME } from '#console/rules/alert-reason.ts';
import { labelOf } from '#console/rules/form-fields.ts';

type Rules = Explanation['rules'];
type Fact = Rules[number]['facts'][string];

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
export const Why = ({ explanation: { sentence, rules } }: { explanation: Explanation }) => (
  <>
    <p dir="auto">{sentence}</p>
    {rules.length > 0 && (
      <ol class="rules">
        {rules.map(({ rule, outcome, facts }) => (
          <li key={rule} class={outcome}>
            <Icon name={ICON[outcome]} />
            <strong>{RULE[rule]}</strong>
            <span>{RULE_OUTCOME[outcome]}</span>
            <Facts facts={outcome === 'not_reached' ? {} : facts} />
          </li>
        ))}
      </ol>
    )}
  </>
);

const ICON = { pass: 'done', stop: 'muted', not_reached: 'more' } as const;

const Facts = ({ facts }: { facts: Rules[number]['facts'] }) => (
  <span class="hint" dir="auto">
    {Object.entries(facts)
      .filter(([, value]) => value !== null && value !== '')
      .map(([name, value], i) => (
        <span key={name}>
          {i > 0 && ', '}
          {labelOf(name).toLowerCase()}: <Known value={value} />
        </span>
      ))}
  </span>
);

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function Known({ value }: { value: Fact }) {
  if (typeof value === 'boolean') return <>{value ? 'yes' : 'no'}</>;
  if (typeof value === 'string' && INSTANT.test(value)) return <Time at={value} as="full" />;
  return <>{String(value)}</>;
}
