import { useFeed } from '#console/api/feed.ts';
import { address } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { Button } from '#console/parts/button.tsx';
import { Section } from '#console/parts/page.tsx';
import { Empty, Failure, Loading, NotAllowed } from '#console/parts/states.tsx';
import { auditPath } from '#console/rules/audit.ts';
import type { AuditEntry } from '#lib/audit/entry.ts';
import { AuditFilters } from './audit-filters.tsx';
import { Entry } from './entry.tsx';
import { Export } from './export.tsx';

export function Audit() {
  const why = refusal('changes');
  return why === undefined ? <Log query={address.value.query} /> : <NotAllowed why={why} />;
}

function Log({ query }: { query: URLSearchParams }) {
  const path = auditPath(query);
  const { items, failure, loading, hasMore, more, reload } = useFeed<AuditEntry>(path);
  return (
    <Section title="Audit log" actions={<Export path={path} />}>
      <AuditFilters query={query} />
      {failure && <Failure failure={failure} retry={reload} />}
      {items.length > 0 ? (
        <ol class="audit" aria-label="Entries" aria-busy={loading}>
          {items.map((entry) => (
            <Entry key={entry.id} of={entry} />
          ))}
        </ol>
      ) : (
        !failure &&
        (loading ? (
          <Loading what="Loading the log" lines={8} />
        ) : (
          <Empty help="audit" title="No matching entries" icon="search" />
        ))
      )}
      {hasMore && items.length > 0 && (
        <Button busy={loading} onClick={more}>
          Show more
        </Button>
      )}
    </Section>
  );
}
