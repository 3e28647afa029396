import * as z from 'zod';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { Labels } from '#lib/catalog/labels.ts';
import type { EntityState } from '#lib/catalog/states.ts';
import type { CheckItem, NotifiedAlert } from '#lib/checks/check-item.ts';
import type { TransitionCause, TransitionItem } from '#lib/checks/state/transition.ts';
import { namesOf } from '#lib/platform/plain-data.ts';

/** Count, with the names of the first ten. */
export type Counted = { count: number; names: string[] };

/** Check. `name`: at the transition; other properties are current, null if it was deleted. */
export type AlertCheck = { id: string; name: string; slug: string | null; type: string | null; target: string | null };

type AlertEntity = { id: string; name: string; slug: string; blueprint: string; labels: Labels };

/** Alert with everything that a pure `render` needs. A property is null if the alert has none, or if it is unknown. */
export type Alert = {
  delivery_id: string;
  alert_id: string | null;
  kind: DeliveryKind;
  urgency: AlertUrgency;
  incident_id: string | null;
  /** Whether other entities are downstream or upstream of this failure. */
  shares_incident: boolean;
  root: AlertRoot | null;
  /** Other entities whose alerts are held for the same root cause; null if unknown. */
  affected: Counted | null;
  /** Direct dependents of the entity, if the alert reports down; null without any, or if unknown. */
  impact: Counted | null;
  /** Failures that remain after the recovery of their root cause, including this one; null for other alerts. */
  group: (Counted & { id: string; root_entity_name: string }) | null;
  /** Alerts of a combined message; `following`: number of alerts left for further messages. Null: sent separately. */
  combined: { alerts: Alert[]; following: number } | null;
  urls: AlertUrls;
  check: AlertCheck;
  entity: AlertEntity;
  /** Recent failures of the check, including this one; null if not counted. */
  lately: RecentFailures | null;
  /** Titles of the channel types notified, one per channel; empty if unknown. */
  notified: string[];
  remediation: TriedRemediation | null;
  /** URL of the page that acknowledges after a confirmation; null if not possible. */
  acknowledge_url: string | null;
  /** URL of the page that silences the check for an hour; null if not possible. */
  silence_url: string | null;
  /** Acknowledgement; null for other alerts. `until`: ISO 8601. */
  acknowledgement: { by: string; note: string; until: string | null } | null;
  /** Escalation step, from 1; null for other alerts. */
  step: number | null;
  status_update: StatusUpdate | null;
  report: MonthlyReport | null;
  event: StateChangeEvent;
  /** Reported state: up for a degraded check if its policy does not alert on degraded. Null if no state is reported. */
  reports_state: NotifiedAlert['reports_state'] | null;
  flapping?: FlappingFigures;
  /** Whether it reports down again: the check recovered since the last alert, which also reported down. */
  again: boolean;
  /** Failures since the last alert that were over before an alert reported them; null without any. */
  unreported: UnreportedFailures | null;
  /** Null for a test, status update or monthly report. */
  cause: TransitionCause | null;
  check_label: string;
  /** Error or warning of the deciding result; empty without one. */
  error_message: string;
  /** Time of the first failed result of the outage, ISO 8601; null unless `check_to_state` is down. */
  outage_started_at: string | null;
  /** Start of `check_from_state`, ISO 8601. */
  check_from_since: string;
  /** Time of the alert, ISO 8601. */
  at: string;
  /** Time of this attempt, epoch ms. */
  sent_at: number;
};

/** Defaults of the properties that not every alert sets. */
export const NOTHING_KNOWN = {
  urgency: 'high',
  incident_id: null,
  shares_incident: false,
  root: null,
  affected: null,
  impact: null,
  group: null,
  combined: null,
  lately: null,
  notified: [],
  remediation: null,
  acknowledge_url: null,
  silence_url: null,
  acknowledgement: null,
  step: null,
  status_update: null,
  report: null,
  outage_started_at: null,
  again: false,
  unreported: null,
} satisfies Partial<Alert>;

