import { call } from '#console/api/call.ts';
import { labelOf } from '#console/api/check-names.ts';
import { type Loaded, useLoad, useRead } from '#console/api/load.ts';
import type { Check, Policy } from '#console/api/records.ts';
import type { PageProps } from '#console/app/pages.ts';
import { AlertCard } from '#console/parts/alerts/alert-card.tsx';
import { Began, IncidentState, Lasted } from '#console/parts/incident.tsx';
import { Page, Section } from '#console/parts/page.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Data, Empty } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import { pathTo } from '#console/rules/address.ts';
import { checksOf, firstError, type Incident } from '#console/rules/incidents.ts';
import { Executions } from './executions.tsx';
import { readIncident } from './read-incident.ts';

/** So many of the first changes show at once who was told of them: each reads the log of deliveries. */
const MOST_OPEN = 4;

const above = <a href="#/incidents">Incidents</a>;

/** One incident: everything that happened in it, in order. */
export default function IncidentPage({ params }: PageProps) {
  const entity = params.entity!;
  const at = Date.parse(params.at!);
  const found = useRead(
    Number.isNaN(at) ? null : `${entity} ${at}`,
    // Null where there is none: undefined is not read yet.
    async (signal) => (await readIncident(entity, at, signal)) ?? null,
    ({ entity_id }) => entity_id === entity,
  );
  const title = found.data?.entity.name ?? 'Incident';
  return (
    <Page title={<span dir="auto">{title}</span>} above={above}>
      {Number.isNaN(at) ? (
        <NoIncident />
      ) : (
        <Data of={found} what="Reading the incident">
          {(incident) => (incident ? <Whole incident={incident} /> : <NoIncident />)}
        </Data>
      )}
    </Page>
  );
}

const NoIncident = () => (
  <Empty title="There is no such incident" icon="incidents">
    <p>Nothing was wrong there until then, or it is so long ago that it is not kept any more.</p>
  </Empty>
);

function Whole({ incident }: { incident: Incident }) {
  const checks = useLoad<Check[]>(`/v1/checks?entity_id=${incident.entity.id}`, { all: true });
  return (
    <>
      <Summary incident={incident} />
      <Section title="Checks that failed">
        <Checks ids={checksOf(incident)} checks={checks} />
      </Section>
      <Story incident={incident} checks={checks.data} />
      <Executions incident={incident} />
    </>
  );
}

function Summary({ incident }: { incident: Incident }) {
  const { entity, to, times, worst } = incident;
  const { blueprint_slug: blueprint, slug } = entity;
  return (
    <dl class="incident-facts">
      <Fact name="State">
        <IncidentState incident={incident} />
        {to !== null && worst === 'down' && <span class="hint"> it was down</span>}
        {to !== null && worst === 'degraded' && <span class="hint"> it was degraded</span>}
      </Fact>
      <Fact name="Began">
        <Began incident={incident} />
      </Fact>
      {to !== null && (
        <Fact name="Ended">
          <Time at={to} as="full" />
        </Fact>
      )}
      <Fact name="Lasted">
        <Lasted incident={incident} />
        {times > 1 && <span class="tag">flapping: it began {times} times</span>}
      </Fact>
      <Fact name="Entity">
        <a href={`#${pathTo('/entities/:blueprint/:slug', { blueprint, slug })}`}>
          {blueprint}/{slug}
        </a>
      </Fact>
      <Fact name="First error">
        <span dir="auto">{firstError(incident) || '–'}</span>
      </Fact>
    </dl>
  );
}

const Fact = ({ name, children }: { name: string; children: preact.ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const Checks = ({ ids, checks }: { ids: readonly string[]; checks: Loaded<Check[]> }) => (
  <Data of={checks} what="Reading the checks">
    {(found) => (
      <ul class="incident-checks">
        {ids.map((id) => {
          const check = found.find((one) => one.id === id);
          return (
            <li key={id}>
              {check ? (
                <>
                  <StateMark state={check.state} />
                  <a href={`#${pathTo('/checks/:id', { id })}`} dir="auto">
                    {labelOf(check)}
                  </a>
                  <span class="hint">
                    since <Time at={check.state_since} as="full" />
                  </span>
                </>
              ) : (
                <span class="hint">A check that was deleted</span>
              )}
            </li>
          );
        })}
      </ul>
    )}
  </Data>
);

/** Each change in order, with its alert. */
function Story({ incident: { transitions }, checks }: { incident: Incident; checks: readonly Check[] | undefined }) {
  const known = [...new Set(transitions.map(({ check_id }) => check_id))].filter((id) =>
    checks?.some((check) => check.id === id),
  );
  const policies = useRead(known.length > 0 ? known.join() : null, (signal) =>
    Promise.all(known.map((id) => call<Policy>('GET', `/v1/checks/${id}/policy`, undefined, { signal }))),
  );
  return (
    <Section title="What happened, and who was told">
      <ol class="alert-cards">
        {transitions.map((transition, i) => {
          const { id, check_id } = transition;
          const check = checks?.find((one) => one.id === check_id);
          return (
            <li key={id}>
              <AlertCard
                transition={transition}
                before={transitions.slice(0, i).findLast((one) => one.check_id === check_id)}
                channels={policies.data?.find((policy) => policy.check_id === check_id)?.channels}
                opens={transition.alert.decision === 'planned' && i < MOST_OPEN}
                of={
                  <a href={`#${pathTo('/checks/:id', { id: check_id })}`} dir="auto">
                    {check ? labelOf(check) : 'Check'}
                  </a>
                }
              />
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
