import type { Env } from '#lib/env.ts';
import type { Write } from '#lib/platform/ports.ts';
import { iso } from '#lib/platform/time.ts';
import { expiryOf, type StoredIncident, type TimelineItem } from './incident-items.ts';

/** What somebody did with an incident, or it did by itself. */
type Done = Pick<TimelineItem, 'id' | 'at' | 'kind' | 'by' | 'text'>;

/** An entry of the timeline that no transition and no alert brings. */
export function timelineEntry({ keys }: Pick<Env, 'keys'>, incident: StoredIncident, done: Done): TimelineItem {
  const at = Date.parse(done.at);
  return {
    ...keys.incidentEntry(incident.tenant_id, incident.id, at, done.id),
    ...{ v: done.id, expires_at: expiryOf(at), ...done },
  };
}

/** The writes that end an incident: itself, its entry, and its place among those that are not over. */
export function resolvedWrites(
  env: Env,
  incident: StoredIncident,
  end: { resolved_at: string; resolved_by: string },
): Write[] {
  const { ports, keys } = env;
  const now = ports.clock.now();
  const updated_at = iso(now);
  const put: StoredIncident = { ...incident, ...end, v: ports.ids.token(), updated_at, expires_at: expiryOf(now) };
  const done = { id: ports.ids.id('evt'), at: updated_at, kind: 'resolved' as const, by: end.resolved_by };
  return [
    { put, if: { version: incident.v } },
    { put: timelineEntry(env, incident, done) },
    { delete: keys.openIncident(incident.tenant_id, incident.id) },
  ];
}
