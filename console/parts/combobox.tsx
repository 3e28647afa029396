import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import { Field } from './field.tsx';

type ComboboxProps<T> = {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  required?: boolean | undefined;
  chosen: string;
  placeholder: string;
  /** Returns the best matches of the typed text; undefined: still loading. */
  find: (text: string) => readonly T[] | undefined;
  children: (option: T) => ComponentChildren;
  /** Receives the selected option; undefined if the user emptied the field. */
  onChoose: (option: T | undefined) => void;
  onOpen?: () => void;
};

/** Selects an option by a few letters: a combobox with a list (WAI-ARIA Authoring Practices, combobox). */
export function Combobox<T extends { id: string }>(props: ComboboxProps<T>) {
  const { label, hint, error, required, chosen, placeholder, find, children, onChoose, onOpen } = props;
  const [text, setText] = useState<string | undefined>(undefined);
  const [at, setAt] = useState(0);
  const id = useId();
  const isOpen = text !== undefined;
  const options = isOpen ? find(text) : [];
  const found = options ?? [];
  const current = Math.min(at, found.length - 1);

  function type(next: string) {
    if (!isOpen) onOpen?.();
    setText(next);
    setAt(0);
  }
  function choose(option: T | undefined) {
    if (!option) return;
    onChoose(option);
    setText(undefined);
  }
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !isOpen) type('');
    else if (step && found.length > 0) setAt((current + step + found.length) % found.length);
    else if (event.key === 'Enter' && isOpen) choose(found[current]);
    else if (event.key === 'Escape' && isOpen) setText(undefined);
    else return;
    event.preventDefault();
  }
  return (
    <Field label={label} hint={hint} error={error} required={required}>
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
            placeholder={placeholder}
            dir="auto"
            value={text ?? chosen}
            onFocus={(event) => event.currentTarget.select()}
            onInput={(event) => {
              type(event.currentTarget.value);
              if (!required && event.currentTarget.value === '') onChoose(undefined);
            }}
            onClick={() => !isOpen && type('')}
            onBlur={() => setText(undefined)}
            onKeyDown={onKeyDown}
          />
          <div class="picker-list" hidden={!isOpen}>
            <div id={`${id}-list`} role="listbox" aria-label={label} class="palette-list">
              {found.map((option, i) => (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
                <div
                  key={option.id}
                  id={`${id}-${i}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={i === current}
                  // The field keeps the focus, so that blur does not close the list before the click.
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => choose(option)}
                >
                  {children(option)}
                </div>
              ))}
            </div>
            {found.length === 0 && <p class="hint">{options ? 'No matches' : 'Loading…'}</p>}
          </div>
        </div>
      )}
    </Field>
  );
}
