import type { TenantEnv } from '#lib/access/context.ts';
import type { IncidentEntity, IncidentItem } from '#lib/incidents/incident.ts';
import type { PublicUpdateItem } from '#lib/incidents/public-updates.ts';
import { INCIDENT_ENTITIES, INCIDENT_UPDATES, under } from '#lib/keys.ts';
import { idFloor } from '#lib/platform/ids.ts';
import { allOf, queryMerged } from '#lib/platform/table/pages.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';
import type { Source } from './sources.ts';
import type { StatusPageItem } from './status-page.ts';
import { fill, formatsOf, TEXTS } from './texts.ts';
import {
  byTime,
  type ComponentState,
  type IncidentView,
  MAX_NEWS_AGE_MS,
  type NoticeView,
  type UpdateView,
  worst,
} from './view.ts';

/** Maximum age (ms) of shown incidents, and maximum number of incidents read, not counting older open ones. */
const SHOWN_MS = 395 * DAY_MS;
const MAX_SEARCHED = 100;
/** Maximum number of entities read per incident, and of components named in a text. */
const MAX_ENTITIES = 1000;
const MAX_NAMED = 5;

type Incidents = {
  /** Newest first. */
  all: IncidentView[];
  /** Updates of the last day that subscribers are notified of, in no order. */
  notices: NoticeView[];
  /** Published states of components by id. */
  states: Map<string, ComponentState>;
  /** Time at which the next open incident has lasted long enough to be shown (epoch ms); Infinity without one. */
  next_at: number;
};

/** A component that an incident affects, with the start and end of its outage. */
type Affected = { source: Source; since: string; until: string | null };

/**
 * Reads the incidents that a page shows at `now` (epoch ms): published incidents, and automatic incidents after a
 * minimum duration. Each affects a component of the page.
 */
export async function readIncidents(
  scope: TenantEnv,
  page: StatusPageItem,
  sources: readonly Source[],
  now: number,
): Promise<Incidents> {
  const items = await candidates(scope, sources, now);
  const states = new Map<string, ComponentState>();
  let next_at = Number.POSITIVE_INFINITY;
  const all: IncidentView[] = [];
  const notices: NoticeView[] = [];
  for (const incident of items.filter(({ hidden }) => !hidden)) {
    const affected = await affectedBy(scope, incident, sources);
    const { published, forSubscribers } = await publishedOf(scope, incident, affected, sources);
    if (affected.length === 0) continue;
    const shown_at = Date.parse(incident.started_at) + page.automatic_delay_seconds * 1000;
    const isLong = shown_at <= (incident.resolved_at ? Date.parse(incident.resolved_at) : now);
    if (published.length === 0) {
      if (!page.automatic_incidents || incident.origin === 'manual') continue;
      if (!isLong && !incident.resolved_at) next_at = Math.min(next_at, shown_at);
      if (!isLong) continue;
    }
    if (published.length > 0 && !incident.resolved_at) noteStates(states, incident);
    const view = incidentView(page, incident, affected, published);
    all.push(view);
    for (const { id, status, message, at, component_ids: own } of forSubscribers.filter((one) => isRecent(one, now))) {
      const component_ids = own.length > 0 ? own : view.component_ids;
      const of = { incident_id: incident.id, maintenance: null, status };
      notices.push({ ...of, id, title: view.title, message, at, component_ids });
    }
  }
  return { all, notices, states, next_at };
}

/** Reads the newest incidents, and older open ones that users published or whose root is on the page; newest first. */
async function candidates(
  { ports, keys, tenant }: TenantEnv,
  sources: readonly Source[],
  now: number,
): Promise<IncidentItem[]> {
  const partitions = keys.buckets.map((bucket) => keys.incidents(tenant, bucket));
  const query = { from: idFloor('inc', now - SHOWN_MS), descending: true, eventual: true };
  const { items, next } = await queryMerged<IncidentItem>(ports.table, partitions, { ...query, limit: MAX_SEARCHED });
  if (next === undefined) return items;
  const pointers = await allOf(ports.table, { partition: keys.unresolvedIncidents(tenant), ...query });
  const older = pointers.filter(({ sk }) => sk < next).map(({ sk }) => keys.incident(tenant, sk));
  const unresolved = await ports.table.getMany<IncidentItem>(older, { eventual: true });
  const roots = new Set(sources.map(({ entity }) => entity?.id));
  return [
    ...items,
    ...unresolved.flatMap((one) =>
      one && ((one.updates ?? 0) > 0 || (one.root_entity_id !== null && roots.has(one.root_entity_id))) ? [one] : [],
    ),
  ];
}

const isRecent = ({ at }: PublicUpdateItem, now: number): boolean => Date.parse(at) > now - MAX_NEWS_AGE_MS;

