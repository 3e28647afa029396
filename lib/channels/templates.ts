import { clockTime } from '#lib/alerts/deliver/duration.ts';
import type { Values } from '#lib/platform/template/placeholders.ts';
import type { Alert } from './alert.ts';
import type { Message } from './message.ts';
import { inStateFor } from './message-facts.ts';

type Variable = (alert: Alert, message: Message) => string | null;

/** What a channel's own texts may say, by name; what each means: infra/docs/variables.ts. Null and empty: nothing. */
export const ALERT_VARIABLES = {
  title: (_, { title }) => title,
  kind: ({ kind }) => kind,
  urgency: ({ urgency }) => urgency,
  entity_name: ({ event }) => event.entity_name,
  entity_slug: ({ entity }) => entity.slug,
  entity_id: ({ entity }) => entity.id,
  entity_state: ({ event }) => event.to_state,
  blueprint: ({ entity }) => entity.blueprint,
  check_name: ({ check_label }) => check_label,
  check_slug: ({ check }) => check.slug,
  check_id: ({ check }) => check.id,
  check_type: ({ check }) => check.type,
  target: ({ check }) => check.target,
  state: ({ event }) => event.check_to_state,
  previous_state: ({ event }) => event.check_from_state,
  since: ({ event }) => clockTime(event.timestamp),
  since_iso: ({ event }) => event.timestamp,
  duration: (alert) => inStateFor(alert),
  error: (_, { why }) => why,
  cause: ({ root }) => root?.entity_name ?? null,
  impact: (_, { lead }) => lead,
  note: (_, { note }) => note,
  check_url: ({ urls }) => urls.check,
  incident_url: ({ urls }) => urls.incident,
  runbook_url: ({ urls }) => urls.runbook,
  dashboard_url: ({ urls }) => urls.dashboard,
  acknowledge_url: ({ acknowledge_url }) => acknowledge_url,
  silence_url: ({ silence_url }) => silence_url,
  incident_id: ({ incident_id }) => incident_id,
  delivery_id: ({ delivery_id }) => delivery_id,
} satisfies Record<string, Variable>;

/** A label of the entity, by its key. */
const LABEL = /^label\.[a-z][a-z0-9_.-]{0,31}$/;

/** Whether a name is one that an alert may have a value for. */
export const isAlertVariable = (name: string): boolean => Object.hasOwn(ALERT_VARIABLES, name) || LABEL.test(name);

/** The values of an alert; a label that the entity does not have is none. */
export const valuesOf = (alert: Alert, message: Message): Values =>
  new Map([
    ...Object.entries<Variable>(ALERT_VARIABLES).map(([name, value]) => [name, value(alert, message) ?? ''] as const),
    ...Object.entries(alert.entity.labels).map(([key, value]) => [`label.${key}`, value] as const),
  ]);