/** Example of an alert, for the documentation, and rendered to determine the address to which a channel sends. */
export const EXAMPLE_ALERT: Alert = {
  ...NOTHING_KNOWN,
  delivery_id: 'dlv_0mi8w2c1pce7f6c011776e8db7',
  alert_id: 'alr_0mi8w2c1kw8f14e45fceea167a',
  kind: 'state_change',
  event: {
    entity_id: 'ent_0mi8w27k0005feceb66ffc86f3',
    entity_name: 'Web shop',
    check_id: 'chk_0mi8w27sw86b273ff34fce19d6',
    tenant_id: 'acc_0mi8w274tw5d39c8c2a7b8f01e',
    from_state: 'up',
    to_state: 'down',
    check_from_state: 'up',
    check_to_state: 'down',
    transition_id: 'trn_0mi8w2c1kw4b227777d4dd1fc6',
    timestamp: '2026-11-21T08:01:17.000Z',
  },
  incident_id: 'inc_0mi8w2c1kw5d41402abc4b2a76',
  acknowledge_url: 'https://status.example.com/a/0mi8w2c1kw-acknowledge',
  silence_url: 'https://status.example.com/a/0mi8w2c1kw-silence',
  reports_state: 'down',
  cause: 'result',
  check_label: 'GET https://shop.example.com/health',
  error_message: 'expected status 200, got 503 (Service Unavailable)',
  outage_started_at: '2026-11-21T08:00:17.000Z',
  check_from_since: '2026-11-20T17:30:00.000Z',
  at: '2026-11-21T08:01:17.000Z',
  sent_at: Date.parse('2026-11-21T08:01:17.240Z'),
  check: {
    id: 'chk_0mi8w27sw86b273ff34fce19d6',
    name: 'GET https://shop.example.com/health',
    slug: 'shop-health',
    type: 'http',
    target: 'GET https://shop.example.com/health',
  },
  entity: {
    id: 'ent_0mi8w27k0005feceb66ffc86f3',
    name: 'Web shop',
    slug: 'shop',
    blueprint: 'service',
    labels: { team: 'payments' },
  },
  urls: {
    check: 'https://status.example.com/#/checks/chk_0mi8w27sw86b273ff34fce19d6',
    incident: 'https://status.example.com/#/incidents/inc_0mi8w2c1kw5d41402abc4b2a76',
    runbook: 'https://wiki.example.com/shop',
    dashboard: null,
  },
  lately: { failures: 3, within_ms: 86_400_000 },
  notified: ['Slack', 'E-mail'],
};

/** Incident, or occurrence of maintenance, that news of a status page is about, with its status. Times in ISO 8601. */
export type StatusNews =
  | {
      incident_id: string;
      maintenance: null;
      status: 'investigating' | 'identified' | 'monitoring' | 'resolved';
    }
  | {
      incident_id: null;
      maintenance: { id: string; starts_at: string; ends_at: string };
      status: 'scheduled' | 'started' | 'ended' | 'cancelled';
    };

/** Update of a status page. `title`: of its incident or maintenance. `page`, `url`: of the page. `at`: ISO 8601. */
export type StatusUpdate = StatusNews & {
  id: string;
  title: string;
  message: string;
  at: string;
  page: string;
  url: string;
};

type AlertUrls = {
  check: string | null;
  incident: string | null;
  runbook: string | null;
  dashboard: string | null;
};

/** Input of `urlsOf`. `public_url`: base address of the links, possibly empty. */
export type AlertUrlsAbout = {
  check: CheckItem | undefined;
  entity: EntityItem;
  incident_id?: string | undefined;
  public_url: string;
};

const MAX_URL = 2048;

