import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import type { TenantEnv } from '#lib/access/context.ts';
import { readAlerting } from '#lib/alerting/policy/account-alerting.ts';
import type { Env } from '#lib/env.ts';
import { staleChecks } from '#lib/history/status/newest-results.ts';
import { namesOf } from '#lib/platform/plain-data.ts';
import type { PublicFile } from '#lib/platform/ports.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import { readFigures } from '#lib/public/pages/read-figures.ts';
import { maintenanceOf } from '#lib/public/pages/read-maintenance.ts';
import { stateOf } from '#lib/public/pages/read-view.ts';
import { STATUS_PATH } from '#lib/public/pages/render.ts';
import { readSources, type Source } from '#lib/public/pages/sources.ts';
import { addressOf, type StatusPageItem } from '#lib/public/pages/status-page.ts';
import type { ComponentState, PageState, PageView } from '#lib/public/pages/view.ts';
import { type BadgeFiguresItem, type Figure, hasFigure, PERIODS, type Period, type PublicBadgeItem } from './badge.ts';
import { type BadgeContent, badgeJson, badgeSvg, STYLES, type Style } from './draw-badge.ts';

type ServedBadge = { status: 200 | 400 | 404; file: PublicFile };

const PATH = /^\/badge\/([\w-]{22})\/(state|uptime|latency)\.(svg|json)$/;

/** Time (ms) for which figures are cached, so that a busy badge rarely reads the history. */
const CACHED_MS = 600_000;
/** Age (ms) above which the state of a published page is unknown: pages are published every five minutes. */
const MAX_PAGE_AGE_MS = 900_000;

const LABELS: Record<Figure, string> = { state: 'status', uptime: 'uptime', latency: 'latency' };

type Shown = Omit<BadgeContent, 'label'>;

const UNKNOWN: Shown = { message: 'unknown', color: 'lightgrey' };

const STATES: Record<ComponentState | PageState, Shown> = {
  operational: { message: 'up', color: 'brightgreen' },
  degraded: { message: 'degraded', color: 'yellow' },
  outage: { message: 'down', color: 'red' },
  partial_outage: { message: 'partial outage', color: 'red' },
  major_outage: { message: 'major outage', color: 'red' },
  maintenance: { message: 'maintenance', color: 'blue' },
  unknown: UNKNOWN,
};

/** Serves a badge by path and query; ignores unknown parameters, as the edge does. A 404 does not reveal its reason. */
export async function serveBadge(env: Env, path: string, search: URLSearchParams): Promise<ServedBadge> {
  const [, publicId = '', figure, extension = path.endsWith('.json') ? 'json' : 'svg'] = PATH.exec(path) ?? [];
  const period = search.get('period') ?? '30d';
  const style = search.get('style') ?? 'flat';
  const reply = (status: ServedBadge['status'], content: BadgeContent): ServedBadge => ({
    status,
    file:
      extension === 'json'
        ? { bytes: Buffer.from(badgeJson(content, status !== 200)), type: 'application/json; charset=utf-8' }
        : { bytes: Buffer.from(badgeSvg(content, isStyle(style) ? style : 'flat')), type: 'image/svg+xml' },
  });
  const wrong = (label: string, names: readonly string[]) =>
    reply(400, { label, message: `must be ${names.join(', ')}`, color: 'lightgrey' });
  if (!isPeriod(period)) return wrong('period', namesOf(PERIODS));
  if (!isStyle(style)) return wrong('style', STYLES);
  const missing = () => reply(404, { label: 'badge', message: 'not found', color: 'lightgrey' });
  if (figure === undefined) return missing();
  const badge = await env.ports.table.get<PublicBadgeItem>(env.keys.publicBadge(publicId));
  if (!badge || !hasFigure(badge, figure as Figure)) return missing();
  const account = await env.ports.table.get<AccountItem>(env.keys.account(badge.tenant_id));
  if (!account || isDisabled(account)) return missing();
  const scope = { ...env, tenant: badge.tenant_id };
  const shown =
    figure === 'state'
      ? STATES[await readState(scope, badge)]
      : figureOf(figure as Figure, await cachedFigures(scope, { badge, publicId, period, account }));
  return reply(200, { label: badge.label ?? LABELS[figure as Figure], ...shown });
}

