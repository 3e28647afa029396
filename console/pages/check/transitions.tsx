import { useFeed } from '#console/api/feed.ts';
import { useNews } from '#console/api/load.ts';
import type { Transition } from '#console/api/records.ts';
import { AlertCard } from '#console/parts/alerts/alert-card.tsx';
import { Button } from '#console/parts/button.tsx';
import { Section } from '#console/parts/page.tsx';
import { Empty, Failure, Loading } from '#console/parts/states.tsx';
import type { StepRecipient } from '#console/rules/escalation.ts';

/** Lists the state changes with their alerts. @param channels of the policy, for their names */
export function Transitions({ id, channels }: { id: string; channels: readonly StepRecipient[] | undefined }) {
  const { items, failure, loading, hasMore, more, reload } = useFeed<Transition>(
    `/v1/checks/${id}/transitions?limit=10`,
  );
  useNews(({ check_id }) => check_id === id, reload);
  return (
    <Section title="Changes and alerts">
      {failure && <Failure failure={failure} retry={reload} />}
      {items.length === 0 && loading && <Loading what="Loading the changes" />}
      {items.length === 0 && !loading && !failure && <Empty title="No state changes yet" />}
      <ol class="alert-cards">
        {items.map((transition, i) => (
          <li key={transition.id}>
            <AlertCard transition={transition} before={items[i + 1]} channels={channels} startsOpen={i === 0} />
          </li>
        ))}
      </ol>
      {hasMore && items.length > 0 && (
        <p class="more">
          <Button small busy={loading} onClick={more}>
            Show older changes
          </Button>
        </p>
      )}
    </Section>
  );
}
