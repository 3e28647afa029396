import { setQuery } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { FeedFilters } from '#console/parts/feed-filters.tsx';
import { SelectField } from '#console/parts/field.tsx';
import { InstantField } from '#console/parts/instant-field.tsx';
import { AUDIT_FILTERS, actionOf, partsOfAction, TARGET_NAMES, VERB_NAMES } from '#console/rules/audit.ts';
import { CommittedTextField } from './committed-text-field.tsx';

const optionsOf = (names: Readonly<Record<string, string>>, all: string) => [
  { value: '', label: all },
  ...Object.entries(names).map(([value, label]) => ({ value, label })),
];

export function AuditFilters({ query }: { query: URLSearchParams }) {
  const value = (name: string) => query.get(name) ?? '';
  const { target, verb } = partsOfAction(value('action'));
  // Without the access `audit`, the API returns entries of the kind `config` only.
  const whyNotAll = refusal('audit');
  return (
    <FeedFilters label="Filter the log" names={AUDIT_FILTERS} query={query}>
      <SelectField
        label="Kind"
        value={value('kind')}
        options={[
          { value: '', label: whyNotAll ? 'all that you can see' : 'all' },
          { value: 'config', label: 'configuration' },
          ...(whyNotAll ? [] : [{ value: 'access', label: 'access' }]),
        ]}
        hint={whyNotAll && `Access entries are hidden. ${whyNotAll}`}
        onChange={(kind) => setQuery({ kind })}
      />
      <SelectField
        label="Object"
        value={target}
        options={optionsOf(TARGET_NAMES, 'all')}
        onChange={(wanted) => setQuery({ action: actionOf(wanted, verb) })}
      />
      <SelectField
        label="Action"
        value={verb}
        disabled={target === ''}
        options={optionsOf(VERB_NAMES, target === '' ? 'select an object first' : 'all')}
        onChange={(wanted) => setQuery({ action: actionOf(target, wanted) })}
      />
      <CommittedTextField
        label="Actor"
        placeholder="e-mail, id, operator"
        value={value('actor')}
        onChange={(actor) => setQuery({ actor })}
      />
      <CommittedTextField
        label="Object id"
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
