import type { IncidentDetail } from '#console/api/records.ts';
import { EntityName } from '#console/parts/entity-name.tsx';
import { Section } from '#console/parts/page.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Time } from '#console/parts/time.tsx';
import { ALERTED } from '#console/rules/incidents.ts';
import { count } from '#console/rules/words.ts';

export function Affected({
  incident: { entities, affected, unrelated, root_entity_id },
}: {
  incident: IncidentDetail;
}) {
  const failed = new Map(affected.items.map((item) => [item.entity_id, item]));
  const more = affected.count - affected.items.length;
  return (
    <Section
      title={
        affected.count === 0
          ? 'Entities'
          : `Root cause and ${count(affected.count, 'affected entity', 'affected entities')}`
      }
    >
      <ul class="incident-checks">
        {entities.map(({ entity_id, entity_name, state, since }) => {
          const alert = failed.get(entity_id)?.alert;
          return (
            <li key={entity_id}>
              <StateMark state={state} />
              <EntityName id={entity_id} name={entity_name} />
              {entity_id === root_entity_id && affected.count > 0 && <span class="tag">root cause</span>}
              {alert && <span class="tag">{ALERTED[alert]}</span>}
              {since && (
                <span class="hint">
                  since <Time at={since} as="full" />
                </span>
              )}
            </li>
          );
        })}
      </ul>
      {entities.length === 0 && <p class="hint">No entities.</p>}
      {more > 0 && <p class="hint">And {count(more, 'more entity', 'more entities')}.</p>}
      {unrelated.length > 0 && (
        <>
          <h3>Failures with another cause</h3>
          <ul class="incident-checks">
            {unrelated.map(({ entity_id, entity_name, at }) => (
              <li key={`${entity_id} ${at}`}>
                <EntityName id={entity_id} name={entity_name} />
                <span class="hint">
                  alerted <Time at={at} as="full" />
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}
