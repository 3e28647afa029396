import { useEffect, useState } from 'preact/hooks';
import { setQuery } from '#console/app/router.ts';
import { Button } from '#console/parts/button.tsx';
import { byName, type Fleet, filtered } from '#console/rules/fleet.ts';

type MapFiltersProps = { fleet: Fleet; blueprint: string; around: string; depth: number };

const OFFERED = 20;

/** What the map shows; the address says it. @param around `service/web-shop` */
export function MapFilters({ fleet, blueprint, around, depth }: MapFiltersProps) {
  const [typed, type] = useState(around);
  useEffect(() => type(around), [around]);
  const rows = [...fleet.values()];
  const blueprints = [...new Set(rows.map((row) => row.blueprint_slug))].sort(byName);
  const offered = filtered(rows, { states: new Set(), words: typed.replace('/', ' ') }).slice(0, OFFERED);
  const keyOf = (row: (typeof rows)[number]) => `${row.blueprint_slug}/${row.slug}`;
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault();
        // What is typed in part, and only one has, is meant.
        setQuery({ around: offered.length === 1 ? keyOf(offered[0]!) : typed });
      }}
    >
      <select
        aria-label="Blueprint"
        value={blueprint}
        onChange={(event) => setQuery({ blueprint: event.currentTarget.value })}
      >
        <option value="">All blueprints</option>
        {blueprints.map((slug) => (
          <option key={slug}>{slug}</option>
        ))}
      </select>
      <input
        class="search"
        aria-label="Around an entity"
        placeholder="Around an entity"
        list="map-entities"
        autocomplete="off"
        value={typed}
        onInput={(event) => {
          const text = event.currentTarget.value;
          type(text);
          if (text === '' || rows.some((row) => keyOf(row) === text)) setQuery({ around: text });
        }}
      />
      <datalist id="map-entities">
        {offered.map((row) => (
          <option key={row.id} value={keyOf(row)}>
            {row.name}
          </option>
        ))}
      </datalist>
      {around !== '' && (
        <select
          aria-label="Steps"
          value={String(depth)}
          onChange={(event) => setQuery({ depth: event.currentTarget.value })}
        >
          <option value="1">1 step</option>
          <option value="2">2 steps</option>
          <option value="3">3 steps</option>
        </select>
      )}
      {(around !== '' || blueprint !== '') && (
        <Button onClick={() => setQuery({ around: '', blueprint: '', depth: '' })}>Show all</Button>
      )}
    </form>
  );
}
