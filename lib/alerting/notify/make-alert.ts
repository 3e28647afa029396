import type { AccountItem } from '#lib/access/account.ts';
import type { TenantEnv } from '#lib/access/context.ts';
import { redactUrl } from '#lib/access/redaction.ts';
import { entitiesFailingWith } from '#lib/alerting/cause/held-under.ts';
import type { AlertItem } from '#lib/alerting/decide/alert-item.ts';
import { recentFailures } from '#lib/alerting/decide/notified-state.ts';
import type { DecidedTransition } from '#lib/alerting/decide/transition.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import { dependentsOf } from '#lib/catalog/relations/relation-store.ts';
import {
  type Alert,
  type AlertCheck,
  type AlertUrlsAbout,
  EXAMPLE_ALERT,
  eventOf,
  NOTHING_KNOWN,
  urlsOf,
} from '#lib/channels/alert.ts';
import type { Acknowledgement, CheckItem } from '#lib/checks/check-item.ts';
import { checkLabel, checkTypeOf } from '#lib/checks/types/registry.ts';
import { iso } from '#lib/platform/time.ts';
import type { DeliveryItem } from './delivery-item.ts';

export type AlertLinks = Pick<Alert, 'acknowledge_url' | 'silence_url'>;

/** Data of an alert in addition to its transition. `check`: undefined if it was deleted. */
type About = AlertUrlsAbout & { now: number };

/** Returns the alert of a delivery. @param item the stored alert */
export const alertOf = (
  delivery: DeliveryItem,
  transition: DecidedTransition,
  item: AlertItem | undefined,
  /** `notified`: titles of the channel types that the alert is sent to, one per channel. */
  about: About & { notified: string[] } & AlertLinks,
): Alert => ({
  ...NOTHING_KNOWN,
  ...(item && {
    urgency: item.urgency,
    incident_id: item.incident_id ?? null,
    shares_incident: item.shares_incident ?? false,
    root: item.root ?? null,
    again: item.again ?? false,
    unreported: item.unreported ?? null,
  }),
  ...(item?.step !== undefined && { step: item.step + 1 }),
  ...(item?.acknowledgement && { acknowledgement: acknowledgementOf(item.acknowledgement) }),
  ...(item?.remediation && { remediation: item.remediation }),
  delivery_id: delivery.id,
  alert_id: delivery.alert?.id ?? null,
  kind: delivery.kind,
  event: eventOf(transition),
  reports_state: delivery.to_state,
  ...(delivery.kind === 'state_change' && transition.flapping && { flapping: transition.flapping }),
  cause: transition.cause,
  check_label: transition.check_label,
  error_message: transition.error_message,
  outage_started_at: transition.outage_started_at,
  check_from_since: transition.check_from_since,
  at: delivery.created_at,
  ...subjectOf({ ...about, incident_id: item?.incident_id }, { id: transition.check_id, name: transition.check_label }),
  notified: about.notified,
  acknowledge_url: about.acknowledge_url,
  silence_url: about.silence_url,
  lately: about.check ? recentFailures(about.check.alerts, Date.parse(delivery.created_at)) : null,
});

const acknowledgementOf = ({ by, note, until }: Acknowledgement): Alert['acknowledgement'] => ({
  by,
  note,
  until: until === undefined ? null : iso(until),
});

/** Returns a test alert: the present state as an event without a change and without a transition. */
export function testAlertOf(delivery: DeliveryItem, about: About & { check: CheckItem }): Alert {
  const { check, entity } = about;
  return {
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
    reports_state: null,
    cause: null,
    check_label: checkLabel(check),
    error_message: '',
    check_from_since: check.state_since,
    at: delivery.created_at,
    ...subjectOf(about, { id: check.id, name: checkLabel(check) }),
  };
}

