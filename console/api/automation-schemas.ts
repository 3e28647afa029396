import type { FormSchema } from '#console/rules/form-fields.ts';
import generated from '#generated/automation.json' with { type: 'json' };

/** Request schemas of actions and agents, and the names of built-in tools (infra/docs/console-schemas.ts). */
export const automation = generated as {
  action: FormSchema;
  skill: FormSchema;
  tool: FormSchema;
  builtInTools: readonly string[];
};
