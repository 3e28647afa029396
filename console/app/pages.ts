import type { ComponentType } from 'preact';
import type { IconName } from '#console/parts/icon.tsx';
import type { Guarded } from '#lib/platform/http/access.ts';

export type PageProps = {
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
};

export type PageRow = {
  /** Address after #; `:name` is a parameter. */
  path: string;
  title: string;
  nav?: { label: string; icon: IconName; synonyms?: string };
  load: () => Promise<{ default: ComponentType<PageProps> }>;
  /** Access that the page needs; if absent, every signed-in user can open the page. */
  needs?: Guarded;
  /** Whether the page needs no session. It then has no navigation. */
  open?: true;
};

/** All pages of the console; the first that matches the address is shown. */
export const pages: readonly PageRow[] = [
  {
    path: '/',
    title: 'Fleet',
    nav: { label: 'Fleet', icon: 'fleet' },
    load: () => import('#console/pages/fleet/fleet.tsx'),
  },
  { path: '/report', title: 'Uptime report', load: () => import('#console/pages/report/report.tsx') },
  {
    path: '/incidents',
    title: 'Incidents',
    nav: { label: 'Incidents', icon: 'incidents' },
    load: () => import('#console/pages/incidents/incidents.tsx'),
  },
  {
    path: '/incidents/:id',
    title: 'Incident',
    load: () => import('#console/pages/incidents/incident.tsx'),
  },
  {
    path: '/checks',
    title: 'Checks',
    nav: { label: 'Checks', icon: 'checks' },
    load: () => import('#console/pages/checks/checks.tsx'),
  },
  {
    path: '/checks/new',
    title: 'New check',
    needs: 'write',
    load: () => import('#console/pages/check-form/new-check.tsx'),
  },
  { path: '/checks/:id', title: 'Check', load: () => import('#console/pages/check/check.tsx') },
  {
    path: '/checks/:id/edit',
    title: 'Edit check',
    needs: 'write',
    load: () => import('#console/pages/check-form/edit-check.tsx'),
  },
  {
    path: '/catalog',
    title: 'Catalog',
    nav: { label: 'Catalog', icon: 'catalog' },
    load: () => import('#console/pages/catalog/catalog.tsx'),
  },
  { path: '/catalog/:blueprint', title: 'Blueprint', load: () => import('#console/pages/catalog/blueprint.tsx') },
  { path: '/entities/:blueprint/:slug', title: 'Entity', load: () => import('#console/pages/entity/entity.tsx') },
  { path: '/map', title: 'Map', nav: { label: 'Map', icon: 'map' }, load: () => import('#console/pages/map/map.tsx') },
  {
    path: '/alerts',
    title: 'Alerts',
    nav: { label: 'Alerts', icon: 'alerts' },
    load: () => import('#console/pages/alerts/alerts.tsx'),
  },
  { path: '/alerts/:part', title: 'Alerts', load: () => import('#console/pages/alerts/alerts.tsx') },
  {
    path: '/alerts/windows/:id',
    title: 'Maintenance window',
    load: () => import('#console/pages/alerts/windows/window.tsx'),
  },
  {
    path: '/on-call',
    title: 'On call',
    nav: { label: 'On call', icon: 'on_call', synonyms: 'rota schedule shift rotation duty pager' },
    load: () => import('#console/pages/on-call/on-call.tsx'),
  },
  {
    path: '/status-pages',
    title: 'Status pages',
    nav: { label: 'Status pages', icon: 'pages' },
    load: () => import('#console/pages/status/status-pages.tsx'),
  },
  {
    path: '/status-pages/:id',
    title: 'Status page',
    load: () => import('#console/pages/status/status-page.tsx'),
  },
  {
    path: '/actions',
    title: 'Actions',
    nav: { label: 'Actions', icon: 'actions' },
    load: () => import('#console/pages/actions/actions.tsx'),
  },
  { path: '/actions/:id', title: 'Action', load: () => import('#console/pages/actions/action.tsx') },
  { path: '/executions/:id', title: 'Execution', load: () => import('#console/pages/actions/execution.tsx') },
  {
    path: '/agents',
    title: 'Agents',
    nav: { label: 'Agents', icon: 'agents' },
    load: () => import('#console/pages/agents/agents.tsx'),
  },
  {
    path: '/settings',
    title: 'Settings',
    nav: { label: 'Settings', icon: 'settings' },
    load: () => import('#console/pages/settings/settings.tsx'),
  },
  { path: '/settings/:part', title: 'Settings', load: () => import('#console/pages/settings/settings.tsx') },
  { path: '/start', title: 'First steps', needs: 'write', load: () => import('#console/pages/start/start.tsx') },
  { path: '/sign-in', title: 'Sign in', open: true, load: () => import('#console/pages/sign-in/sign-in.tsx') },
  {
    path: '/link/:token',
    title: 'Sign in with a link',
    open: true,
    load: () => import('#console/pages/sign-in/link.tsx'),
  },
  {
    path: '/invitation/:token',
    title: 'Accept the invitation',
    open: true,
    load: () => import('#console/pages/sign-in/invitation.tsx'),
  },
];
