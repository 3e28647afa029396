import { REASON_RULES } from '#lib/alerting/decide/rules.ts';
import { POLICY_NAMES } from '#lib/alerting/policy/settings.ts';
import { channelTypes } from '#lib/channels/registry.ts';
import { checkTypes } from '#lib/checks/types/registry.ts';
import { builtInTools } from '#lib/mcp/tools/registry.ts';
import type { JsonSchema } from './json-schemas.ts';
import type { OpenApi } from './openapi.ts';

/** Returns the schemas of console forms for checks, channels and policies. Secrets are marked as `writeOnly`. */
export function consoleSchemas(document: OpenApi): JsonSchema {
  const schemas = schemasOf(document);
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
    policy: {
      type: 'object',
      properties: Object.fromEntries(POLICY_NAMES.map((name) => [name, propertiesOf(schemas.DefaultPolicy)![name]])),
    },
  };
}

/** Returns the schemas of console forms for actions and agents, and the names of built-in tools. */
export function automationSchemas(document: OpenApi): JsonSchema {
  const { NewAction, NewSkill, ToolInput } = schemasOf(document);
  return {
    action: withSecrets(NewAction!, ['headers']),
    skill: NewSkill!,
    tool: ToolInput!,
    builtInTools: [...builtInTools.keys()],
  };
}

function schemasOf(document: OpenApi): Record<string, JsonSchema> {
  const components = document.components as { schemas: Record<string, JsonSchema> };
  return inlined(components.schemas, components.schemas) as Record<string, JsonSchema>;
}

/** Returns the texts of the alert rules that a transition can name as the reason for no alert, by rule. */
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

/** Keywords that forms do not use. The API validates them. */
const UNUSED = new Set(['pattern', 'minLength', 'minItems', 'maxItems', 'additionalProperties']);

/** Reduces a schema of assertions to the schema of their sources, which is all that the form reads. */
function withSources(list: JsonSchema): JsonSchema {
  const source = propertiesOf(list)?.source;
  return source ? { ...list, items: { properties: { source } } } : list;
}

/** Replaces references with the components, because forms do not have the OpenAPI document. Removes UNUSED keywords. */
function inlined(value: unknown, components: Record<string, JsonSchema>): unknown {
  if (Array.isArray(value)) return value.map((member) => inlined(member, components));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...own } = value as JsonSchema;
  const referenced = typeof $ref === 'string' ? components[$ref.split('/').at(-1)!] : undefined;
  const members = Object.entries(own)
    .filter(([name, member]) => typeof member === 'object' || !UNUSED.has(name))
    .map(([name, member]) => [
      name,
      name === 'assertions' ? withSources(inlined(member, components) as JsonSchema) : inlined(member, components),
    ]);
  return { ...(inlined(referenced, components) as object | undefined), ...Object.fromEntries(members) };
}

const propertiesOf = (schema: JsonSchema | undefined): Record<string, JsonSchema> | undefined =>
  ((schema?.items as JsonSchema | undefined) ?? schema)?.properties as Record<string, JsonSchema> | undefined;
