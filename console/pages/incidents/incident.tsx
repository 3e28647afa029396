import type { ComponentChildren } from 'preact';
import { useEvery } from '#console/api/every.ts';
import { useLiveFeed } from '#console/api/live-feed.ts';
import { useLoad } from '#console/api/load.ts';
import type { IncidentDetail, ListedChannel, TimelineEntry, Transition } from '#console/api/records.ts';
import type { PageProps } from '#console/app/pages.ts';
import { EntityName } from '#console/parts/entity-name.tsx';
import { IncidentDuration, IncidentState, WatchedUntil } from '#console/parts/incident.tsx';
import { Page } from '#console/parts/page.tsx';
import { Data, Empty } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import { Affected } from './affected.tsx';
import { Executions } from './executions.tsx';
import { IncidentActions } from './incident-actions.tsx';
import { NotifiedChannels } from './notified.tsx';
import { PublicUpdates } from './public-updates.tsx';
import { Timeline } from './timeline.tsx';

const above = <a href="#/incidents">Incidents</a>;
/** Poll interval in ms. Parts of an incident arrive some seconds after the failure, without an event. */
const POLL_MS = 5000;

const anyTransition = (_: Transition): boolean => true;

/** Page of an incident: entities, notified channels, timeline, and actions. */
export default function IncidentPage({ params }: PageProps) {
  const path = `/v1/incidents/${encodeURIComponent(params.id!)}`;
  const incident = useLoad<IncidentDetail>(path, { about: anyTransition });
  const timeline = useLiveFeed<TimelineEntry>(`${path}/timeline`, anyTransition);
  const channels = useLoad<ListedChannel[]>('/v1/notify/channels', { all: true });
  function reload() {
    incident.reload();
    timeline.renew();
  }
  useEvery(incident.data?.state === 'resolved' ? undefined : POLL_MS, reload);
  if (incident.failure?.status === 404) {
    return (
      <Page title="Incident" above={above}>
        <Empty title="Incident not found" icon="incidents">
          <p>The address is wrong, or the incident is older than 400 days.</p>
        </Empty>
      </Page>
    );
  }
  const transitions = timeline.items.flatMap(({ transition }) =>
    transition ? [{ id: transition.transition_id, check_id: transition.check_id }] : [],
  );
  return (
    <Page
      title={<span dir="auto">{incident.data?.title ?? 'Incident'}</span>}
      above={above}
      actions={incident.data && <IncidentActions incident={incident.data} onChange={reload} />}
    >
      <Data of={incident} what="Loading the incident">
        {(found) => (
          <>
            <Summary incident={found} />
            <div class="beside">
              <Affected incident={found} />
              <NotifiedChannels incident={found} channels={channels.data} />
            </div>
            <PublicUpdates incident={found} onChange={reload} />
          </>
        )}
      </Data>
      <Timeline feed={timeline} channels={channels.data} />
      <Executions transitions={transitions} />
    </Page>
  );
}

const Summary = ({ incident }: { incident: IncidentDetail }) => {
  const { impact, root_entity_id, root_entity_name, started_at, resolved_at, resolved_by, acknowledgement } = incident;
  return (
    <dl class="incident-facts">
      <Fact name="State">
        <IncidentState of={incident} />
        {incident.resolves_at && (
          <>
            , <WatchedUntil of={incident} />
          </>
        )}
      </Fact>
      <Fact name="Impact">{impact}</Fact>
      {root_entity_id && (
        <Fact name="Root cause">
          <EntityName id={root_entity_id} name={root_entity_name} />
        </Fact>
      )}
      <Fact name="Started at">
        <Time at={started_at} as="full" />
      </Fact>
      {resolved_at && (
        <Fact name="Resolved at">
          <Time at={resolved_at} as="full" />
          {resolved_by !== 'automatic' && (
            <span class="hint">
              {' '}
              by <bdi>{resolved_by}</bdi>
            </span>
          )}
        </Fact>
      )}
      <Fact name="Duration">
        <IncidentDuration of={incident} />
      </Fact>
      <Fact name="Acknowledged by">
        {acknowledgement ? (
          <>
            <bdi>{acknowledgement.by}</bdi> <Time at={acknowledgement.at} />
            {acknowledgement.until && (
              <>
                , until <Time at={acknowledgement.until} as="full" />
              </>
            )}
            {acknowledgement.note && <span dir="auto">: {acknowledgement.note}</span>}
          </>
        ) : (
          <span class="hint">not yet</span>
        )}
      </Fact>
    </dl>
  );
};

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
