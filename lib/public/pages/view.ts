import type { StatusNews } from '#lib/channels/alert.ts';
import { DAY_MS } from '#lib/platform/time.ts';
import type { ACCENTS, Language, THEMES } from './status-page.ts';

/**
 * Data of a page that visitors see: a separate type, without internal names, addresses, and error texts. Its ids
 * identify components, incidents, updates and windows, and disclose nothing internal. Only read-view.ts creates it. Its
 * JSON is the format of /status/<slug>.json, version 1.
 */
export type PageView = {
  version: 1;
  page: {
    title: string;
    description: string;
    language: Language;
    time_zone: string;
    home_url: string | null;
    support_url: string | null;
  };
  state: PageState;
  as_of: string;
  /** Changes with everything except `as_of`, uptime, coverage, days and latency. */
  revision: string;
  groups: { name: string; components: ComponentView[] }[];
  /** Newest first: all open incidents with an update and, up to 20 in all, other open or recent (14 days) ones. */
  incidents: IncidentView[];
  /** Running, and planned within 30 days. */
  maintenance: MaintenanceView[];
};

/** Settings of the HTML page, which its JSON does not have. */
type Appearance = { theme: (typeof THEMES)[number]; accent: (typeof ACCENTS)[number]; is_indexed: boolean };

/**
 * All that is published of a page. `past`: incidents that `view` does not have, newest first. `occurrences`:
 * maintenance from 90 days ago to 90 days ahead. `notices`: news of the last day for subscribers, oldest first.
 */
export type PublishedView = {
  view: PageView;
  past: IncidentView[];
  occurrences: OccurrenceView[];
  notices: NoticeView[];
  appearance: Appearance;
  created_at: string;
};

/** States of a component, the best first. */
export const COMPONENT_STATES = ['operational', 'unknown', 'maintenance', 'degraded', 'outage'] as const;
export type ComponentState = (typeof COMPONENT_STATES)[number];
export type PageState = 'operational' | 'unknown' | 'maintenance' | 'degraded' | 'partial_outage' | 'major_outage';

/** `uptime`: null without up, degraded and down time. `down_seconds`: whole seconds. */
export type DayView = { date: string; kind: ComponentState; uptime: number | null; down_seconds: number };

export type ComponentView = {
  id: string;
  name: string;
  description: string;
  state: ComponentState;
  /** Start of the state; null if it is not known. */
  since: string | null;
  uptime: number | null;
  coverage: number | null;
  /** Latency in the last 24 hours; null if not shown or not measured. */
  latency: { p50_ms: number; p95_ms: number } | null;
  /** Oldest first; empty if not shown. */
  days: DayView[];
};

const INCIDENT_STATUSES = ['investigating', 'identified', 'monitoring', 'resolved'] as const;
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number];

/** `status`: null for the text of the service about the start of an incident. */
export type UpdateView = {
  id: string;
  status: IncidentStatus | null;
  message: string;
  at: string;
  edited_at: string | null;
};

export type IncidentView = {
  id: string;
  title: string;
  status: IncidentStatus | null;
  impact: 'none' | 'degraded' | 'outage';
  started_at: string;
  resolved_at: string | null;
  component_ids: string[];
  /** Newest first. */
  updates: UpdateView[];
};

export type MaintenanceView = {
  id: string;
  title: string;
  starts_at: string;
  ends_at: string;
  status: 'planned' | 'running';
  component_ids: string[];
};

/** Maximum age (ms) of news that subscribers are notified of. A shorter outage of the service only delays the news. */
export const MAX_NEWS_AGE_MS = DAY_MS;

/** News that subscribers are notified of: an update of an incident, or a step of maintenance. */
export type NoticeView = StatusNews & {
  id: string;
  title: string;
  message: string;
  at: string;
  component_ids: string[];
};

/**
 * Maintenance that subscribers were notified of, kept until its end, with times in epoch ms. `is_started`: whether they
 * were notified of its start. `removed_at`: time at which the service found it, or its window, deleted.
 */
export type AnnouncedMaintenance = {
  window_id: string;
  from: number;
  to: number;
  title: string;
  component_ids: string[];
  is_started: boolean;
  removed_at?: number;
};

/** Compares times in ISO 8601, the earlier first. */
export const byTime = (a: { at: string }, b: { at: string }): number => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0);

/** Maintenance; times in epoch ms. `names`: first components. `title`: undefined for that of the page's language. */
export type OccurrenceView = {
  uid: string;
  title: string | undefined;
  from: number;
  to: number;
  names: string[];
  created_at: number;
  updated_at: number;
};

/** Returns the worst state; operational for an empty list. Pure. */
export const worst = (states: readonly ComponentState[]): ComponentState =>
  COMPONENT_STATES[Math.max(0, ...states.map((state) => COMPONENT_STATES.indexOf(state)))]!;

/** Returns the state of a page, derived from the states of its components. Pure. */
export function pageState(states: readonly ComponentState[]): PageState {
  if (states.length === 0) return 'unknown';
  const state = worst(states);
  if (state !== 'outage') return state;
  return states.every((one) => one === 'outage') ? 'major_outage' : 'partial_outage';
}

type Seconds = Record<'up' | 'degraded' | 'down' | 'unknown' | 'gap' | 'maintenance' | 'not_monitored', number>;

/** Minimum number of degraded seconds for a day to count as degraded. */
const MIN_DEGRADED_SECONDS = 60;

/** Returns the kind of a day: never operational if its coverage is below a half or null. Pure. */
export function dayKind({ down, degraded, maintenance }: Seconds, coverage: number | null): ComponentState {
  if (down > 0) return 'outage';
  if (degraded >= MIN_DEGRADED_SECONDS) return 'degraded';
  if (maintenance > 0) return 'maintenance';
  return coverage === null || coverage < 0.5 ? 'unknown' : 'operational';
}
