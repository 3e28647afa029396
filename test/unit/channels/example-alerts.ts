import type { Alert, AlertKind } from '#lib/channels/alert.ts';
import { combinedAlert } from '#lib/channels/combined.ts';

const event: Alert['event'] = {
  entity_id: 'ent_1',
  entity_name: 'Shop',
  check_id: 'chk_1',
  tenant_id: 'acc_1',
  from_state: 'up',
  to_state: 'degraded',
  check_from_state: 'up',
  check_to_state: 'down',
  transition_id: 'trn_1',
  timestamp: '2026-11-21T05:16:40.123Z',
};

const down: Alert = {
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
  again: false,
  unreported: null,
  alert_id: 'alr_1',
  delivery_id: 'dlv_1',
  kind: 'state_change',
  event,
  reports_state: 'down',
  cause: 'result',
  check_label: 'checkout',
  error_message: 'status 503, expected 200',
  outage_started_at: '2026-11-21T05:16:10.123Z',
  check_from_since: '2026-11-20T05:16:40.000Z',
  at: '2026-11-21T05:16:41.000Z',
  sent_at: Date.parse('2026-11-21T05:16:41.250Z'),
  check: { id: 'chk_1', name: 'checkout', slug: null, type: 'http', target: 'GET https://shop.test/pay' },
  entity: { id: 'ent_1', name: 'Shop', slug: 'shop', blueprint: 'service', labels: { team: 'payments' } },
  urls: { check: null, incident: null, runbook: null, dashboard: null },
};

const up: Alert = {
  ...down,
  reports_state: 'up',
  event: {
    ...event,
    from_state: 'degraded',
    to_state: 'up',
    check_from_state: 'down',
    check_to_state: 'up',
    timestamp: '2026-11-21T06:21:52.123Z',
  },
  error_message: '',
  outage_started_at: null,
  check_from_since: event.timestamp,
};

const degraded: Alert = {
  ...down,
  reports_state: 'degraded',
  event: { ...event, check_to_state: 'degraded' },
  outage_started_at: null,
  error_message: 'expected latency_ms to be less than 800, got 912',
};

const improved: Alert = {
  ...degraded,
  event: { ...up.event, to_state: 'degraded', check_to_state: 'degraded' },
  check_from_since: up.check_from_since,
};

/** One alert of each kind, and all kinds of state changes. */
export const examples = {
  state_change: down,
  recovery: up,
  reminder: { ...down, kind: 'reminder', at: '2026-11-21T07:16:40.123Z' },
  late: { ...down, kind: 'late', at: '2026-11-21T05:21:40.123Z' },
  late_recovery: { ...up, kind: 'late' },
  late_again: { ...down, kind: 'late', at: '2026-11-21T05:21:40.123Z', again: true },
  late_unreported: {
    ...up,
    kind: 'late',
    unreported: { count: 3, from: '2026-11-21T06:10:00.000Z', to: '2026-11-21T06:21:52.123Z' },
  },
  closed: {
    ...up,
    kind: 'closed',
    cause: 'check_disabled',
    event: { ...up.event, to_state: 'unknown', check_to_state: 'unknown' },
  },
  deleted: {
    ...up,
    kind: 'closed',
    cause: 'check_deleted',
    event: { ...up.event, to_state: 'unknown', check_to_state: 'unknown' },
  },
  remediation_failed: {
    ...down,
    kind: 'remediation_failed',
    at: '2026-11-21T05:36:40.123Z',
    remediation: { action_id: 'act_1', action_name: 'Restart the shop', attempts: 3, verdict: 'not_recovered' },
  },
  test: {
    ...down,
    kind: 'test',
    cause: null,
    error_message: '',
    reports_state: null,
    outage_started_at: null,
    event: { ...event, from_state: 'up', to_state: 'up', check_to_state: 'up', transition_id: '' },
  },
  degraded,
  late_degraded: { ...degraded, kind: 'late', at: '2026-11-21T05:28:40.123Z' },
  degraded_after_down: improved,
  recovery_of_degraded: {
    ...up,
    event: { ...up.event, check_from_state: 'degraded', timestamp: '2026-11-21T05:28:40.123Z' },
  },
  down_after_degraded: { ...down, event: { ...event, from_state: 'degraded', check_from_state: 'degraded' } },
  closed_degraded: {
    ...up,
    kind: 'closed',
    cause: 'check_disabled',
    event: { ...up.event, to_state: 'unknown', check_from_state: 'degraded', check_to_state: 'unknown' },
  },
  hidden_degraded: { ...improved, reports_state: 'up' },
  /** With all context: root cause, affected entities, recent failures, notified channels, links. */
  everything: {
    ...down,
    urgency: 'low',
    incident_id: 'inc_1',
    shares_incident: true,
    root: { entity_id: 'ent_db', entity_name: 'Database', state: 'down', since: '2026-11-21T05:12:03.000Z' },
    affected: { count: 41, names: ['Cart', 'Search', 'Mail', 'Stock'] },
    lately: { failures: 3, within_ms: 86_400_000 },
    notified: ['Slack', 'Webhook', 'Webhook'],
    urls: {
      check: 'https://status.test/#/checks/chk_1',
      incident: 'https://status.test/#/incidents/inc_1',
      runbook: 'https://wiki.test/shop?a=1&b=2',
      dashboard: 'https://graphs.test/d/shop',
    },
    acknowledge_url: 'https://status.test/a/tok_1',
    silence_url: 'https://status.test/a/tok_2',
  },
  impact: {
    ...down,
    kind: 'impact',
    urgency: 'low',
    at: '2026-11-21T05:17:40.123Z',
    affected: { count: 41, names: ['Cart', 'Search', 'Mail', 'Stock'] },
  },
  escalation: { ...down, kind: 'escalation', step: 2, at: '2026-11-21T05:26:40.123Z' },
  acknowledged: {
    ...down,
    kind: 'acknowledged',
    urgency: 'low',
    at: '2026-11-21T05:21:40.123Z',
    acknowledgement: { by: 'ann@shop.test', note: 'Restarting the pods', until: '2026-11-21T07:00:00.000Z' },
  },
  with_dependents: { ...down, impact: { count: 2, names: ['Cart', 'Search'] } },
  same_name: { ...down, check_label: 'shop' },
  combined: combinedAlert(
    [
      { ...up, urls: { ...up.urls, check: 'https://status.test/#/checks/chk_1' } },
      { ...down, delivery_id: 'dlv_2', urls: { ...down.urls, check: 'https://status.test/#/checks/chk_1' } },
      { ...degraded, delivery_id: 'dlv_3' },
    ],
    2,
  ),
  flapping: { ...down, flapping: { changes: 6, within_ms: 41 * 60_000, calm_ms: 15 * 60_000 } },
} satisfies Record<string, Alert> & Record<AlertKind, Alert>;

/** Alert whose names and error have characters that receivers interpret, with a long error. */
export const nasty: Alert = {
  ...down,
  event: { ...event, entity_name: 'Kasse <!channel> & "Büro" *_`~|' },
  check_label: 'snake_case @everyone [x](http://evil.test)',
  error_message: `\`\`\` <@1> & ${'é'.repeat(600)}`,
};
