import { useId, useMemo, useState } from 'preact/hooks';
import { useLoad } from '#console/api/load.ts';
import { Dialog } from '#console/parts/dialog.tsx';
import { Icon } from '#console/parts/icon.tsx';
import { StateShape } from '#console/parts/state-mark.tsx';
import { findTargets, type PaletteTarget } from '#console/rules/palette.ts';
import { STATE_WORD } from '#console/rules/states.ts';
import { type CheckName, paletteTargets } from './targets.ts';

/** Jumps to an entity, check, page or command: a combobox with a list (WAI-ARIA Authoring Practices, combobox). */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const checks = useLoad<CheckName[]>('/v1/checks', { all: true });
  const places = useMemo(() => paletteTargets(checks.data ?? []), [checks.data]);
  const found = findTargets(places, text);
  const current = Math.min(at, found.length - 1);

  function open(place: PaletteTarget | undefined) {
    if (!place) return;
    onClose();
    location.hash = place.href;
  }
  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length > 0) setAt((current + step + found.length) % found.length);
    else if (event.key === 'Enter') open(found[current]);
    else return;
    event.preventDefault();
  }
  return (
    <Dialog title="Jump to" onClose={onClose}>
      <input
        class="palette-input"
        type="search"
        // biome-ignore lint/a11y/noRedundantRoles: an input without `list` does not have this role by default
        role="combobox"
        autoFocus
        aria-label="Jump to"
        aria-expanded={true}
        aria-controls={id}
        aria-activedescendant={found.length > 0 ? `${id}-${current}` : undefined}
        list={undefined}
        autocomplete="off"
        placeholder="Entity, check, page or command"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div class="palette-list" id={id} role="listbox" aria-label="Matches">
        {found.map((place, i) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above handles the keys
          <div
            key={`${place.kind} ${place.href}`}
            id={`${id}-${i}`}
            role="option"
            tabIndex={-1}
            aria-selected={i === current}
            onClick={() => open(place)}
          >
            {place.state ? <StateShape state={place.state} /> : <Icon name="right" />}
            <span class="palette-name">{place.name}</span>
            <span class="hint">
              {place.state ? `${place.kind}, ${STATE_WORD[place.state].toLowerCase()}` : place.kind}
            </span>
          </div>
        ))}
      </div>
      {found.length === 0 && <p class="hint">No matches</p>}
      {checks.failure && <p class="field-error">Checks are missing: {checks.failure.message}</p>}
    </Dialog>
  );
}
