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
import { severity } from '#console/rules/states.ts';
import { number } from '#console/rules/words.ts';
import { RelationDialog } from './relation-form.tsx';

/** A relation, and who stands at its other end. */
type Neighbour = { relation: Relation; id: string };

/** What it depends on, and what depends on it, one step each way. */
export function Neighbours({ entity, relations }: { entity: Entity; relations: Loaded<Relation[]> }) {
  const [asked, ask] = useState<Neighbour | 'new' | undefined>(undefined);
  const state = live.fleet.value?.get(entity.id)?.state ?? entity.state;
  return (
    <Section
      title="Neighbours"
      actions={
        <span class="section-actions">
          <LinkButton small href={hrefOf('/map', { around: entity.id })}>
            On the map
          </LinkButton>
          <Button small icon="add" why={refusal('write')} onClick={() => ask('new')}>
            Add a relation
          </Button>
        </span>
      }
    >
      <Data of={relations}>
        {(found) => (
          <div class="neighbours">
            <Side
              title="Upstream"
              empty="It depends on nothing."
              onRemove={ask}
              neighbours={found
                .filter(({ from_entity_id }) => from_entity_id === entity.id)
                .map((relation) => ({ relation, id: relation.to_entity_id }))}
            />
            <p class={`self ${state}`}>
              <StateMark state={state} />
              <strong dir="auto">{entity.name}</strong>
            </p>
            <Side
              title="Downstream"
              empty="Nothing depends on it."
              onRemove={ask}
              neighbours={found
                .filter(({ to_entity_id }) => to_entity_id === entity.id)
                .map((relation) => ({ relation, id: relation.from_entity_id }))}
            />
          </div>
        )}
      </Data>
      {asked === 'new' && (
        <RelationDialog
          entity={entity}
          onSaved={() => {
            ask(undefined);
            relations.reload();
          }}
          onClose={() => ask(undefined)}
        />
      )}
      {asked && asked !== 'new' && (
        <Confirm
          title="Remove this relation?"
          action="Remove the relation"
          onClose={() => ask(undefined)}
          run={async () => {
            await call('DELETE', `/v1/relations/${encodeURIComponent(asked.relation.id)}`);
            showToast('The relation is removed.');
            relations.reload();
          }}
        >
          <p dir="auto">
            {nameOf(asked.relation.from_entity_id)} <code>{asked.relation.relation_type}</code>{' '}
            {nameOf(asked.relation.to_entity_id)}. Both entities stay.
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
  neighbours: readonly Neighbour[];
  onRemove: (neighbour: Neighbour) => void;
};

/** So many are shown until somebody asks for all. */
const FEW = 20;

/** Those on one side, what is in trouble first. */
function Side({ title, empty, neighbours, onRemove }: SideProps) {
  const [all, showAll] = useState(false);
  const fleet = live.fleet.value;
  const why = refusal('write');
  const stateOf = (id: string) => fleet?.get(id)?.state ?? 'unknown';
  const sorted = neighbours.toSorted(
    (a, b) => severity(stateOf(a.id)) - severity(stateOf(b.id)) || byName(nameOf(a.id), nameOf(b.id)),
  );
  const shown = all ? sorted : sorted.slice(0, FEW);
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {sorted.length === 0 && <p class="hint">{empty}</p>}
      <ul>
        {shown.map((neighbour) => {
          const row = fleet?.get(neighbour.id);
          const { relation_type } = neighbour.relation;
          return (
            <li key={neighbour.relation.id}>
              {row && <StateMark state={row.state} />}
              <span class="neighbour-name">
                {row ? (
                  <a class="row-link" href={entityHref(row)} dir="auto">
                    {row.name}
                  </a>
                ) : (
                  <code>{neighbour.id}</code>
                )}
                <span class="hint"> {relation_type}</span>
              </span>
              <Button
                small
                quiet
                icon="close"
                why={why}
                label={`Remove ${relation_type}: ${row?.name ?? neighbour.id}`}
                onClick={() => onRemove(neighbour)}
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
