import { useEffect, useState } from 'preact/hooks';
import { live } from '#console/app/live.ts';
import { setQuery } from '#console/app/router.ts';
import { StateShape } from '#console/parts/state-mark.tsx';
import { type CheckFilter, type CheckRow, stateCounts } from '#console/rules/check-list.ts';
import { labelChoices } from '#console/rules/labels.ts';
import { BY_SEVERITY, STATE_WORD } from '#console/rules/states.ts';
import { number } from '#console/rules/words.ts';

type FilterProps = {
  rows: readonly CheckRow[];
  filter: CheckFilter;
  withoutChannel: boolean;
  /** Chosen label. The API filters by it, because labels of entities count too. */
  label: string;
  types: readonly { value: string; label: string }[];
};

export function CheckFilters({ rows, filter, withoutChannel, label, types }: FilterProps) {
  const { states, type, enabled, words } = filter;
  const counts = stateCounts(rows);
  const labels = labelChoices([...rows.map(({ check }) => check), ...(live.fleet.value?.values() ?? [])], label);
  function toggle(state: string) {
    const next = new Set(states);
    if (!next.delete(state)) next.add(state);
    setQuery({ state: [...next].join() });
  }
  return (
    <div class="filters">
      <fieldset class="state-filter">
        <legend class="unseen">Show states</legend>
        {BY_SEVERITY.map((state) => (
          <button
            key={state}
            type="button"
            class={counts[state] === 0 ? 'none' : state}
            aria-pressed={states.has(state)}
            onClick={() => toggle(state)}
          >
            <StateShape state={state} />
            <strong>{number(counts[state])}</strong>
            <span>{STATE_WORD[state]}</span>
          </button>
        ))}
      </fieldset>
      <Search words={words} />
      <Choice label="Type" name="type" value={type} options={[{ value: '', label: 'All types' }, ...types]} />
      <Choice
        label="Enabled"
        name="enabled"
        value={enabled}
        options={[
          { value: '', label: 'Enabled and disabled' },
          { value: 'yes', label: 'Enabled' },
          { value: 'no', label: 'Disabled' },
        ]}
      />
      {labels.length > 0 && (
        <Choice
          label="Label"
          name="label"
          value={label}
          options={[{ value: '', label: 'All labels' }, ...labels.map((value) => ({ value, label: value }))]}
        />
      )}
      <Choice
        label="Channels"
        name="channel"
        value={withoutChannel ? 'none' : ''}
        options={[
          { value: '', label: 'With or without channels' },
          { value: 'none', label: 'Without a channel' },
        ]}
      />
    </div>
  );
}

type ChoiceProps = { label: string; name: string; value: string; options: readonly { value: string; label: string }[] };

const Choice = ({ label, name, value, options }: ChoiceProps) => (
  <select
    class="filter-choice"
    aria-label={label}
    value={value}
    onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
  >
    {options.map((option) => (
      <option key={option.value} value={option.value}>
        {option.label}
      </option>
    ))}
  </select>
);

const SEARCH_DELAY_MS = 150;

function Search({ words }: { words: string }) {
  const [text, setText] = useState(words);
  useEffect(() => setText(words), [words]);
  useEffect(() => {
    if (text === words) return;
    const timer = setTimeout(() => setQuery({ q: text }), SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [text, words]);
  return (
    <input
      type="search"
      class="search"
      aria-label="Search by name, entity or error"
      placeholder="Search"
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}
