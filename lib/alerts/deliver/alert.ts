import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { AnnouncedAlert, CheckItem } from '#lib/checks/check-item.ts';
import type { DeliveryKind } from '#lib/checks/delivery-id.ts';
import { checkLabel } from '#lib/checks/label.ts';
import type { AlertItem, AlertRoot, TriedRemediation } from '#lib/health/alerting/alert-item.ts';
import type { AlertUrgency } from '#lib/health/alerting/decision.ts';
import type { FlapNote } from '#lib/health/state/flapping.ts';
import type { TransitionItem } from '#lib/health/state/transition-item.ts';
import type { TransitionCause } from '#lib/health/state/transition-record.ts';
import type { DeliveryItem } from './delivery-item.ts';
import { eventOf, type StateChangeEvent } from './event.ts';

/** How many of something, and the names of the first ten. */
export type Counted = { count: number; names: string[] };

/** Pages about it, for people; null where there is none. */
export type AlertUrls = {
  check: string | null;
  incident: string | null;
  runbook: string | null;
  dashboard: string | null;
};

/** An alert to a channel: all that a `render` needs, so that it can be pure. */
export type Alert = {
  delivery_id: string;
  /** Null for a test. */
  alert_id: string | null;
  kind: DeliveryKind;
  urgency: AlertUrgency;
  /** The incident that it belongs to; null without one. */
  incident_id: string | null;
  /** What it fails with; null when it fails by itself, or nobody knows. */
  root: AlertRoot | null;
  /** What else fails or waits under the same root; null when nobody knows. */
  affected: Counted | null;
  /** What depends on the entity directly; null when nobody knows. */
  impact: Counted | null;
  urls: AlertUrls;
  /** What was tried to repair it, and is given up; null of all other alerts. */
  remediation: TriedRemediation | null;
  /** Leads to a page that asks before it acknowledges; null where nothing can be acknowledged. */
  acknowledge_url: string | null;
  event: StateChangeEvent;
  /** What channels are to believe of the check afterwards: up of one that is degraded, where that is not announced. */
  announces: AnnouncedAlert['announces'] | null;
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
};

/** What nobody has found out of an alert. */
export const NOTHING_KNOWN = {
  urgency: 'high',
  incident_id: null,
  root: null,
  affected: null,
  impact: null,
  urls: { check: null, incident: null, runbook: null, dashboard: null },
  acknowledge_url: null,
  remediation: null,
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
  announces: 'down',
  cause: 'result',
  check_label: 'GET https://shop.example.com/health',
  error_message: 'expected status 200, got 503 (Service Unavailable)',
  check_from_since: '2026-11-20T17:30:00.000Z',
  at: '2026-11-21T08:01:17.000Z',
};

/** The alert of a delivery about a transition. @param item as it was decided */
export const alertOf = (delivery: DeliveryItem, transition: TransitionItem, item: AlertItem | undefined): Alert => ({
  ...NOTHING_KNOWN,
  ...(item && { urgency: item.urgency, incident_id: item.incident_id ?? null, root: item.root ?? null }),
  ...(item?.remediation && { remediation: item.remediation }),
  delivery_id: delivery.id,
  alert_id: delivery.alert?.id ?? null,
  kind: delivery.kind,
  event: eventOf(transition),
  announces: delivery.announces,
  ...(delivery.kind === 'state_change' && transition.flapping && { flapping: transition.flapping }),
  cause: transition.cause,
  check_label: transition.check_label,
  error_message: transition.error_message,
  check_from_since: transition.check_from_since,
  at: delivery.created_at,
});

/** A test: the present state as an event that changes nothing and belongs to no transition. */
export const testAlertOf = (delivery: DeliveryItem, check: CheckItem, entity: EntityItem): Alert => ({
  ...NOTHING_KNOWN,
  delivery_id: delivery.id,
  alert_id: null,
  kind: 'test',
  event: {
    entity_id: entity.id,
    entity_name: entity.name,
    check_id: check.id,
    tenant_id: check.tenant_id,
    from_state: entity.state,
    to_state: entity.state,
    check_from_state: check.state,
    check_to_state: check.state,
    transition_id: '',
    timestamp: delivery.created_at,
  },
  announces: null,
  cause: null,
  check_label: checkLabel(check),
  error_message: '',
  check_from_since: check.state_since,
  at: delivery.created_at,
});
