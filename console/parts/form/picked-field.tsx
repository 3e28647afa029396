import type { ComponentChildren } from 'preact';
import { live } from '#console/app/live.ts';
import { Button } from '#console/parts/button.tsx';
import { CheckPicker, nameOfCheck, useNamedChecks } from '#console/parts/check-picker.tsx';
import { EntityPicker } from '#console/parts/entity-picker.tsx';
import { type FrameProps, GroupFrame } from '#console/parts/field.tsx';
import { readLines, withLine, withoutLine } from '#console/rules/lines.ts';

type PickedProps = FrameProps & {
  /** Ids, one per line. */
  value: string;
  onChange: (lines: string) => void;
};

export function EntitiesField(props: PickedProps) {
  const nameOf = (id: string) => live.fleet.value?.get(id)?.name ?? id;
  return (
    <PickedField
      {...props}
      kind="entities"
      nameOf={nameOf}
      picker={(add) => (
        <EntityPicker label="Add entity" placeholder="Search by name" value="" optional onChange={add} />
      )}
    />
  );
}

/** Selects several checks by their names or the names of their entities. */
export function ChecksField(props: PickedProps) {
  const checks = useNamedChecks(props.value !== '');
  const nameOf = (id: string) => {
    const found = checks?.find((check) => check.id === id);
    return found ? nameOfCheck(found) : id;
  };
  return (
    <PickedField
      {...props}
      kind="checks"
      nameOf={nameOf}
      picker={(add) => <CheckPicker label="Add check" value="" onChange={add} />}
    />
  );
}

type ListProps = PickedProps & {
  kind: 'entities' | 'checks';
  nameOf: (id: string) => string;
  picker: (add: (id: string) => void) => ComponentChildren;
};

const PickedField = ({ kind, value, onChange, nameOf, picker, ...frame }: ListProps) => (
  <GroupFrame kind={kind} {...frame}>
    {value !== '' && (
      <ul class="labels">
        {readLines(value).map((id) => (
          <li key={id}>
            <bdi>{nameOf(id)}</bdi>
            <Button
              small
              quiet
              icon="close"
              label={`Remove ${nameOf(id)}`}
              onClick={() => onChange(withoutLine(value, id))}
            />
          </li>
        ))}
      </ul>
    )}
    {picker((id) => id !== '' && onChange(withLine(value, id)))}
  </GroupFrame>
);
