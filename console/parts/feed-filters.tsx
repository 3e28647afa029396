import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { setQuery } from '#console/app/router.ts';
import { Button } from './button.tsx';

type FeedFiltersProps = {
  label: string;
  names: readonly string[];
  query: URLSearchParams;
  children: ComponentChildren;
};

/** Filters of a long list, kept in the address. On a phone, a button shows the fields. */
export function FeedFilters({ label, names, query, children }: FeedFiltersProps) {
  const [open, show] = useState(false);
  const activeCount = names.filter((name) => query.has(name)).length;
  return (
    <search class={open ? 'feed-filters open' : 'feed-filters'} aria-label={label}>
      <div class="narrow">
        <Button small icon={open ? 'down' : 'right'} expanded={open} onClick={() => show(!open)}>
          {activeCount === 0 ? 'Filters' : `Filters (${activeCount})`}
        </Button>
      </div>
      {children}
      {activeCount > 0 && (
        <Button small onClick={() => setQuery(Object.fromEntries(names.map((name) => [name, ''])))}>
          Show all
        </Button>
      )}
    </search>
  );
}
