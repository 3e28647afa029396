import { useMemo } from 'preact/hooks';
import { live } from '#console/app/live.ts';
import { filtered, inOrder } from '#console/rules/fleet.ts';
import { Combobox } from './combobox.tsx';
import { StateShape } from './state-mark.tsx';

type PickerProps = {
  label: string;
  hint?: string;
  error?: string | undefined;
  /** Id of the selected entity; empty: none. */
  value: string;
  onChange: (id: string) => void;
  optional?: boolean;
  placeholder?: string;
};

export const MAX_SUGGESTIONS = 8;
const ALL_STATES = new Set<never>();

/** Selects an entity by name. */
export function EntityPicker({ label, hint, error, value, onChange, optional = false, placeholder }: PickerProps) {
  const fleet = live.fleet.value;
  const rows = useMemo(() => fleet && inOrder(fleet), [fleet]);
  return (
    <Combobox
      label={label}
      hint={hint}
      error={error}
      required={!optional}
      chosen={fleet?.get(value)?.name ?? value}
      placeholder={placeholder ?? (optional ? 'All; search by name' : 'Search by name')}
      find={(text) => rows && filtered(rows, { states: ALL_STATES, words: text }).slice(0, MAX_SUGGESTIONS)}
      onChoose={(entity) => onChange(entity?.id ?? '')}
    >
      {({ state, name, blueprint_slug }) => (
        <>
          <StateShape state={state} />
          <span class="palette-name" dir="auto">
            {name}
          </span>
          <span class="hint">{blueprint_slug}</span>
        </>
      )}
    </Combobox>
  );
}
