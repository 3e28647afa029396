import { setQuery } from '#console/app/router.ts';
import { EntityPicker } from '#console/parts/entity-picker.tsx';
import { FeedFilters } from '#console/parts/feed-filters.tsx';
import { SelectField } from '#console/parts/field.tsx';
import { InstantField } from '#console/parts/instant-field.tsx';

const FILTERS = ['entity', 'state', 'since', 'until'] as const;

export function IncidentFilters({ query }: { query: URLSearchParams }) {
  const value = (name: (typeof FILTERS)[number]) => query.get(name) ?? '';
  return (
    <FeedFilters label="Filter the incidents" names={FILTERS} query={query}>
      <SelectField
        label="State"
        value={value('state')}
        options={[
          { value: '', label: 'all' },
          { value: 'unresolved', label: 'unresolved' },
          { value: 'resolved', label: 'resolved' },
        ]}
        onChange={(state) => setQuery({ state })}
      />
      <EntityPicker label="Entity" optional value={value('entity')} onChange={(entity) => setQuery({ entity })} />
      <details open={value('since') !== '' || value('until') !== ''}>
        <summary>Time range</summary>
        <InstantField label="Since" value={value('since')} onChange={(since) => setQuery({ since })} />
        <InstantField label="Before" value={value('until')} onChange={(until) => setQuery({ until })} />
      </details>
    </FeedFilters>
  );
}
