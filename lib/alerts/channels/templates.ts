import * as z from 'zod';
import { isAlertVariable } from '#lib/channels/templates.ts';
import { placeholdersIn, replacePlaceholders } from '#lib/platform/template/placeholders.ts';
import { sectionProblem, sectionsIn, withoutTags } from '#lib/platform/template.ts';

const LONGEST_TITLE = 500;
const LONGEST_BODY = 4000;

const template = (longest: number) =>
  z
    .string()
    .min(1, 'must not be empty; leave it out, or null removes it')
    .max(longest, `must have at most ${longest} characters`)
    .superRefine((text, context) => {
      const problem = problemOf(text);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    });

/** A channel's own texts, beside the settings of every type that people read. */
export const TEMPLATES = {
  title_template: template(LONGEST_TITLE)
    .describe('Own title, in place of the usual one, such as [{{state}}] {{entity_name}}. A test shows what it says.')
    .optional(),
  body_template: template(LONGEST_BODY)
    .describe(
      'Own text, in place of all below the title, such as {{check_name}}{{#if error}}: {{error}}{{/if}}. docs/REFERENCE.md lists the variables.',
    )
    .optional(),
};

const LISTED = 'GET /v1/openapi.json and docs/REFERENCE.md list them all';

export type Templates = { title_template?: string | undefined; body_template?: string | undefined };

/** What is wrong with a template, in words that say what to do; undefined when nothing is. */
function problemOf(text: string): string | undefined {
  const open = sectionProblem(text);
  if (open !== undefined) return open;
  const unknown = [...placeholdersIn(text), ...sectionsIn(text)].find((name) => !isAlertVariable(name));
  if (unknown !== undefined) {
    return `has {{${unknown}}}, which is no variable; known are entity_name, check_name, state, error, since, check_url, label.<key> and others: ${LISTED}`;
  }
  const rest = withoutTags(replacePlaceholders(text, ''));
  const stray = /\{\{[^}]{0,40}(?:\}\})?/.exec(rest)?.[0];
  return stray && `has ${stray}, which is neither a variable nor a section; write {{state}} or {{#if error}}…{{/if}}`;
}
