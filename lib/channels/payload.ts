import type { Alert, StatusUpdate } from './alert.ts';
import { stateSince } from './message-facts.ts';

/** Returns an alert as JSON for programs (docs/use/webhooks.md#alert). */
export const payloadOf = (alert: Alert) => ({
  ...alert.event,
  kind: alert.kind,
  urgency: alert.urgency,
  alert_id: alert.alert_id,
  incident_id: alert.incident_id,
  check: alert.check,
  entity: alert.entity,
  cause: alert.cause,
  error_message: alert.error_message,
  since: alert.kind === 'test' ? alert.check_from_since : stateSince(alert),
  root: alert.root,
  affected: alert.affected,
  impact: alert.impact,
  group_id: alert.group?.id ?? null,
  remediation: alert.remediation,
  urls: alert.urls,
  step: alert.step,
  unreported: alert.unreported,
  acknowledgement: alert.acknowledgement,
  acknowledge_url: alert.acknowledge_url,
  silence_url: alert.silence_url,
});

/** Returns several alerts in one message as JSON for programs (docs/use/webhooks.md#combined-alerts). */
export const combinedPayload = ({ alerts, following }: NonNullable<Alert['combined']>) => ({
  kind: 'combined',
  count: alerts.length,
  following,
  alerts: alerts.map((alert) => ({ delivery_id: alert.delivery_id, ...payloadOf(alert) })),
});

/** Returns an update of a status page as JSON for programs (docs/use/status-pages.md), without data of the account. */
const statusPayload = ({ page, url, at, incident_id, maintenance, title, ...update }: StatusUpdate) => ({
  kind: 'status_update',
  timestamp: at,
  page: { title: page, url },
  incident: incident_id === null ? null : { id: incident_id, title },
  maintenance: maintenance && { ...maintenance, title },
  update,
});

/** Returns the body of a webhook request, which is also the payload of a NATS message. */
export function bodyOf(alert: Alert): string {
  if (alert.status_update) return JSON.stringify(statusPayload(alert.status_update));
  return JSON.stringify(alert.combined ? combinedPayload(alert.combined) : payloadOf(alert));
}
