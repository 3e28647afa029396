import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import type { Loaded } from '#console/api/load.ts';
import type { Entity, Relation } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { refusal } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Confirm } from '#console/parts/confirm.tsx';
import { LinkButton } from '#console/parts/link-button.tsx';
import { Section } from '#console/parts/page.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Data } from '#console/parts/states.tsx';
import { hrefOf } from '#console/rules/address.ts';
import { entityHref } from '#console/rules/catalog.ts';
import { byName } from '#console/rules/fleet.ts';
import { relationText } from '#console/rules/relations.ts';
import { severityRank } from '#console/rules/states.ts';
import { number } from '#console/rules/words.ts';
import { RelationDialog } from './relation-form.tsx';

/** Relation of the shown entity, with the id of the other entity. */
type Neighbor = { relation: Relation; id: string };

/** Lists the direct relations of an entity, in both directions. */
export function Relations({ entity, relations }: { entity: Entity; relations: Loaded<Relation[]> }) {
  const [pending, show] = useState<Neighbor | 'new' | undefined>(undefined);
  const state = live.fleet.value?.get(entity.id)?.state ?? entity.state;
  return (
    <Section
      title="Relations"
      actions={
        <span class="section-actions">
          <LinkButton small href={hrefOf('/map', { around: entity.id })}>
            Show on map
          </LinkButton>
          <Button small icon="add" why={refusal('write')} onClick={() => show('new')}>
            Add relation
          </Button>
        </span>
      }
    >
      <Data of={relations}>
        {(found) => (
          <div class="neighbors">
            <Side
              title="Upstream"
              empty="No upstream entities."
              onRemove={show}
              neighbors={found
                .filter(({ from_entity_id }) => from_entity_id === entity.id)
                .map((relation) => ({ relation, id: relation.to_entity_id }))}
            />
            <p class={`self ${state}`}>
              <StateMark state={state} />
              <strong dir="auto">{entity.name}</strong>
            </p>
            <Side
              title="Downstream"
              empty="No downstream entities."
              onRemove={show}
              neighbors={found
                .filter(({ to_entity_id }) => to_entity_id === entity.id)
                .map((relation) => ({ relation, id: relation.from_entity_id }))}
            />
          </div>
        )}
      </Data>
      {pending === 'new' && (
        <RelationDialog
          entity={entity}
          onSaved={() => {
            show(undefined);
            relations.reload();
          }}
          onClose={() => show(undefined)}
        />
      )}
      {pending && pending !== 'new' && (
        <Confirm
          title="Remove this relation?"
          action="Remove relation"
          onClose={() => show(undefined)}
          run={async () => {
            await call('DELETE', `/v1/relations/${encodeURIComponent(pending.relation.id)}`);
            showToast('The relation is removed.');
            relations.reload();
          }}
        >
          <p dir="auto">
            {nameOf(pending.relation.from_entity_id)} <code>{pending.relation.relation_type}</code>{' '}
            {nameOf(pending.relation.to_entity_id)}. Both entities stay.
          </p>
        </Confirm>
      )}
    </Section>
  );
}

const nameOf = (id: string): string => live.fleet.value?.get(id)?.name ?? id;

type SideProps = {
  title: string;
  empty: string;
  neighbors: readonly Neighbor[];
  onRemove: (neighbor: Neighbor) => void;
};

const MAX_AT_FIRST = 20;

function Side({ title, empty, neighbors, onRemove }: SideProps) {
  const [all, showAll] = useState(false);
  const fleet = live.fleet.value;
  const why = refusal('write');
  const stateOf = (id: string) => fleet?.get(id)?.state ?? 'unknown';
  const sorted = neighbors.toSorted(
    (a, b) => severityRank(stateOf(a.id)) - severityRank(stateOf(b.id)) || byName(nameOf(a.id), nameOf(b.id)),
  );
  const shown = all ? sorted : sorted.slice(0, MAX_AT_FIRST);
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {sorted.length === 0 && <p class="hint">{empty}</p>}
      <ul>
        {shown.map((neighbor) => {
          const row = fleet?.get(neighbor.id);
          const { relation_type } = neighbor.relation;
          return (
            <li key={neighbor.relation.id}>
              {row && <StateMark state={row.state} />}
              <span class="neighbor-name">
                {row ? (
                  <a class="row-link" href={entityHref(row)} dir="auto">
                    {row.name}
                  </a>
                ) : (
                  <code>{neighbor.id}</code>
                )}
                <span class="hint"> {relationText(neighbor.relation)}</span>
              </span>
              <Button
                small
                quiet
                icon="close"
                why={why}
                label={`Remove ${relation_type}: ${row?.name ?? neighbor.id}`}
                onClick={() => onRemove(neighbor)}
              />
            </li>
          );
        })}
      </ul>
      {shown.length < sorted.length && (
        <Button small onClick={() => showAll(true)}>
          Show all {number(sorted.length)}
        </Button>
      )}
    </section>
  );
}
