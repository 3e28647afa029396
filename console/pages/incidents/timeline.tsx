import type { Feed } from '#console/api/feed.ts';
import type { ListedChannel, TimelineEntry } from '#console/api/records.ts';
import { AlertExplanation } from '#console/parts/alerts/explanation.tsx';
import { Button } from '#console/parts/button.tsx';
import { EntityName } from '#console/parts/entity-name.tsx';
import { Section } from '#console/parts/page.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Failure, Loading } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import { pathTo } from '#console/rules/address.ts';
import { KIND } from '#console/rules/alert-reason.ts';
import { explainedEntries, type TimelineLine, timelineLines } from '#console/rules/incident-timeline.ts';
import { ENTRY_KIND } from '#console/rules/incidents.ts';
import { duration } from '#console/rules/time.ts';
import { count, list } from '#console/rules/words.ts';
import { nameOfChannel } from './notified.tsx';

type TimelineProps = { feed: Feed<TimelineEntry>; channels: readonly ListedChannel[] | undefined };

/** Timeline of an incident, newest first. Only the newest change of a check explains its alert. */
export function Timeline({ feed: { items, failure, loading, hasMore, more, reload }, channels }: TimelineProps) {
  const explained = explainedEntries(items);
  const entryOf = (entry: TimelineEntry) => (
    <Entry key={entry.id} entry={entry} explains={explained.has(entry.id)} channels={channels} />
  );
  return (
    <Section title="Timeline">
      {failure && <Failure failure={failure} retry={reload} />}
      {loading && items.length === 0 && <Loading what="Loading the timeline" />}
      <ol class="happened">
        {timelineLines(items).map((line) =>
          line.entries.length === 1 ? (
            entryOf(line.entries[0]!)
          ) : (
            // The key names the oldest entry, because newer entries can join the line.
            <li key={`run ${line.entries.at(-1)!.id}`}>
              <LineSummary line={line} />
              <details class="why-card">
                <summary>Show {count(line.entries.length, 'entry', 'entries')}</summary>
                <ol class="happened">{line.entries.map(entryOf)}</ol>
              </details>
            </li>
          ),
        )}
      </ol>
      {hasMore && items.length > 0 && (
        <Button small busy={loading} onClick={more}>
          Show older entries
        </Button>
      )}
    </Section>
  );
}

function LineSummary({ line: { entries, downs, alerts, lasted } }: { line: TimelineLine }) {
  const newest = entries.find(({ transition }) => transition)!.transition!;
  return (
    <>
      <strong>
        Down {count(downs, 'time')} in {duration(lasted)}
      </strong>
      <Time at={entries[0]!.at} as="full" />
      <StateMark state={newest.check_to_state} />
      <CheckLink of={newest} />
      {alerts > 0 && <span class="hint">{count(alerts, 'alert')}</span>}
    </>
  );
}

type EntryProps = { entry: TimelineEntry; explains: boolean; channels: readonly ListedChannel[] | undefined };

const Entry = ({ entry, explains, channels }: EntryProps) => (
  <li>
    <strong>{entry.alert ? KIND[entry.alert.alert_kind] : ENTRY_KIND[entry.kind]}</strong>
    <Time at={entry.at} as="full" />
    {entry.by && entry.by !== 'automatic' && <bdi>{entry.by}</bdi>}
    {entry.transition && <Change of={entry.transition} explains={explains} />}
    {entry.alert && <Alert of={entry.alert} channels={channels} />}
    {entry.text && (
      <p class="note" dir="auto">
        {entry.text}
      </p>
    )}
  </li>
);

type TimelineChange = NonNullable<TimelineEntry['transition']>;

const CheckLink = ({ of }: { of: TimelineChange }) => (
  <span>
    <EntityName id={of.entity_id} name={of.entity_name} />:{' '}
    <a href={`#${pathTo('/checks/:id', { id: of.check_id })}`} dir="auto">
      {of.check_label}
    </a>
  </span>
);

const Change = ({ of, explains }: { of: TimelineChange; explains: boolean }) => (
  <>
    <StateMark state={of.check_to_state} />
    <CheckLink of={of} />
    {of.error_message && <p dir="auto">{of.error_message}</p>}
    {explains && <AlertExplanation transition={of.transition_id} />}
  </>
);

const Alert = ({
  of: { urgency, reports_state, entity_id, to },
  channels,
}: {
  of: NonNullable<TimelineEntry['alert']>;
  channels: readonly ListedChannel[] | undefined;
}) => (
  <span>
    <EntityName id={entity_id} />
    {reports_state && `, ${reports_state}`}, to {list(to.map((one) => nameOfChannel(channels, one))) || 'no channels'}
    {urgency === 'low' && <span class="tag">low urgency</span>}
  </span>
);