/** Reads the public updates of an incident that the page shows, newest first. */
async function publishedOf(
  { ports, keys, tenant }: TenantEnv,
  { id, updates = 0 }: IncidentItem,
  affected: readonly Affected[],
  sources: readonly Source[],
): Promise<{ published: UpdateView[]; forSubscribers: PublicUpdateItem[] }> {
  if (updates === 0) return { published: [], forSubscribers: [] };
  const partition = keys.ofIncident(tenant, id);
  const query = { partition, ...under(INCIDENT_UPDATES), descending: true, eventual: true };
  const items = await allOf<PublicUpdateItem>(ports.table, query);
  const shown = new Set(sources.map(({ component }) => component.id));
  const own = items.filter(({ component_ids: of }) =>
    of.length === 0 ? affected.length > 0 : of.some((one) => shown.has(one)),
  );
  return {
    published: own.map(({ id: update, status, message, at, edited_at = null }) => ({
      ...{ id: update, status, message, at, edited_at },
    })),
    forSubscribers: own.filter(({ notify }) => notify),
  };
}

const STATE_OF_IMPACT = { outage: 'outage', degraded: 'degraded', none: 'operational' } as const;

function noteStates(states: Map<string, ComponentState>, { impact, component_ids = [] }: IncidentItem): void {
  for (const id of component_ids) {
    states.set(id, worst([states.get(id) ?? 'operational', STATE_OF_IMPACT[impact]]));
  }
}

/** Returns the components of the page that an incident affects, through its entities or because users named them. */
async function affectedBy(
  { ports, keys, tenant }: TenantEnv,
  { id, started_at, resolved_at, entity_ids = [], component_ids = [] }: IncidentItem,
  sources: readonly Source[],
): Promise<Affected[]> {
  const partition = keys.ofIncident(tenant, id);
  const query = { partition, ...under(INCIDENT_ENTITIES), limit: MAX_ENTITIES, eventual: true };
  const { items } = await ports.table.query<IncidentEntity>(query);
  const entities = new Map(items.map((one) => [one.entity_id, one]));
  return sources.flatMap((source): Affected[] => {
    const { component, entity, check } = source;
    if (component_ids.includes(component.id) || (!check && entity && entity_ids.includes(entity.id)))
      return [{ source, since: started_at, until: resolved_at ?? null }];
    const of = entity && entities.get(entity.id);
    if (!of?.failure || (check && check.id !== of.failure.check_id)) return [];
    return [{ source, since: of.failure.since, until: of.down_checks === 0 ? iso(of.at) : null }];
  });
}

/** Text (texts.ts) of an automatic title by impact. */
const TITLES = { outage: 'unavailable', degraded: 'impaired', none: 'notice' } as const;

/** Returns an incident with its updates and, if automatic, the posts of the service about its start and end. Pure. */
function incidentView(
  { language, time_zone }: StatusPageItem,
  { id, origin, impact, started_at, public_title, ...rest }: IncidentItem,
  affected: readonly Affected[],
  published: UpdateView[],
): IncidentView {
  const texts = TEXTS[language];
  const formats = formatsOf(language, time_zone);
  const resolved_at = rest.resolved_at ?? null;
  const isOutage = impact === 'outage';
  const named = affected.slice(0, MAX_NAMED);
  const lines = (text: string, of: readonly Affected[]) =>
    of
      .map(({ source, since, until }) =>
        fill(text, {
          name: source.component.name,
          time: formats.clock(since),
          duration: formats.duration((Date.parse(until ?? resolved_at ?? since) - Date.parse(since)) / 1000),
        }),
      )
      .join('\n');
  const opened: UpdateView = {
    id: `${id}-start`,
    status: null,
    message: lines(isOutage ? texts.is_down : texts.is_impaired, named),
    at: started_at,
    edited_at: null,
  };
  const closed: UpdateView[] =
    resolved_at === null
      ? []
      : [
          {
            id: `${id}-end`,
            status: 'resolved',
            message: lines(isOutage ? texts.was_down : texts.was_impaired, named),
            at: resolved_at,
            edited_at: null,
          },
        ];
  const automatic = origin === 'automatic' ? [...closed, opened] : [];
  const updates = [...published, ...automatic].toSorted((a, b) => byTime(b, a));
  const name = named.map(({ source }) => source.component.name).join(', ');
  return {
    id,
    title: public_title ?? fill(texts[TITLES[impact]], { name }),
    status: resolved_at === null ? (published[0]?.status ?? null) : 'resolved',
    impact,
    started_at,
    resolved_at,
    component_ids: affected.map(({ source }) => source.component.id),
    updates,
  };
}
