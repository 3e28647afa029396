import { useMemo, useState } from 'preact/hooks';
import { labelOf } from '#console/api/check-names.ts';
import { useLoad } from '#console/api/load.ts';
import type { Check } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { findChecks } from '#console/rules/check-list.ts';
import type { FleetRow } from '#console/rules/fleet.ts';
import { Combobox } from './combobox.tsx';
import { MAX_SUGGESTIONS } from './entity-picker.tsx';
import { StateShape } from './state-mark.tsx';

type NamedCheck = { id: string; state: Check['state']; label: string; entity: FleetRow | undefined };

/** Loads all checks of the account if `isWanted`. Returns undefined until they are loaded. */
export function useNamedChecks(isWanted: boolean): readonly NamedCheck[] | undefined {
  const { data } = useLoad<Check[]>(isWanted ? '/v1/checks' : null, { all: true });
  const fleet = live.fleet.value;
  return useMemo(
    () =>
      data?.map((check) => ({
        id: check.id,
        state: check.state,
        label: labelOf(check),
        entity: fleet?.get(check.entity_id),
      })),
    [data, fleet],
  );
}

/** Returns the label of a check with the name of its entity: `login, Web shop`. */
export const nameOfCheck = ({ label, entity }: NamedCheck): string => (entity ? `${label}, ${entity.name}` : label);

type PickerProps = {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  required?: boolean;
  /** Id of the selected check; empty: none. */
  value: string;
  onChange: (id: string) => void;
};

/** Selects a check by its label or the name of its entity. */
export function CheckPicker({ value, onChange, error, ...frame }: PickerProps) {
  const [isOpened, open] = useState(false);
  const checks = useNamedChecks(isOpened || value !== '');
  const chosen = checks?.find(({ id }) => id === value);
  const isGone = value !== '' && checks !== undefined && chosen === undefined;
  return (
    <Combobox
      {...frame}
      error={error ?? (isGone ? 'This check was deleted. Choose another one.' : undefined)}
      chosen={chosen ? nameOfCheck(chosen) : value}
      placeholder="Search by check or entity"
      find={(text) => checks && findChecks(checks, text).slice(0, MAX_SUGGESTIONS)}
      onOpen={() => open(true)}
      onChoose={(check) => onChange(check?.id ?? '')}
    >
      {({ state, label, entity }) => (
        <>
          <StateShape state={state} />
          <span class="palette-name" dir="auto">
            {label}
          </span>
          <span class="hint" dir="auto">
            {entity?.name}
          </span>
        </>
      )}
    </Combobox>
  );
}
