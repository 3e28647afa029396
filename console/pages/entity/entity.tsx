import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { type Loaded, useLoad } from '#console/api/load.ts';
import type {
  Action,
  Blueprint,
  CheckHistories,
  Entity,
  ListedCheck,
  Relation,
  Transition,
} from '#console/api/records.ts';
import { useFleetRefresh } from '#console/app/fleet-refresh.ts';
import { live } from '#console/app/live.ts';
import type { PageProps } from '#console/app/pages.ts';
import { refusal } from '#console/app/session.ts';
import { SilenceButton } from '#console/parts/alerts/silence-button.tsx';
import { Badges } from '#console/parts/badges.tsx';
import { Button } from '#console/parts/button.tsx';
import { FieldValue } from '#console/parts/field-value.tsx';
import { Icon } from '#console/parts/icon.tsx';
import { Labels } from '#console/parts/labels.tsx';
import { Page, Section } from '#console/parts/page.tsx';
import { Slos } from '#console/parts/slos.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Data, Empty } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import { blueprintHref, blueprintPath, entityPath } from '#console/rules/catalog.ts';
import { DeleteEntity } from './delete-entity.tsx';
import { EntityChecks } from './entity-checks.tsx';
import { EntityDialog } from './entity-form.tsx';
import { Incidents } from './incidents.tsx';
import { MatchingActions } from './matching-actions.tsx';
import { Relations } from './relations.tsx';
import { Transitions } from './transitions.tsx';

/** Page of an entity: state, checks, relations, transitions, incidents, fields, and actions. */
export default function EntityPage({ params }: PageProps) {
  const [blueprint_slug, slug] = [params.blueprint!, params.slug!];
  const above = (
    <>
      <a href="#/catalog">Catalog</a> / <a href={blueprintHref(blueprint_slug)}>{blueprint_slug}</a>
    </>
  );
  const entity = useLoad<Entity>(entityPath({ blueprint_slug, slug }), {
    about: (one) => one.blueprint_slug === blueprint_slug && one.entity_slug === slug,
  });
  if (entity.failure?.status === 404) {
    return (
      <Page title={slug} above={above}>
        <Empty title="Entity not found">
          <p>It was deleted, or the address is wrong.</p>
        </Empty>
      </Page>
    );
  }
  if (entity.data) return <EntityView entity={entity.data} reload={entity.reload} above={above} />;
  return (
    <Page title={slug} above={above}>
      <Data of={entity}>{() => null}</Data>
    </Page>
  );
}

type EntityViewProps = { entity: Entity; reload: () => void; above: ComponentChildren };

function EntityView({ entity, reload, above }: EntityViewProps) {
  const [open, show] = useState<'edit' | 'delete' | undefined>(undefined);
  const about = (one: Transition) => one.entity_id === entity.id;
  const query = `entity_id=${encodeURIComponent(entity.id)}`;
  const blueprint = useLoad<Blueprint>(blueprintPath(entity.blueprint_slug));
  const checks = useLoad<ListedCheck[]>(`/v1/checks?${query}&last_result=true`, { all: true, about });
  const history = useLoad<CheckHistories>(`/v1/history?${query}&bucket=hour`, { about });
  const relations = useLoad<Relation[]>(`/v1/relations?${query}`, { all: true });
  const actions = useLoad<Action[]>('/v1/actions', { all: true });
  const why = refusal('write');
  useFleetRefresh();
  return (
    <Page
      title={<span dir="auto">{entity.name}</span>}
      above={above}
      actions={
        <>
          <SilenceButton
            id={entity.id}
            name={entity.name}
            noun="its checks"
            isSilenced={entity.silenced}
            why={why}
            send={(change) => call('PUT', entityPath(entity), change)}
            onChange={reload}
          />
          <Button why={why} busy={!blueprint.data && blueprint.loading} onClick={() => show('edit')}>
            Edit
          </Button>
          <Button why={why} kind="danger" onClick={() => show('delete')}>
            Delete
          </Button>
        </>
      }
    >
      <StateLine entity={entity} />
      <Silenced entity={entity} />
      <EntityChecks entity={entity} checks={checks} history={history} />
      <Relations entity={entity} relations={relations} />
      <div class="beside">
        <Section title="State changes">
          <Transitions entity={entity} checks={checks.data ?? []} />
        </Section>
        <div>
          <Slos of={{ entity_id: entity.id }} />
          <Badges of={{ entity_id: entity.id }} name={entity.name} />
          <Incidents entity={entity} />
          <Fields entity={entity} blueprint={blueprint} />
          <Section title="Actions">
            <Data of={actions}>
              {(found) => <MatchingActions actions={found} checks={new Set(checks.data?.map(({ id }) => id))} />}
            </Data>
          </Section>
        </div>
      </div>
      {open === 'edit' && blueprint.data && (
        <EntityDialog
          blueprint={blueprint.data}
          entity={entity}
          onSaved={() => {
            show(undefined);
            reload();
          }}
          onClose={() => show(undefined)}
        />
      )}
      {open === 'delete' && (
        <DeleteEntity
          entity={entity}
          checkCount={checks.data?.length}
          relationCount={relations.data?.length}
          onClose={() => show(undefined)}
        />
      )}
    </Page>
  );
}

/** Shows the state of an entity. The poller has newer data than the loaded entity. */
function StateLine({ entity }: { entity: Entity }) {
  const polled = live.fleet.value?.get(entity.id);
  const { state, state_since } = polled ?? entity;
  return (
    <p class={`state-line ${state}`}>
      <StateMark state={state} />
      <span>
        for <Time at={state_since} as="for" />, since <Time at={state_since} as="full" />
      </span>
      {polled?.stale && <span class="tag">a result is overdue</span>}
      {polled?.error_message && (
        <strong class="reason" dir="auto">
          {polled.error_message}
        </strong>
      )}
    </p>
  );
}

const Silenced = ({ entity: { silenced, silenced_until: until, silence_reason: reason } }: { entity: Entity }) =>
  silenced ? (
    <p class="silenced" dir="auto">
      <Icon name="muted" />
      <span>
        <strong>Silenced: no alerts of its checks are sent.</strong>{' '}
        {until ? (
          <>
            Until <Time at={until} as="full" />.
          </>
        ) : (
          'Until you lift it.'
        )}{' '}
        {reason}
      </span>
    </p>
  ) : null;

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt dir="auto">{name}</dt>
    <dd>{children}</dd>
  </div>
);

const Fields = ({ entity, blueprint }: { entity: Entity; blueprint: Loaded<Blueprint> }) => (
  <Section title="Fields">
    <dl class="facts">
      <Fact name="Slug">
        <code>{entity.slug}</code>
      </Fact>
      <Fact name="ID">
        <code>{entity.id}</code>
      </Fact>
      {(blueprint.data?.fields ?? []).map(({ name }) => (
        <Fact key={name} name={name}>
          <FieldValue value={entity.fields[name]} />
        </Fact>
      ))}
      {Object.keys(entity.labels).length > 0 && (
        <Fact name="Labels">
          <Labels labels={entity.labels} />
        </Fact>
      )}
      <Fact name="Changed">
        <Time at={entity.updated_at} />
      </Fact>
    </dl>
    {!blueprint.data && <Data of={blueprint}>{() => null}</Data>}
  </Section>
);
