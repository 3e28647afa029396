import type { BuiltIn } from '#lib/actions/template/variables.ts';
import type { ALERT_VARIABLES } from '#lib/channels/templates.ts';

/** The variables that every action may use in its url and body_template: when each is there, and what it holds. */
export const variables: Readonly<Record<keyof BuiltIn, readonly [when: string, meaning: string]>> = {
  execution_id: ['always', 'Id of this run, for reports of the pipeline.'],
  action_id: ['always', 'Id of the action.'],
  action_name: ['always', 'Name of the action.'],
  timestamp: ['always', 'When it is sent, in UTC: `2026-11-21T08:01:17.000Z`.'],
  entity_id: ['state change', 'Id of the entity that the check is attached to.'],
  entity_name: ['state change', 'Name of that entity.'],
  check_id: ['state change', 'Id of the check that changed.'],
  from_state: ['state change', 'State of the entity before.'],
  to_state: ['state change', 'State of the entity after; `degraded` when another of its checks is still up.'],
  transition_id: ['state change', 'Id of the transition.'],
};

/** The variables of a channel's own texts, and what each holds. */
export const alertVariables: Readonly<Record<keyof typeof ALERT_VARIABLES, string>> = {
  title: 'What the title says without a template.',
  kind: 'Why it is sent: `state_change`, `reminder`, `late`, `escalation`, `acknowledged`, `closed`, `test` and others.',
  urgency: '`high` or `low`.',
  entity_name: 'Name of the entity.',
  entity_slug: 'Its slug.',
  entity_id: 'Its id.',
  entity_state: 'Its state.',
  blueprint: 'Slug of its blueprint.',
  check_name: 'Name of the check, or what it does to what.',
  check_slug: 'Its slug, where it has one.',
  check_id: 'Its id.',
  check_type: 'Its type, such as `http`.',
  target: 'What it looks at, such as `GET https://shop.example.com/health`.',
  state: 'State of the check.',
  previous_state: 'State of the check before.',
  since: 'Since when, in UTC: `2026-11-21 08:01:17 UTC`.',
  since_iso: 'The same as `2026-11-21T08:01:17.000Z`.',
  duration: 'For how long it was so when this was told: `5 min 12 s`.',
  error: 'Why it fails or warns, in one line; empty when it does not.',
  cause: 'Name of the entity that it fails with, where one is known.',
  impact: 'What it fails with, and what fails with it, in a sentence.',
  note: 'What there is to know of the alert itself, such as that it flaps.',
  check_url: 'Page of the check, where PUBLIC_URL is set.',
  incident_url: 'Page of the incident.',
  runbook_url: 'The field or label runbook_url of entity or check.',
  dashboard_url: 'The field or label dashboard_url of entity or check.',
  acknowledge_url: 'Page that asks before it acknowledges.',
  silence_url: 'Page that asks before it silences the check for an hour.',
  incident_id: 'Id of the incident.',
  delivery_id: 'Id of the delivery.',
};
