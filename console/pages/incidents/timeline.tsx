import type { Feed } from '#console/api/feed.ts';
import type { ListedChannel, TimelineEntry } from '#console/api/records.ts';
import { WhyOf } from '#console/parts/alerts/explanation.tsx';
import { Button } from '#console/parts/button.tsx';
import { EntityName } from '#console/parts/entity-name.tsx';
import { Section } from '#console/parts/page.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Failure, Loading } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import { pathTo } from '#console/rules/address.ts';
import { KIND } from '#console/rules/alert-reason.ts';
import { HAPPENED } from '#console/rules/incidents.ts';
import { list } from '#console/rules/words.ts';
import { channelNamed } from './notified.tsx';

type TimelineProps = { feed: Feed<TimelineEntry>; channels: readonly ListedChannel[] | undefined };

/** Everything that happened in it, newest first. */
export const Timeline = ({ feed: { items, failure, loading, hasMore, more, reload }, channels }: TimelineProps) => (
  <Section title="What happened">
    {failure && <Failure failure={failure} retry={reload} />}
    {loading && items.length === 0 && <Loading what="Reading what happened" />}
    <ol class="happened">
      {items.map((entry) => (
        <li key={entry.id}>
          <strong>{entry.alert ? KIND[entry.alert.alert_kind] : HAPPENED[entry.kind]}</strong>
          <Time at={entry.at} as="full" />
          {entry.by && entry.by !== 'automatic' && <bdi>{entry.by}</bdi>}
          {entry.transition && <Change of={entry.transition} />}
          {entry.alert && <Alert of={entry.alert} channels={channels} />}
          {entry.text && (
            <p class="note" dir="auto">
              {entry.text}
            </p>
          )}
        </li>
      ))}
    </ol>
    {hasMore && items.length > 0 && (
      <Button small busy={loading} onClick={more}>
        Earlier
      </Button>
    )}
  </Section>
);

/** A check that changed its state, and on request why that was told or not. */
const Change = ({ of }: { of: NonNullable<TimelineEntry['transition']> }) => (
  <>
    <StateMark state={of.check_to_state} />
    <span>
      <EntityName id={of.entity_id} name={of.entity_name} />:{' '}
      <a href={`#${pathTo('/checks/:id', { id: of.check_id })}`} dir="auto">
        {of.check_label}
      </a>
    </span>
    {of.error_message && <p dir="auto">{of.error_message}</p>}
    <WhyOf transition={of.transition_id} />
  </>
);

/** Whom an alert went to, and what it said. */
const Alert = ({
  of: { urgency, reports_state, entity_id, to },
  channels,
}: {
  of: NonNullable<TimelineEntry['alert']>;
  channels: readonly ListedChannel[] | undefined;
}) => (
  <span>
    <EntityName id={entity_id} />
    {reports_state && `, ${reports_state}`}, to {list(to.map((one) => channelNamed(channels, one))) || 'nobody'}
    {urgency === 'low' && <span class="tag">low urgency</span>}
  </span>
);