const isPeriod = (text: string): text is Period => Object.hasOwn(PERIODS, text);
const isStyle = (text: string): text is Style => (STYLES as readonly string[]).includes(text);

/** Reads the state as a status page would show it. The state of a check or entity ignores published incidents. */
function readState(scope: TenantEnv & Env, badge: PublicBadgeItem): Promise<ComponentState | PageState> {
  return badge.status_page_id === null ? readComponentState(scope, badge) : readPageState(scope, badge.status_page_id);
}

async function readComponentState(scope: TenantEnv & Env, badge: PublicBadgeItem): Promise<ComponentState> {
  const [source, { windows }, isStale] = await Promise.all([
    readSource(scope, badge),
    readAlerting(scope, scope.tenant),
    staleChecks(scope),
  ]);
  const { running } = maintenanceOf({ language: 'en' }, windows, [source], scope.ports.clock.now());
  const maintenance_since = running.get(source.component.id);
  return stateOf(source, { maintenance_since, published: undefined, isStale }).state;
}

async function readSource(scope: TenantEnv, { check_id, entity_id }: PublicBadgeItem): Promise<Source> {
  const shown = { check_id, entity_id, show_uptime: true, show_latency: true };
  const component = { id: 'badge', name: '', description: '', ...shown };
  const [source] = await readSources(scope, { groups: [{ name: '', components: [component] }] });
  return source!;
}

/** Reads the published state of a page; unknown for a draft, or if the publication is too old. */
async function readPageState({ ports, keys, tenant }: TenantEnv & Env, id: string): Promise<PageState> {
  const page = await ports.table.get<StatusPageItem>(keys.statusPage(tenant, id));
  const address = page && addressOf(page);
  const file = address && (await ports.files.get(`${STATUS_PATH}/${address}.json`));
  if (!file) return 'unknown';
  const { state, as_of } = JSON.parse(Buffer.from(file.bytes).toString()) as PageView;
  return Date.parse(as_of) < ports.clock.now() - MAX_PAGE_AGE_MS ? 'unknown' : state;
}

type Wanted = { badge: PublicBadgeItem; publicId: string; period: Period; account: AccountItem };
type Figures = Pick<BadgeFiguresItem, 'uptime' | 'p95_ms'>;

async function cachedFigures(scope: TenantEnv & Env, wanted: Wanted): Promise<Figures> {
  const { ports, keys } = scope;
  const now = ports.clock.now();
  const key = keys.badgeFigures(wanted.publicId, wanted.period);
  const kept = await ports.table.get<BadgeFiguresItem>(key);
  if (kept && kept.at > now - CACHED_MS) return kept;
  const figures = await currentFigures(scope, wanted);
  const item: BadgeFiguresItem = { ...key, at: now, ...figures, expires_at: Math.ceil((now + CACHED_MS) / 1000) };
  await ports.table.transact([{ put: item }]);
  return figures;
}

async function currentFigures(scope: TenantEnv, { badge, period, account }: Wanted): Promise<Figures> {
  const now = scope.ports.clock.now();
  const range =
    period === '24h'
      ? ({ bucket: 'hour', from: now - DAY_MS } as const)
      : ({ bucket: 'day', from: now - (PERIODS[period] - 1) * DAY_MS } as const);
  const source = await readSource(scope, badge);
  const total = (await readFigures(scope, [source], range, account)).get(source)?.total;
  return { uptime: total?.uptime ?? null, p95_ms: total?.latency?.p95_ms ?? null };
}

const NO_DATA: Shown = { message: 'no data', color: 'lightgrey' };

/** Minimum uptime of each color. */
const UPTIME_COLORS = [
  [0.999, 'brightgreen'],
  [0.99, 'green'],
  [0.95, 'yellow'],
  [0, 'red'],
] as const;

function figureOf(figure: Figure, { uptime, p95_ms }: Figures): Shown {
  if (figure === 'latency') return p95_ms === null ? NO_DATA : { message: `${p95_ms} ms`, color: 'blue' };
  if (uptime === null) return NO_DATA;
  const [, color] = UPTIME_COLORS.find(([minimum]) => uptime >= minimum)!;
  // Rounded down, because 99.996 % is not 100 %.
  const hundredths = Math.floor(Math.round(uptime * 1e6) / 100);
  return { message: hundredths === 10_000 ? '100%' : `${(hundredths / 100).toFixed(2)}%`, color };
}