/** Returns the URLs of check, incident, runbook and dashboard; for the last two, labels of the check come first. */
export function urlsOf({ check, entity, incident_id, public_url }: AlertUrlsAbout): AlertUrls {
  const named = (name: string): string | null =>
    [check?.labels?.[name], entity.fields[name], entity.labels[name]].find(isAddress) ?? null;
  return {
    check: check && public_url !== '' ? `${public_url}/#/checks/${check.id}` : null,
    incident: incident_id !== undefined && public_url !== '' ? `${public_url}/#/incidents/${incident_id}` : null,
    runbook: named('runbook_url'),
    dashboard: named('dashboard_url'),
  };
}

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_URL && /^https?:\/\/[^\s<>"]+$/.test(value) && URL.canParse(value);

export const AlertKind = z
  .enum([
    'state_change',
    'reminder',
    'late',
    'escalation',
    'impact',
    'acknowledged',
    'closed',
    'remediation_failed',
    'test',
  ])
  .describe(
    'state_change: the check changed state. reminder: the failure continues. late: corrects the last notified state, or reports an unreported failure. escalation: an escalation step is due. impact: more entities fail than first reported. acknowledged: the failure was acknowledged. closed: a check reported as down or degraded was disabled or deleted. remediation_failed: the remediation did not help. test: test message.',
  );
export type AlertKind = z.infer<typeof AlertKind>;

/** Kinds of deliveries: alerts, and messages that do not concern a check. */
export const DeliveryKind = z
  .enum([...AlertKind.options, 'status_update', 'monthly_report'])
  .describe(
    `${AlertKind.description} status_update: update of a status page. monthly_report: monthly report for a user.`,
  );
export type DeliveryKind = z.infer<typeof DeliveryKind>;

/** Figures of a month for all entities of an account. Uptime and coverage: null without data. */
export type MonthFigures = { uptime: number | null; coverage: number | null; down_seconds: number; incidents: number };

/** Monthly report of an account. `month`: `2026-11`; `worst`: entities with downtime, lowest uptime first. */
export type MonthlyReport = {
  account: string;
  month: string;
  current: MonthFigures;
  before: MonthFigures;
  without_data: number;
  worst: { name: string; uptime: number; down_seconds: number }[];
  url: string;
};

/** Root cause, with its state at the time of the alert. `since`: ISO 8601. */
export type AlertRoot = { entity_id: string; entity_name: string; state: EntityState; since: string };

/** Remediation that did not help, with the verdict of its last attempt. */
export type TriedRemediation = {
  action_id: string;
  action_name: string;
  attempts: number;
  verdict: 'recovered' | 'not_recovered' | 'unverified';
};

/** Flapping: state changes within a time (ms), and the time (ms) to keep one state before alerts are sent again. */
export type FlappingFigures = { changes: number; within_ms: number; calm_ms: number };

/** Urgency of an alert. `low`: delivered like any other alert, but not urgent. */
export const AlertUrgency = z.enum(['high', 'low']);
export type AlertUrgency = z.infer<typeof AlertUrgency>;

/** Properties of the event (docs/use/webhooks.md#events), in order. */
export const EVENT_PROPERTIES = {
  entity_id: true,
  entity_name: true,
  check_id: true,
  tenant_id: true,
  from_state: true,
  to_state: true,
  check_from_state: true,
  check_to_state: true,
  transition_id: true,
  timestamp: true,
} as const;
const names = namesOf(EVENT_PROPERTIES);

/** State-change event of check and entity: detail on the bus, and part of the alert in webhooks and NATS messages. */
type StateChangeEvent = Pick<TransitionItem, keyof typeof EVENT_PROPERTIES>;

export const eventOf = (transition: TransitionItem): StateChangeEvent =>
  Object.fromEntries(names.map((name) => [name, transition[name]])) as StateChangeEvent;

/** Number of failures, from 20 on a lower bound, and start and end of the last one, ISO 8601. */
export type UnreportedFailures = { count: number; from: string; to: string };

/** Number of times the check went down; from 20 on a lower bound. */
export type RecentFailures = { failures: number; within_ms: number };
