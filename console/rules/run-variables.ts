import type { Action } from '#console/api/records.ts';
import { isBuiltIn } from '#lib/actions/template/variables.ts';
import { placeholdersIn } from '#lib/platform/template.ts';
import type { MemberSchema } from './form-fields.ts';

type Templates = Pick<Action, 'url' | 'body_template'>;

/** What every run fills in by itself; the other built-in ones only a transition does. */
const ALWAYS = new Set(['execution_id', 'action_id', 'action_name', 'timestamp']);

/** The variables that somebody who runs it gives, in their order: its own first, then those of a transition. */
function variables({ url, body_template }: Templates): string[] {
  const all = [...new Set([...placeholdersIn(url), ...placeholdersIn(body_template)])];
  const own = all.filter((name) => !isBuiltIn(name));
  return [...own, ...all.filter((name) => isBuiltIn(name) && !ALWAYS.has(name))];
}

/** The request that runs it, as far as a form asks for it. */
export const runSchema = (action: Templates): MemberSchema => ({
  type: 'object',
  properties: {
    vars: {
      type: 'object',
      properties: Object.fromEntries(variables(action).map((name) => [name, { ...variable(name), title: name }])),
    },
  },
});

const variable = (name: string): MemberSchema => ({
  type: 'string',
  ...(isBuiltIn(name) && { description: 'Of the transition, when one starts it.' }),
});

/** The arguments of a tool that runs it: its own variables, all of them required. */
export function toolSchema(action: Templates): Record<string, unknown> {
  const own = variables(action).filter((name) => !isBuiltIn(name));
  return {
    type: 'object',
    properties: Object.fromEntries(own.map((name) => [name, { type: 'string' }])),
    ...(own.length > 0 && { required: own }),
    additionalProperties: false,
  };
}
