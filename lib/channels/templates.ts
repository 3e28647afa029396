import * as z from 'zod';
import {
  placeholdersIn,
  replacePlaceholders,
  sectionProblem,
  sectionsIn,
  type Values,
  withoutTags,
} from '#lib/platform/template.ts';
import type { Alert } from './alert.ts';
import { clockTime, type Message, stateDuration, stateSince } from './message-facts.ts';

type Variable = (alert: Alert, message: Message) => string | null;

/** Template variables; documented in infra/docs/variables.ts. Null has the effect of an empty text. */
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
  since: (alert) => clockTime(stateSince(alert)),
  since_iso: (alert) => stateSince(alert),
  duration: (alert) => stateDuration(alert),
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

const LABEL = /^label\.[a-z][a-z0-9_.-]{0,31}$/;

const isAlertVariable = (name: string): boolean => Object.hasOwn(ALERT_VARIABLES, name) || LABEL.test(name);

/** Returns the values of the variables for an alert; labels that the entity does not have are absent. */
export const valuesOf = (alert: Alert, message: Message): Values =>
  new Map([
    ...Object.entries<Variable>(ALERT_VARIABLES).map(([name, value]) => [name, value(alert, message) ?? ''] as const),
    ...Object.entries(alert.entity.labels).map(([key, value]) => [`label.${key}`, value] as const),
  ]);

const MAX_TITLE = 500;
const MAX_BODY = 4000;

const template = (maxLength: number) =>
  z
    .string()
    .min(1, 'must not be empty; omit it, or remove it with null')
    .max(maxLength, `must have at most ${maxLength} characters`)
    .superRefine((text, context) => {
      const problem = problemOf(text);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    });

const MESSAGE = { 'x-group': 'Message' };

/** Settings of every channel type that people read (`read_by`), in addition to its own. */
export const TEMPLATES = {
  title_template: template(MAX_TITLE)
    .describe('Template of the title, such as [{{state}}] {{entity_name}}. Send a test to see it.')
    .meta(MESSAGE)
    .optional(),
  body_template: template(MAX_BODY)
    .describe(
      'Template of all text below the title, such as {{check_name}}{{#if error}}: {{error}}{{/if}}. Variables: docs/use/channels.md.',
    )
    .meta(MESSAGE)
    .optional(),
};

const LISTED = 'docs/use/channels.md lists all variables';

export type Templates = { title_template?: string | undefined; body_template?: string | undefined };

function problemOf(text: string): string | undefined {
  const open = sectionProblem(text);
  if (open !== undefined) return open;
  const unknown = [...placeholdersIn(text), ...sectionsIn(text)].find((name) => !isAlertVariable(name));
  if (unknown !== undefined) {
    return `has {{${unknown}}}, which is not a variable; known are entity_name, check_name, state, error, since, check_url, label.<key> and others: ${LISTED}`;
  }
  const rest = withoutTags(replacePlaceholders(text, ''));
  const stray = /\{\{[^}]{0,40}(?:\}\})?/.exec(rest)?.[0];
  return stray && `has ${stray}, which is not a variable or a section; write {{state}} or {{#if error}}…{{/if}}`;
}
