import type { Action } from '#console/api/records.ts';
import { isBuiltIn } from '#lib/actions/template/variables.ts';
import { placeholdersIn } from '#lib/platform/template.ts';
import type { FormSchema } from './form-fields.ts';

type Templates = Pick<Action, 'url' | 'body_template'>;

/** Variables that every execution sets; the other built-in ones need a transition. */
const ALWAYS = new Set(['execution_id', 'action_id', 'action_name', 'timestamp']);

function variables({ url, body_template }: Templates): string[] {
  const all = [...new Set([...placeholdersIn(url), ...placeholdersIn(body_template)])];
  const own = all.filter((name) => !isBuiltIn(name));
  return [...own, ...all.filter((name) => isBuiltIn(name) && !ALWAYS.has(name))];
}

export const runSchema = (action: Templates): FormSchema => ({
  type: 'object',
  properties: {
    vars: {
      type: 'object',
      properties: Object.fromEntries(variables(action).map((name) => [name, { ...variable(name), title: name }])),
    },
  },
});

const variable = (name: string): FormSchema => ({
  type: 'string',
  ...(isBuiltIn(name) && { description: 'Set by the transition, if one starts the action.' }),
});

/** Returns the argument schema of a tool that runs an action: the custom variables of the action, all required. */
export function toolSchema(action: Templates): Record<string, unknown> {
  const own = variables(action).filter((name) => !isBuiltIn(name));
  return {
    type: 'object',
    properties: Object.fromEntries(own.map((name) => [name, { type: 'string' }])),
    ...(own.length > 0 && { required: own }),
    additionalProperties: false,
  };
}
