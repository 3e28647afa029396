import { REASONS } from '#lib/alerting/decide/rules.ts';
import { POLICY_NAMES } from '#lib/alerting/policy/settings.ts';
import { channelTypes } from '#lib/channels/registry.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';
import { builtInTools } from '#lib/mcp/tools/registry.ts';
import type { JsonSchema } from './json-schemas.ts';
import type { OpenApi } from './openapi.ts';

/**
 * What the console makes its forms from: the request of each check and channel type, of an action, a skill and a tool,
 * as the API's document has it, with its secrets marked; the settings of a policy; and the names of the built-in tools.
 * A new type, member or setting is in the forms by itself.
 */
export function consoleSchemas(document: OpenApi): JsonSchema {
  const { schemas } = document.components as { schemas: Record<string, JsonSchema> };
  const requestsOf = (name: string, types: Iterable<{ type: string; secrets: readonly string[] }>): JsonSchema =>
    Object.fromEntries([...types].map(({ type, secrets }) => [type, marked(schemas[`${name}_${type}`]!, secrets)]));
  return {
    checks: requestsOf('NewCheck', checkTypes.values()),
    channels: requestsOf(
      'NewChannel',
      channelTypes.map(({ type, secrets }) => ({ type, secrets: secrets.map((name) => `config.${name}`) })),
    ),
    action: marked(schemas.NewAction!, ['headers']),
    skill: schemas.NewSkill!,
    tool: schemas.ToolInput!,
    policy: {
      type: 'object',
      properties: Object.fromEntries(POLICY_NAMES.map((name) => [name, membersOf(schemas.DefaultPolicy)![name]])),
    },
    builtInTools: [...builtInTools.keys()],
  };
}

/** Texts of the rules that may be the reason of a transition, by name: lists of transitions show them. */
export const consoleRules = (): Record<string, { label: string; meaning: string; remedy: string }> =>
  Object.fromEntries(REASONS.map(({ name, label, meaning, remedy }) => [name, { label, meaning, remedy }]));

/** A copy in which the members at these paths are `writeOnly`. */
function marked(schema: JsonSchema, secrets: readonly string[]): JsonSchema {
  const copy = structuredClone(schema);
  for (const path of secrets) {
    const member = path.split('.').reduce<JsonSchema | undefined>((at, name) => membersOf(at)?.[name], copy);
    if (!member) throw new Error(`There is no ${path} in the schema of ${schema.title}.`);
    member.writeOnly = true;
  }
  return copy;
}

/** Of an object its members, of a list those of what is in it. */
const membersOf = (schema: JsonSchema | undefined): Record<string, JsonSchema> | undefined =>
  ((schema?.items as JsonSchema | undefined) ?? schema)?.properties as Record<string, JsonSchema> | undefined;
