import { useMemo } from 'preact/hooks';
import { live } from '#console/app/live.ts';
import { incidentPath } from '#console/rules/incidents.ts';
import { call } from './call.ts';
import { useRead } from './load.ts';
import type { IncidentDetail, IncidentRecord } from './records.ts';

/** A listed incident. `resolves_at`: time at which it resolves, once all its entities have recovered. */
export type ListedIncident = IncidentRecord & Partial<Pick<IncidentDetail, 'resolves_at'>>;

const MAX_INCIDENTS_READ = 30;

/** Adds the time at which recovered incidents resolve. Reads each unresolved incident whose root cause is not down. */
export function useRecoveries(incidents: readonly IncidentRecord[]): readonly ListedIncident[] {
  const ids = incidents
    .filter(canBeRecovered)
    .map(({ id }) => id)
    .slice(0, MAX_INCIDENTS_READ);
  const { data } = useRead<IncidentDetail[]>(
    ids.length > 0 ? `recoveries ${ids}` : null,
    (signal) => Promise.all(ids.map((id) => call<IncidentDetail>('GET', incidentPath(id), undefined, { signal }))),
    () => true,
  );
  const wanted = ids.join();
  return useMemo(() => {
    if (!data || wanted === '') return incidents;
    const ends = new Map(data.map(({ id, resolves_at }) => [id, resolves_at]));
    return incidents.map((one) => (wanted.includes(one.id) ? { ...one, resolves_at: ends.get(one.id) ?? null } : one));
  }, [incidents, data, wanted]);
}

function canBeRecovered({ state, root_entity_id: root }: IncidentRecord): boolean {
  const entity = root === null ? undefined : live.fleet.value?.get(root);
  return state !== 'resolved' && entity !== undefined && entity.state !== 'down';
}
