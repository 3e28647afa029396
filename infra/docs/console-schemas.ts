import { REASON_RULES } from '#lib/alerting/decide/rules.ts';
import { POLICY_NAMES } from '#lib/alerting/policy/settings.ts';
import { channelTypes } from '#lib/channels/registry.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';
import { builtInTools } from '#lib/mcp/tools/registry.ts';
import type { JsonSchema } from './json-schemas.ts';
import type { OpenApi } from './openapi.ts';

/** Returns the schemas of console forms, with marked secrets, and the names of built-in tools. */
export function consoleSchemas(document: OpenApi): JsonSchema {
  const { schemas } = document.components as { schemas: Record<string, JsonSchema> };
  const requestsOf = (name: string, types: Iterable<{ type: string; secrets: readonly string[] }>): JsonSchema =>
    Object.fromEntries(
      [...types].map(({ type, secrets }) => [type, withSecrets(schemas[`${name}_${type}`]!, secrets)]),
    );
  return {
    checks: requestsOf('NewCheck', checkTypes.values()),
    channels: requestsOf(
      'NewChannel',
      channelTypes.map(({ type, secrets }) => ({ type, secrets: secrets.map((name) => `config.${name}`) })),
    ),
    action: withSecrets(schemas.NewAction!, ['headers']),
    skill: schemas.NewSkill!,
    tool: schemas.ToolInput!,
    policy: {
      type: 'object',
      properties: Object.fromEntries(POLICY_NAMES.map((name) => [name, propertiesOf(schemas.DefaultPolicy)![name]])),
    },
    builtInTools: [...builtInTools.keys()],
  };
}

/** Returns the texts of rules that can be the reason of a transition, by name. */
export const consoleRules = (): Record<string, { label: string; meaning: string; remedy: string }> =>
  Object.fromEntries(REASON_RULES.map(({ name, label, meaning, remedy }) => [name, { label, meaning, remedy }]));

function withSecrets(schema: JsonSchema, secrets: readonly string[]): JsonSchema {
  const copy = structuredClone(schema);
  for (const path of secrets) {
    const member = path.split('.').reduce<JsonSchema | undefined>((at, name) => propertiesOf(at)?.[name], copy);
    if (!member) throw new Error(`The schema of ${schema.title} has no property ${path}.`);
    member.writeOnly = true;
  }
  return copy;
}

const propertiesOf = (schema: JsonSchema | undefined): Record<string, JsonSchema> | undefined =>
  ((schema?.items as JsonSchema | undefined) ?? schema)?.properties as Record<string, JsonSchema> | undefined;
