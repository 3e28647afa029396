import type { Alert } from './alert.ts';

/** Returns the alert as JSON for programs: body of webhooks and payload on NATS (docs/use/webhooks.md#alert). */
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
  since: alert.kind === 'test' ? alert.check_from_since : alert.event.timestamp,
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
