import { useMemo, useState } from 'preact/hooks';
import { asFailure, call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import type { Blueprint, Entity } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { refusal } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { blueprintPath } from '#console/rules/catalog.ts';
import { type FleetRow, filtered, inOrder } from '#console/rules/fleet.ts';
import { slugOf } from '#lib/platform/slug.ts';
import { Combobox } from './combobox.tsx';
import { Icon } from './icon.tsx';
import { StateShape } from './state-mark.tsx';

type PickerProps = {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  value: string;
  onChange: (id: string) => void;
  optional?: boolean;
  creates?: boolean;
  placeholder?: string;
};

/** Option that creates an entity of a blueprint with the typed name. `id`: slug of the blueprint. */
type NewEntity = { id: string; name: string; blueprint: Blueprint };

export const MAX_SUGGESTIONS = 8;
const ALL_STATES = new Set<never>();

export function EntityPicker({ optional = false, creates = false, ...props }: PickerProps) {
  const { label, hint, error, value, onChange, placeholder } = props;
  const fleet = live.fleet.value;
  const rows = useMemo(() => fleet && inOrder(fleet), [fleet]);
  const [failure, fail] = useState<string | undefined>(undefined);
  const canCreate = creates && refusal('write') === undefined;
  const blueprints = useLoad<Blueprint[]>(canCreate ? '/v1/blueprints' : null, { all: true });

  async function create({ name, blueprint }: NewEntity) {
    try {
      const body = { name, slug: slugOf(name) };
      const made = await call<Entity>('POST', `${blueprintPath(blueprint.slug)}/entities`, body);
      await live.refresh();
      showToast(`${made.name} is created.`);
      fail(undefined);
      onChange(made.id);
    } catch (thrown) {
      fail(asFailure(thrown).message);
    }
  }
  function newEntities(name: string): NewEntity[] {
    if (name === '') return [];
    const defaultFirst = (blueprints.data ?? []).toSorted((a, b) => Number(b.is_default) - Number(a.is_default));
    return defaultFirst.map((blueprint) => ({ id: blueprint.slug, name, blueprint }));
  }
  return (
    <Combobox
      label={label}
      hint={hint}
      error={failure ?? error}
      required={!optional}
      chosen={fleet?.get(value)?.name ?? value}
      placeholder={placeholder ?? (optional ? 'All; search by name' : 'Search by name')}
      find={(text): readonly (NewEntity | FleetRow)[] | undefined => {
        const found = rows && filtered(rows, { states: ALL_STATES, words: text }).slice(0, MAX_SUGGESTIONS);
        return found?.length === 0 ? newEntities(text.trim()) : found;
      }}
      onChoose={(option) => {
        if (option && 'blueprint' in option) void create(option);
        else onChange(option?.id ?? '');
      }}
    >
      {(option) => (
        <>
          {'blueprint' in option ? <Icon name="add" /> : <StateShape state={option.state} />}
          <span class="palette-name" dir="auto">
            {'blueprint' in option ? `Create “${option.name}”` : option.name}
          </span>
          <span class="hint">{'blueprint' in option ? option.blueprint.slug : option.blueprint_slug}</span>
        </>
      )}
    </Combobox>
  );
}
