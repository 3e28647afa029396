import { useState } from 'preact/hooks';
import { labelOf } from '#console/api/check-names.ts';
import { useLoad } from '#console/api/load.ts';
import type { Check } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { Button } from '#console/parts/button.tsx';
import { SelectField, TextField } from '#console/parts/field.tsx';
import { filtered } from '#console/rules/fleet.ts';
import { readLines, withLine, withoutLine } from '#console/rules/lines.ts';

type Lines = { value: string; error?: string | undefined; onChange: (lines: string) => void };

const OFFERED = 20;
const ALL = 'all, including future checks';

/** Restricts a key to checks: all checks of some entities, or single checks. Empty: no restriction. */
export function CheckRestriction({ checks, entities }: { checks: Lines; entities: Lines }) {
  const [words, setWords] = useState('');
  const [entity, choose] = useState('');
  const [check, chooseCheck] = useState('');
  const [names, name] = useState<Readonly<Record<string, string>>>({});
  const fleet = live.fleet.value;
  const found = fleet ? filtered([...fleet.values()], { states: new Set(), words }).slice(0, OFFERED) : [];
  const chosen = found.find(({ id }) => id === entity) ?? found[0];
  const ofEntity = useLoad<Check[]>(chosen ? `/v1/checks?entity_id=${chosen.id}` : null);
  const nameOf = (id: string) => names[id] ?? fleet?.get(id)?.name ?? id;
  const chosenTargets = [
    ...readLines(entities.value).map((id) => ({ id, lines: entities, what: `All checks of ${nameOf(id)}` })),
    ...readLines(checks.value).map((id) => ({ id, lines: checks, what: nameOf(id) })),
  ];
  function add() {
    const one = ofEntity.data?.find(({ id }) => id === check);
    if (one) {
      name({ ...names, [one.id]: `${labelOf(one)} of ${chosen!.name}` });
      checks.onChange(withLine(checks.value, one.id));
    } else entities.onChange(withLine(entities.value, chosen!.id));
  }
  return (
    <fieldset class="field">
      <legend>Restrict to checks</legend>
      <p class="hint">Empty: the key can push to every check.</p>
      {[checks.error, entities.error].map((error) => error && <p class="field-error">{error}</p>)}
      {chosenTargets.length > 0 && (
        <ul class="chips" aria-label="Restricted to">
          {chosenTargets.map(({ id, lines, what }) => (
            <li key={id}>
              <bdi>{what}</bdi>
              <Button
                small
                quiet
                icon="close"
                label={`Remove ${what}`}
                onClick={() => lines.onChange(withoutLine(lines.value, id))}
              />
            </li>
          ))}
        </ul>
      )}
      <div class="fields">
        <TextField label="Find an entity" value={words} onChange={setWords} />
        <SelectField
          label="Entity"
          value={chosen?.id ?? ''}
          options={found.map(({ id, name: called }) => ({ value: id, label: called }))}
          onChange={(id) => {
            choose(id);
            chooseCheck('');
          }}
        />
        <SelectField
          label="Check"
          value={check}
          options={[
            { value: '', label: ALL },
            ...(ofEntity.data ?? []).map((one) => ({ value: one.id, label: labelOf(one) })),
          ]}
          onChange={chooseCheck}
        />
        <Button why={chosen ? undefined : 'No matching entity.'} onClick={add}>
          Add
        </Button>
      </div>
    </fieldset>
  );
}
