import { setQuery } from '#console/app/router.ts';
import { Button } from '#console/parts/button.tsx';
import { EntityPicker } from '#console/parts/entity-picker.tsx';
import { SelectField } from '#console/parts/field.tsx';
import { byName, type Fleet } from '#console/rules/fleet.ts';

type MapFiltersProps = {
  fleet: Fleet;
  blueprint: string;
  around: string;
  depth: number;
  /** Whether the map shows only root causes and the entities that they affect. */
  affected: boolean;
  hasRoots: boolean;
};

/** Filters of the map, kept in the address. @param around id of an entity; empty: all */
export function MapFilters({ fleet, blueprint, around, depth, affected, hasRoots }: MapFiltersProps) {
  const isFiltered = around !== '' || blueprint !== '';
  const blueprints = [...new Set([...fleet.values()].map((row) => row.blueprint_slug))].sort(byName);
  return (
    <search class="feed-filters" aria-label="Filter the map">
      <SelectField
        label="Blueprint"
        value={blueprint}
        options={[{ value: '', label: 'all' }, ...blueprints]}
        onChange={(slug) => setQuery({ blueprint: slug })}
      />
      <EntityPicker label="Entity" optional value={around} onChange={(id) => setQuery({ around: id })} />
      {around !== '' && (
        <SelectField
          label="Distance"
          value={String(depth)}
          options={[
            { value: '1', label: '1 step' },
            { value: '2', label: '2 steps' },
            { value: '3', label: '3 steps' },
          ]}
          onChange={(steps) => setQuery({ depth: steps })}
        />
      )}
      {(isFiltered || affected) && (
        <Button small onClick={() => setQuery({ around: '', blueprint: '', depth: '', all: hasRoots ? '1' : '' })}>
          Show all
        </Button>
      )}
      {hasRoots && !isFiltered && !affected && (
        <Button small onClick={() => setQuery({ all: '' })}>
          Show affected
        </Button>
      )}
    </search>
  );
}
