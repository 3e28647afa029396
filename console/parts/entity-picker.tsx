import type { ComponentChildren } from 'preact';
import { useId, useMemo, useState } from 'preact/hooks';
import { asFailure, call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import type { Blueprint, Entity } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { refusal } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { blueprintPath } from '#console/rules/catalog.ts';
import { filtered, inOrder } from '#console/rules/fleet.ts';
import { slugOf } from '#console/rules/slug.ts';
import { Field } from './field.tsx';
import { Icon } from './icon.tsx';
import { StateShape } from './state-mark.tsx';

type PickerProps = {
  label: string;
  hint?: string;
  error?: string | undefined;
  /** Id of the selected entity; empty: none. */
  value: string;
  onChange: (id: string) => void;
  optional?: boolean;
  /** Whether to offer a new entity if no entity matches. */
  creates?: boolean;
};

type Choice = { key: string; icon: ComponentChildren; name: string; hint: string; choose: () => void };

const MAX_SUGGESTIONS = 8;
const ALL_STATES = new Set<never>();

/** Selects an entity by a few letters: a combobox with a list (WAI-ARIA Authoring Practices, combobox). */
export function EntityPicker(props: PickerProps) {
  const { label, hint, error, value, onChange, optional = false, creates = false } = props;
  const fleet = live.fleet.value;
  const chosen = fleet?.get(value);
  const [text, setText] = useState<string | undefined>(undefined);
  const [at, setAt] = useState(0);
  const [failure, fail] = useState<string | undefined>(undefined);
  const id = useId();
  const canCreate = creates && refusal('write') === undefined;
  const blueprints = useLoad<Blueprint[]>(canCreate ? '/v1/blueprints' : null, { all: true });
  const rows = useMemo(() => (fleet ? inOrder(fleet) : []), [fleet]);
  const isOpen = text !== undefined;
  const found = isOpen ? filtered(rows, { states: ALL_STATES, words: text }).slice(0, MAX_SUGGESTIONS) : [];

  function choose(entity: { id: string }) {
    onChange(entity.id);
    setText(undefined);
    fail(undefined);
  }
  async function create(blueprint: Blueprint, name: string) {
    try {
      const body = { name, slug: slugOf(name) };
      const made = await call<Entity>('POST', `${blueprintPath(blueprint.slug)}/entities`, body);
      await live.refresh();
      showToast(`${made.name} is created.`);
      choose(made);
    } catch (thrown) {
      fail(asFailure(thrown).message);
    }
  }
  const name = text?.trim() ?? '';
  const isNew = fleet !== undefined && name !== '' && found.length === 0;
  const choices: Choice[] = [
    ...found.map((entity) => ({
      key: entity.id,
      icon: <StateShape state={entity.state} />,
      name: entity.name,
      hint: entity.blueprint_slug,
      choose: () => choose(entity),
    })),
    ...(isNew ? (blueprints.data ?? []) : [])
      .toSorted((a, b) => Number(b.is_default) - Number(a.is_default))
      .map((blueprint) => ({
        key: blueprint.slug,
        icon: <Icon name="add" />,
        name: `Create “${name}”`,
        hint: blueprint.slug,
        choose: () => void create(blueprint, name),
      })),
  ];
  const current = Math.min(at, choices.length - 1);

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !isOpen) setText('');
    else if (step && choices.length > 0) setAt((current + step + choices.length) % choices.length);
    else if (event.key === 'Enter' && isOpen) choices[current]?.choose();
    else if (event.key === 'Escape' && isOpen) setText(undefined);
    else return;
    event.preventDefault();
  }
  return (
    <Field label={label} hint={hint} error={failure ?? error} required={!optional}>
      {(ids) => (
        <div class="picker">
          <input
            {...ids}
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={choices.length > 0 ? `${id}-${current}` : undefined}
            autocomplete="off"
            spellcheck={false}
            placeholder={optional ? 'All; search by name' : 'Search by name'}
            dir="auto"
            value={text ?? chosen?.name ?? value}
            onFocus={(event) => event.currentTarget.select()}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setAt(0);
              if (optional && event.currentTarget.value === '') onChange('');
            }}
            onClick={() => setText(text ?? '')}
            onBlur={() => setText(undefined)}
            onKeyDown={onKeyDown}
          />
          <div class="picker-list" hidden={!isOpen}>
            <div id={`${id}-list`} role="listbox" aria-label={label} class="palette-list">
              {choices.map((choice, i) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
                <div
                  key={choice.key}
                  id={`${id}-${i}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={i === current}
                  // The field keeps the focus, so that blur does not close the list before the click.
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={choice.choose}
                >
                  {choice.icon}
                  <span class="palette-name" dir="auto">
                    {choice.name}
                  </span>
                  <span class="hint">{choice.hint}</span>
                </div>
              ))}
            </div>
            {choices.length === 0 && <p class="hint">{fleet ? 'No matches' : 'Loading…'}</p>}
          </div>
        </div>
      )}
    </Field>
  );
}
