import { useId, useMemo, useState } from 'preact/hooks';
import { live } from '#console/app/live.ts';
import { filtered, inOrder } from '#console/rules/fleet.ts';
import { Field } from './field.tsx';
import { StateShape } from './state-mark.tsx';

type PickerProps = {
  label: string;
  hint?: string;
  error?: string | undefined;
  /** Id of the selected entity; empty: none. */
  value: string;
  onChange: (id: string) => void;
  optional?: boolean;
};

const MAX_SUGGESTIONS = 8;
const ALL_STATES = new Set<never>();

/** Selects an entity by a few letters: a combobox with a list (WAI-ARIA Authoring Practices, combobox). */
export function EntityPicker({ label, hint, error, value, onChange, optional = false }: PickerProps) {
  const fleet = live.fleet.value;
  const chosen = fleet?.get(value);
  const [text, setText] = useState<string | undefined>(undefined);
  const [at, setAt] = useState(0);
  const id = useId();
  const rows = useMemo(() => (fleet ? inOrder(fleet) : []), [fleet]);
  const isOpen = text !== undefined;
  const found = isOpen ? filtered(rows, { states: ALL_STATES, words: text }).slice(0, MAX_SUGGESTIONS) : [];
  const current = Math.min(at, found.length - 1);

  function choose(entity: { id: string } | undefined) {
    if (!entity) return;
    onChange(entity.id);
    setText(undefined);
  }
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !isOpen) setText('');
    else if (step && found.length > 0) setAt((current + step + found.length) % found.length);
    else if (event.key === 'Enter' && isOpen) choose(found[current]);
    else if (event.key === 'Escape' && isOpen) setText(undefined);
    else return;
    event.preventDefault();
  }
  return (
    <Field label={label} hint={hint} error={error} required={!optional}>
      {(ids) => (
        <div class="picker">
          <input
            {...ids}
            role="combobox"
            aria-expanded={isOpen}
            aria-controls={`${id}-list`}
            aria-autocomplete="list"
            aria-activedescendant={found.length > 0 ? `${id}-${current}` : undefined}
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
          <div id={`${id}-list`} role="listbox" aria-label={label} class="picker-list palette-list" hidden={!isOpen}>
            {found.map((entity, i) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
              <div
                key={entity.id}
                id={`${id}-${i}`}
                role="option"
                tabIndex={-1}
                aria-selected={i === current}
                // The field keeps the focus, so that blur does not close the list before the click.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(entity)}
              >
                <StateShape state={entity.state} />
                <span class="palette-name" dir="auto">
                  {entity.name}
                </span>
                <span class="hint">{entity.blueprint_slug}</span>
              </div>
            ))}
          </div>
          {isOpen && found.length === 0 && <p class="hint">{fleet ? 'No matches' : 'Loading…'}</p>}
        </div>
      )}
    </Field>
  );
}