/** Returns the alert that would be sent if the check went down now, for a preview. */
export function downAlertOf(about: About & { check: CheckItem }): Alert {
  const { check, entity, now } = about;
  const at = iso(now);
  return {
    ...EXAMPLE_ALERT,
    ...NOTHING_KNOWN,
    event: {
      ...EXAMPLE_ALERT.event,
      entity_id: entity.id,
      entity_name: entity.name,
      check_id: check.id,
      tenant_id: check.tenant_id,
      timestamp: at,
    },
    check_label: checkLabel(check),
    outage_started_at: at,
    check_from_since: check.state_since,
    at,
    ...subjectOf(about, { id: check.id, name: checkLabel(check) }),
  };
}

function subjectOf({ check, entity, incident_id, now, public_url }: About, named: Pick<AlertCheck, 'id' | 'name'>) {
  const { id, name, slug, blueprint_slug, labels } = entity;
  // A query string can contain a key, which not every channel may receive.
  const target = check && redactUrl(checkTypeOf(check.check_type).targetLabel(check));
  return {
    check: { ...named, slug: check?.slug ?? null, type: check?.check_type ?? null, target: target ?? null },
    entity: { id, name, slug, blueprint: blueprint_slug, labels },
    urls: urlsOf({ check, entity, incident_id, public_url }),
    sent_at: now,
  } satisfies Partial<Alert>;
}

/** Returns the test alert of an account channel: about the account instead of a check. */
export const accountTestOf = (delivery: DeliveryItem, account: AccountItem, now: number): Alert => ({
  ...NOTHING_KNOWN,
  alert_id: null,
  delivery_id: delivery.id,
  kind: 'test',
  event: {
    entity_id: '',
    entity_name: account.name,
    check_id: '',
    tenant_id: delivery.tenant_id,
    from_state: 'up',
    to_state: 'up',
    check_from_state: 'up',
    check_to_state: 'up',
    transition_id: '',
    timestamp: delivery.created_at,
  },
  reports_state: null,
  cause: null,
  check_label: OF_THE_ACCOUNT,
  error_message: '',
  check_from_since: delivery.created_at,
  at: delivery.created_at,
  sent_at: now,
  check: { id: '', name: OF_THE_ACCOUNT, slug: null, type: null, target: null },
  entity: { id: '', name: account.name, slug: '', blueprint: '', labels: {} },
  urls: { check: null, incident: null, runbook: null, dashboard: null },
});

/** Returns a message that does not concern a check: an update of a status page, or a monthly report. */
export const messageAlertOf = (delivery: DeliveryItem, account: AccountItem, now: number): Alert => ({
  ...accountTestOf(delivery, account, now),
  kind: delivery.kind,
  status_update: delivery.status_update ?? null,
  report: delivery.report ?? null,
});

const OF_THE_ACCOUNT = 'a channel of the account';

const NAMED = 10;

/** Returns the present impact of a failure. Reads nothing without relations. */
export async function impactOf(
  { ports, keys, tenant }: TenantEnv,
  entity: Pick<EntityItem, 'id' | 'dependents'>,
  item: AlertItem | undefined,
): Promise<Partial<Pick<Alert, 'affected' | 'impact'>>> {
  if (!item?.shares_incident || item.reports_state !== 'down') return {};
  const env = { ports, keys, tenant };
  const [failing, dependents] = await Promise.all([
    entitiesFailingWith(env, item.root?.entity_id ?? entity.id),
    entity.dependents > 0 ? dependentsOf(env, entity.id, NAMED) : [],
  ]);
  const ids = failing.filter((id) => id !== entity.id);
  const entities = await ports.table.getMany<EntityItem>(ids.slice(0, NAMED).map((id) => keys.entity(tenant, id)));
  return {
    affected: { count: ids.length, names: namesOf(entities) },
    ...(entity.dependents > 0 && { impact: { count: entity.dependents, names: namesOf(dependents) } }),
  };
}

const namesOf = (entities: readonly (EntityItem | undefined)[]): string[] =>
  entities.flatMap((one) => (one ? [one.name] : []));
