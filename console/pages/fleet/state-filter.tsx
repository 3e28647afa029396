import type { State } from '#console/api/records.ts';
import { StateShape } from '#console/parts/state-mark.tsx';
import type { Counts } from '#console/rules/fleet.ts';
import { BY_SEVERITY, STATE_WORD } from '#console/rules/states.ts';
import { number } from '#console/rules/words.ts';

type StateFilterProps = {
  counts: Counts | undefined;
  wanted: ReadonlySet<State>;
  onChange: (wanted: ReadonlySet<State>) => void;
};

export function StateFilter({ counts, wanted, onChange }: StateFilterProps) {
  function toggle(state: State) {
    const next = new Set(wanted);
    if (!next.delete(state)) next.add(state);
    onChange(next);
  }
  return (
    <fieldset class="state-filter">
      <legend class="unseen">Show states</legend>
      {BY_SEVERITY.map((state) => (
        <button
          key={state}
          type="button"
          class={counts?.[state] === 0 ? 'none' : state}
          aria-pressed={wanted.has(state)}
          onClick={() => toggle(state)}
        >
          <StateShape state={state} />
          <strong>{counts ? number(counts[state]) : '–'}</strong>
          <span>{STATE_WORD[state]}</span>
        </button>
      ))}
    </fieldset>
  );
}
