import type { Values } from '#lib/platform/template/placeholders.ts';
import type { Alert } from './alert.ts';
import { clockTime } from './duration.ts';
import type { Message } from './message.ts';
import { inStateFor } from './message-facts.ts';

type Variable = [meaning: string, value: (alert: Alert, message: Message) => string | null];

/** What a channel's own texts may say, by name: what it means, and what it holds. Null and empty: nothing to say. */
export const ALERT_VARIABLES = {
  title: ['What the title says without a template.', (_, { title }) => title],
  kind: [
    'Why it is sent: `state_change`, `repeat`, `catch_up`, `escalation`, `acknowledged`, `closed`, `test` and others.',
    ({ kind }) => kind,
  ],
  urgency: ['`high` or `low`.', ({ urgency }) => urgency],
  entity_name: ['Name of the entity.', ({ event }) => event.entity_name],
  entity_slug: ['Its slug.', ({ entity }) => entity.slug],
  entity_id: ['Its id.', ({ entity }) => entity.id],
  entity_state: ['Its state.', ({ event }) => event.to_state],
  blueprint: ['Slug of its blueprint.', ({ entity }) => entity.blueprint],
  check_name: ['Name of the check, or what it does to what.', ({ check_label }) => check_label],
  check_slug: ['Its slug, where it has one.', ({ check }) => check.slug],
  check_id: ['Its id.', ({ check }) => check.id],
  check_type: ['Its type, such as `http`.', ({ check }) => check.type],
  target: ['What it looks at, such as `GET https://shop.example.com/health`.', ({ check }) => check.target],
  state: ['State of the check.', ({ event }) => event.check_to_state],
  previous_state: ['State of the check before.', ({ event }) => event.check_from_state],
  since: ['Since when, in UTC: `2026-11-21 08:01:17 UTC`.', ({ event }) => clockTime(event.timestamp)],
  since_iso: ['The same as `2026-11-21T08:01:17.000Z`.', ({ event }) => event.timestamp],
  duration: ['For how long it was so when this was told: `5 min 12 s`.', (alert) => inStateFor(alert)],
  error: ['Why it fails or warns, in one line; empty when it does not.', (_, { why }) => why],
  cause: ['Name of the entity that it fails with, where one is known.', ({ root }) => root?.entity_name ?? null],
  impact: ['What it fails with, and what fails with it, in a sentence.', (_, { lead }) => lead],
  note: ['What there is to know of the alert itself, such as that it flaps.', (_, { note }) => note],
  check_url: ['Page of the check, where PUBLIC_URL is set.', ({ urls }) => urls.check],
  incident_url: ['Page of the incident.', ({ urls }) => urls.incident],
  runbook_url: ['The field or label runbook_url of entity or check.', ({ urls }) => urls.runbook],
  dashboard_url: ['The field or label dashboard_url of entity or check.', ({ urls }) => urls.dashboard],
  acknowledge_url: ['Page that asks before it acknowledges.', ({ acknowledge_url }) => acknowledge_url],
  silence_url: ['Page that asks before it silences the check for an hour.', ({ silence_url }) => silence_url],
  incident_id: ['Id of the incident.', ({ incident_id }) => incident_id],
  delivery_id: ['Id of the delivery.', ({ delivery_id }) => delivery_id],
} satisfies Record<string, Variable>;

/** A label of the entity, by its key. */
const LABEL = /^label\.[a-z][a-z0-9_.-]{0,31}$/;

/** Whether a name is one that an alert may have a value for. */
export const isAlertVariable = (name: string): boolean => Object.hasOwn(ALERT_VARIABLES, name) || LABEL.test(name);

/** The values of an alert; a label that the entity does not have is none. */
export const valuesOf = (alert: Alert, message: Message): Values =>
  new Map([
    ...Object.entries<Variable>(ALERT_VARIABLES).map(
      ([name, [, value]]) => [name, value(alert, message) ?? ''] as const,
    ),
    ...Object.entries(alert.entity.labels).map(([key, value]) => [`label.${key}`, value] as const),
  ]);
