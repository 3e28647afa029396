import { createHash } from 'node:crypto';
import type { AccountItem } from '#lib/access/account.ts';
import type { TenantEnv } from '#lib/access/context.ts';
import { readAlerting } from '#lib/alerting/policy/account-alerting.ts';
import type { Env } from '#lib/env.ts';
import type { CheckBucket } from '#lib/history/rollups/buckets.ts';
import { staleChecks } from '#lib/history/status/newest-results.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';
import { readFigures } from './read-figures.ts';
import { readIncidents } from './read-incidents.ts';
import { maintenanceNotices, maintenanceOf, occurrencesOf } from './read-maintenance.ts';
import { readSources, type Source } from './sources.ts';
import type { StatusPageItem } from './status-page.ts';
import {
  byTime,
  type ComponentState,
  type ComponentView,
  dayKind,
  type IncidentView,
  type PublishedView,
  pageState,
  worst,
} from './view.ts';

/** Time (ms) for which an incident stays on the page itself after its end, and maximum number of incidents there. */
const RECENT_MS = 14 * DAY_MS;
const MAX_RECENT = 20;

/** Reads what visitors see now. `next_at`: when it changes (epoch ms) without a change of state, as by maintenance. */
export async function readView(
  env: Env,
  page: StatusPageItem,
  account: AccountItem,
): Promise<{ view: PublishedView; next_at: number }> {
  const scope = { ...env, tenant: page.tenant_id };
  const now = env.ports.clock.now();
  const sources = await readSources(scope, page);
  const { windows } = await readAlerting(env, page.tenant_id);
  const maintenance = maintenanceOf(page, windows, sources, now);
  const incidents = await readIncidents(scope, page, sources, now);
  const isStale = await staleChecks(env);
  const figures = await componentFigures(scope, page, sources, account);
  const views = sources.map((source): ComponentView => {
    const { id, name, description } = source.component;
    const { state, since } = stateOf(source, {
      maintenance_since: maintenance.running.get(id),
      published: incidents.states.get(id),
      isStale,
    });
    return { id, name, description, state, since, ...figures.get(id)! };
  });
  const byId = new Map(views.map((view) => [view.id, view]));
  const groups = page.groups.map(({ name, components }) => ({
    name,
    components: components.map(({ id }) => byId.get(id)!),
  }));
  const recent = recentOf(incidents.all, now);
  const { title, description, language, time_zone, home_url, support_url } = page;
  const stable = {
    page: { title, description, language, time_zone, home_url, support_url },
    state: pageState(views.map(({ state }) => state)),
    incidents: recent,
    maintenance: maintenance.all,
  };
  const withoutFigures = groups.map(({ name, components }) => ({
    name,
    components: components.map(({ id, name, description, state, since }) => ({ id, name, description, state, since })),
  }));
  const revision = createHash('sha256')
    .update(JSON.stringify([stable, withoutFigures]))
    .digest('hex')
    .slice(0, 12);
  return {
    view: {
      view: { version: 1, ...stable, as_of: iso(now), revision, groups },
      past: incidents.all.filter((one) => !recent.includes(one)),
      notices: [...incidents.notices, ...maintenanceNotices(page, windows, sources, now)].toSorted(byTime),
      occurrences: occurrencesOf(windows, sources, now),
      created_at: page.created_at,
      appearance: {
        theme: page.theme,
        accent: page.accent,
        is_indexed: page.allow_index && page.visibility === 'public',
      },
    },
    next_at: Math.min(maintenance.next_at, incidents.next_at),
  };
}

/** Returns the incidents on the page itself: all open ones with an update, and the newest of the others. Pure. */
function recentOf(all: readonly IncidentView[], now: number): IncidentView[] {
  const isOpenWithUpdate = ({ resolved_at, status }: IncidentView) => resolved_at === null && status !== null;
  const others = all
    .filter((one) => !isOpenWithUpdate(one))
    .filter(({ resolved_at }) => resolved_at === null || Date.parse(resolved_at) > now - RECENT_MS)
    .slice(0, Math.max(0, MAX_RECENT - all.filter(isOpenWithUpdate).length));
  return all.filter((one) => isOpenWithUpdate(one) || others.includes(one));
}

type StateInput = {
  /** Start of the running maintenance (ISO 8601). */
  maintenance_since: string | undefined;
  /** State published by an update of an incident. */
  published: ComponentState | undefined;
  isStale(check: string): boolean;
};

const STATES = { up: 'operational', degraded: 'degraded', down: 'outage', unknown: 'unknown' } as const;

/**
 * Returns the state of a component. An entity or a check is never operational while it is not monitored; an external
 * service is operational unless users publish another state. Pure.
 */
export function stateOf(
  { component, entity, check, measured_by }: Source,
  { maintenance_since, published, isStale }: StateInput,
): Pick<ComponentView, 'state' | 'since'> {
  const measured = measuredState();
  if (published === undefined || worst([published, measured.state]) === measured.state) return measured;
  return { state: published, since: null };

  function measuredState(): Pick<ComponentView, 'state' | 'since'> {
    if (component.entity_id === null && component.check_id === null) return { state: 'operational', since: null };
    if (maintenance_since !== undefined) return { state: 'maintenance', since: maintenance_since };
    const of = component.check_id === null ? entity : check;
    if (!of || (check && !check.enabled)) return { state: 'unknown', since: null };
    const state = STATES[of.state];
    if (state === 'operational' && measured_by.some(({ id }) => isStale(id))) return { state: 'unknown', since: null };
    return { state, since: of.state_since };
  }
}

type Figures = Pick<ComponentView, 'uptime' | 'coverage' | 'latency' | 'days'>;

/** Reads uptime, days and latencies of components by id. */
async function componentFigures(
  scope: TenantEnv,
  { history_days }: StatusPageItem,
  sources: readonly Source[],
  account: AccountItem,
): Promise<Map<string, Figures>> {
  const now = scope.ports.clock.now();
  const measured = sources.filter(({ component }) => component.show_uptime);
  const timed = sources.filter(({ component, check }) => component.show_latency && check);
  const days = { bucket: 'day', from: now - (history_days - 1) * DAY_MS } as const;
  const histories = await readFigures(scope, measured, days, account);
  const latencies = await readFigures(scope, timed, { bucket: 'hour', from: now - DAY_MS }, account);
  return new Map(
    sources.map((source): [string, Figures] => {
      const history = histories.get(source);
      const { p50_ms, p95_ms } = latencies.get(source)?.total.latency ?? {};
      return [
        source.component.id,
        {
          uptime: history?.total.uptime ?? null,
          coverage: history?.total.coverage ?? null,
          days: history?.buckets.map(dayViewOf) ?? [],
          latency: p50_ms === undefined || p95_ms === undefined ? null : { p50_ms, p95_ms },
        },
      ];
    }),
  );
}

const dayViewOf = ({
  from,
  uptime,
  coverage,
  seconds,
}: Pick<CheckBucket, 'from' | 'uptime' | 'coverage' | 'seconds'>) => ({
  date: from.slice(0, 10),
  kind: dayKind(seconds, coverage),
  uptime,
  down_seconds: Math.ceil(seconds.down),
});
