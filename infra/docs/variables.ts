import type { BuiltIn } from '#lib/actions/template/variables.ts';
import { AlertKind } from '#lib/channels/alert.ts';
import type { ALERT_VARIABLES } from '#lib/channels/templates.ts';

/** Variables that every action can use in its url and body_template: when each is present, and its meaning. */
export const variables: Readonly<Record<keyof BuiltIn, readonly [when: string, meaning: string]>> = {
  execution_id: ['always', 'Id of the execution, with which the pipeline can report its status.'],
  action_id: ['always', 'Id of the action.'],
  action_name: ['always', 'Name of the action.'],
  timestamp: ['always', 'Time at which the request is sent, in UTC: `2026-11-21T08:01:17.000Z`.'],
  entity_id: ['state change', 'Id of the entity of the check.'],
  entity_name: ['state change', 'Name of that entity.'],
  check_id: ['state change', 'Id of the changed check.'],
  from_state: ['state change', 'Old state of the entity.'],
  to_state: ['state change', 'New state of the entity; `degraded` if another of its checks is still up.'],
  transition_id: ['state change', 'Id of the transition.'],
};

export const alertVariables: Readonly<Record<keyof typeof ALERT_VARIABLES, string>> = {
  title: 'Title without a template.',
  kind: `Kind of the alert: ${AlertKind.options.map((kind) => `\`${kind}\``).join(', ')}.`,
  urgency: '`high` or `low`.',
  entity_name: 'Name of the entity.',
  entity_slug: 'Slug of the entity.',
  entity_id: 'Id of the entity.',
  entity_state: 'State of the entity.',
  blueprint: 'Slug of the blueprint of the entity.',
  check_name: 'Name of the check, or its type and target.',
  check_slug: 'Slug of the check, if it has one.',
  check_id: 'Id of the check.',
  check_type: 'Type of the check, such as `http`.',
  target: 'Target of the check, such as `GET https://shop.example.com/health`.',
  state: 'State of the check.',
  previous_state: 'Previous state of the check.',
  since: 'Start of the current state, in UTC; for `down`, time of the first failed result: `2026-11-21 08:01:17 UTC`.',
  since_iso: '`since` in the form `2026-11-21T08:01:17.000Z`.',
  duration: 'Duration of the state when the alert was sent: `5 min 12 s`.',
  error: 'Reason for the failure or warning, in one line; empty without a failure or warning.',
  cause: 'Name of the root cause, if it is known.',
  impact: 'Root cause and impact, in a sentence.',
  note: 'Note about the alert, such as flapping.',
  check_url: 'Page of the check; on AWS only if PUBLIC_URL is set.',
  incident_url: 'Page of the incident.',
  runbook_url: 'The field or label runbook_url of entity or check.',
  dashboard_url: 'The field or label dashboard_url of entity or check.',
  acknowledge_url: 'Page that acknowledges the failure after a confirmation.',
  silence_url: 'Page that silences the check for an hour after a confirmation.',
  incident_id: 'Id of the incident.',
  delivery_id: 'Id of the delivery.',
};
