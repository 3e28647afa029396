import * as z from 'zod';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { Labels } from '#lib/catalog/labels.ts';
import type { EntityState } from '#lib/catalog/states.ts';
import type { CheckItem, NotifiedAlert } from '#lib/checks/check-item.ts';
import type { TransitionCause, TransitionItem } from '#lib/checks/state/transition.ts';
import { namesOf } from '#lib/platform/plain-data.ts';

/** How many of something, and the names of the first ten. */
export type Counted = { count: number; names: string[] };

/** The check as it is now; of one that is gone the name alone is left. */
export type AlertCheck = { id: string; name: string; slug: string | null; type: string | null; target: string | null };

type AlertEntity = { id: string; name: string; slug: string; blueprint: string; labels: Labels };

/** An alert to a channel: all that a `render` needs, so that it can be pure. */
export type Alert = {
  delivery_id: string;
  /** Null for a test. */
  alert_id: string | null;
  kind: DeliveryKind;
  urgency: AlertUrgency;
  /** The incident that it belongs to; null without one. */
  incident_id: string | null;
  /** Other entities follow from that, or it follows from theirs. */
  with_others: boolean;
  /** What it fails with; null when it fails by itself, or nobody knows. */
  root: AlertRoot | null;
  /** What else fails or waits under the same root; null when nobody knows. */
  affected: Counted | null;
  /** What depends on the entity directly; null when nobody knows. */
  impact: Counted | null;
  /**
   * Of one that tells of all that stayed down after what they followed from: how many, itself included, and the names
   * of the first ten; null of any other.
   */
  group: (Counted & { id: string; root_entity_name: string }) | null;
  urls: AlertUrls;
  check: AlertCheck;
  entity: AlertEntity;
  /** How often the check failed within the last so many ms, this time included; null when nobody counted. */
  lately: RecentFailures | null;
  /** What kinds of channel got the alert, as people call them, one a channel; empty when it is not known. */
  told: string[];
  /** What was tried to repair it, and is given up; null of all other alerts. */
  remediation: TriedRemediation | null;
  /** Leads to a page that asks before it acknowledges; null where nothing can be acknowledged. */
  acknowledge_url: string | null;
  /** The same for a silence of an hour. */
  silence_url: string | null;
  /** Of one that says so: who looks after it; else null. `until`: ISO 8601. */
  acknowledgement: { by: string; note: string; until: string | null } | null;
  /** Of an escalation: which of its steps, from 1; else null. */
  step: number | null;
  event: StateChangeEvent;
  /** What channels are to believe of the check afterwards: up of one that is degraded, where that is not announced. */
  reports_state: NotifiedAlert['reports_state'] | null;
  /** It is the first to say that the check flaps. */
  flapping?: FlapNote;
  /** Null for a test. */
  cause: TransitionCause | null;
  check_label: string;
  /** Error or warning of the deciding result; empty when none. */
  error_message: string;
  /** ISO 8601: since when the check was in `check_from_state`. */
  check_from_since: string;
  /** ISO 8601: when this alert was made. */
  at: string;
  /** Epoch ms of this attempt. */
  sent_at: number;
};

/** What nobody has found out of an alert. */
export const NOTHING_KNOWN = {
  urgency: 'high',
  incident_id: null,
  with_others: false,
  root: null,
  affected: null,
  impact: null,
  group: null,
  lately: null,
  told: [],
  remediation: null,
  acknowledge_url: null,
  silence_url: null,
  acknowledgement: null,
  step: null,
} satisfies Partial<Alert>;

/** As a real one: what a channel type makes of it is shown in the documents, and says where its alerts go. */
export const EXAMPLE_ALERT: Alert = {
  ...NOTHING_KNOWN,
  delivery_id: 'dlv_0mi8w2c1pce7f6c011776e8db7',
  alert_id: 'trn_0mi8w2c1kw4b227777d4dd1fc6',
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
  reports_state: 'down',
  cause: 'result',
  check_label: 'GET https://shop.example.com/health',
  error_message: 'expected status 200, got 503 (Service Unavailable)',
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
    incident: null,
    runbook: 'https://wiki.example.com/shop',
    dashboard: null,
  },
  lately: { failures: 3, within_ms: 86_400_000 },
  told: ['Slack', 'E-mail'],
};

/** Pages about an alert, for people; null where there is none. */
type AlertUrls = {
  check: string | null;
  incident: string | null;
  runbook: string | null;
  dashboard: string | null;
};

/** What the pages follow from. `public_url`: the setting PUBLIC_URL, which may be empty. */
export type AlertUrlsAbout = {
  check: CheckItem | undefined;
  entity: EntityItem;
  incident_id?: string | undefined;
  public_url: string;
};

const MAX_TEXT = 2048;

/**
 * Check and incident in the console, and the addresses that the check's labels, or else the entity's fields and labels,
 * have as `runbook_url` and `dashboard_url`.
 */
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
  typeof value === 'string' && value.length <= MAX_TEXT && /^https?:\/\/[^\s<>"]+$/.test(value) && URL.canParse(value);

export const DeliveryKind = z.enum([
  'state_change',
  'reminder',
  'late',
  'escalation',
  'impact',
  'acknowledged',
  'closed',
  'remediation_failed',
  'test',
]);
export type DeliveryKind = z.infer<typeof DeliveryKind>;

/** An entity that others depend on, as it was when the alert was decided. `since`: ISO 8601. */
export type AlertRoot = { entity_id: string; entity_name: string; state: EntityState; since: string };

/** A guarded action that did not help; `verdict` is that of its last attempt. */
export type TriedRemediation = {
  action_id: string;
  action_name: string;
  attempts: number;
  verdict: 'recovered' | 'not_recovered' | 'unverified';
};

/** What an alert says of flapping: how many changes there were within which time, and when it is told again; ms. */
export type FlapNote = { changes: number; within_ms: number; calm_ms: number };

/** `low`: delivered as any other, but it need not wake anybody. */
export const AlertUrgency = z.enum(['high', 'low']);
export type AlertUrgency = z.infer<typeof AlertUrgency>;

/** The members of the event (docs/use/webhooks.md#events), in its order. */
export const EVENT_MEMBERS = {
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
const names = namesOf(EVENT_MEMBERS);

/**
 * The state-change event, with the check's own states beside the entity's. It is the body of a webhook, the payload on
 * NATS and the detail on the bus.
 */
type StateChangeEvent = Pick<TransitionItem, keyof typeof EVENT_MEMBERS>;

export const eventOf = (transition: TransitionItem): StateChangeEvent =>
  Object.fromEntries(names.map((name) => [name, transition[name]])) as StateChangeEvent;

/** How often a check went down; of 20 it may be more. */
export type RecentFailures = { failures: number; within_ms: number };
