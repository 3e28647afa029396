import { setQuery } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { FeedFilters } from '#console/parts/feed-filters.tsx';
import { SelectField } from '#console/parts/field.tsx';
import { InstantField } from '#console/parts/instant-field.tsx';
import { AUDIT_FILTERS, actionOf, DEEDS, partsOfAction, TARGETS } from '#console/rules/audit.ts';
import { CommittedField } from './committed-field.tsx';

const optionsOf = (words: Readonly<Record<string, string>>, any: string) => [
  { value: '', label: any },
  ...Object.entries(words).map(([value, label]) => ({ value, label })),
];

/** What is looked for in the log. */
export function AuditFilters({ query }: { query: URLSearchParams }) {
  const value = (name: string) => query.get(name) ?? '';
  const { target, deed } = partsOfAction(value('action'));
  // Without it the API answers what the service does, and refuses what is about who gets in.
  const whyNotAll = refusal('audit');
  return (
    <FeedFilters label="Filter the log" names={AUDIT_FILTERS} query={query}>
      <SelectField
        label="Kind"
        value={value('kind')}
        options={[
          { value: '', label: whyNotAll ? 'what you may see' : 'all' },
          { value: 'config', label: 'what the service does' },
          ...(whyNotAll ? [] : [{ value: 'access', label: 'who gets in' }]),
        ]}
        hint={whyNotAll && `Who gets in is not shown. ${whyNotAll}`}
        onChange={(kind) => setQuery({ kind })}
      />
      <SelectField
        label="About"
        value={target}
        options={optionsOf(TARGETS, 'anything')}
        onChange={(wanted) => setQuery({ action: actionOf(wanted, deed) })}
      />
      <SelectField
        label="Done"
        value={deed}
        disabled={target === ''}
        options={optionsOf(DEEDS, target === '' ? 'choose what it is about' : 'anything')}
        onChange={(wanted) => setQuery({ action: actionOf(target, wanted) })}
      />
      <CommittedField
        label="By"
        placeholder="e-mail, id, operator"
        value={value('actor')}
        onChange={(actor) => setQuery({ actor })}
      />
      <CommittedField
        label="Of"
        placeholder="id or slug"
        value={value('target')}
        onChange={(wanted) => setQuery({ target: wanted })}
      />
      <InstantField label="Since" value={value('since')} onChange={(since) => setQuery({ since })} />
      <InstantField label="Before" value={value('until')} onChange={(until) => setQuery({ until })} />
      <SelectField
        label="Order"
        value={value('order')}
        options={[
          { value: '', label: 'newest first' },
          { value: 'asc', label: 'oldest first' },
        ]}
        onChange={(order) => setQuery({ order })}
      />
    </FeedFilters>
  );
}
