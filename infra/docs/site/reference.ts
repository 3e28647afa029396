import type { OpenApi } from '#infra/docs/openapi.ts';
import { propertiesIn, requestTable, responseTable } from '#infra/docs/properties.ts';
import { block, table } from '#infra/docs/table.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document of any depth
type Json = any;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;
/** Maximum depth of nested properties in a table. */
const MAX_DEPTH = 4;

type Property = ReturnType<ReturnType<typeof propertiesIn>['propertiesOf']>[number];

/** Returns a page in Markdown for each tag of an OpenAPI document, by tag, in the order of the tags. */
export function referencePages(document: OpenApi): Map<string, string> {
  const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ path, method, ...item[method] })),
  );
  return new Map(
    (document.tags as { name: string; description?: string }[]).map(({ name, description = '' }) => {
      const own = operations.filter(({ tags }) => tags[0] === name);
      const parts = [`# ${name}`, description, ...own.map((operation) => operationText(document, operation))];
      return [name, parts.join('\n\n')];
    }),
  );
}

function operationText(document: OpenApi, operation: Json): string {
  const { method, path, summary, description, parameters = [], requestBody, responses } = operation;
  const inputs = parameters.map((parameter: Json) => resolve(document, parameter));
  const body = requestBody?.content?.['application/json'];
  const [status, success] = Object.entries<Json>(responses).find(([code]) => code < '400') ?? [];
  const answer = success && resolve(document, success).content?.['application/json'];
  const refusals = Object.keys(responses).filter((code) => code >= '400');
  return [
    `## ${summary}`,
    block('http', `${method.toUpperCase()} ${path}`),
    description,
    inputs.length > 0 && parameterTable(document, inputs),
    body && '### Request body',
    body && bodyText(document, body.schema, requestTable),
    body && exampleOf(body),
    status && `### Response ${status}`,
    answer ? bodyText(document, answer.schema, responseTable) : status && 'No content.',
    answer && exampleOf(answer),
    refusals.length > 0 && `[Errors](/docs/api/errors): ${refusals.join(', ')}.`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

function parameterTable(document: OpenApi, parameters: Json[]): string {
  const { typeOf } = propertiesIn(document);
  return table(
    ['parameter', 'in', 'type', 'meaning'],
    parameters.map(({ name, in: place, required, schema, description = '' }) => [
      `\`${name}\``,
      required ? place : `${place}, optional`,
      typeOf(schema),
      description,
    ]),
  );
}

/** Describes a body: one table, or one per kind of object. */
function bodyText(document: OpenApi, schema: Json, format: (properties: Property[]) => string): string {
  const whole = resolve(document, schema);
  if (whole.type === 'array') return `An array of:\n\n${bodyText(document, whole.items, format)}`;
  const kinds: Json[] | undefined = whole.oneOf ?? whole.anyOf;
  if (!kinds) return tableOf(document, whole, format);
  return kinds.map((kind) => `**${nameOf(document, kind)}**\n\n${tableOf(document, kind, format)}`).join('\n\n');
}

function tableOf(document: OpenApi, schema: Json, format: (properties: Property[]) => string): string {
  const properties = nested(document, schema, '', 0);
  return properties.length > 0 ? format(properties) : 'An object with any properties.';
}

/** Lists properties with those of their objects: `config`, `config.host`; `steps[].send`. */
function nested(document: OpenApi, schema: Json, prefix: string, depth: number): Property[] {
  const whole = resolve(document, schema);
  const own = propertiesIn(document).propertiesOf(whole, prefix);
  return own.flatMap((property) => {
    const member = resolve(document, whole.properties[property.name.slice(prefix.length)]);
    const [inner, path] = member.type === 'array' ? [resolve(document, member.items ?? {}), '[].'] : [member, '.'];
    const isObject = inner.properties && depth < MAX_DEPTH;
    return [property, ...(isObject ? nested(document, inner, property.name + path, depth + 1) : [])];
  });
}

/** Names one kind of an object by the constant that distinguishes it: `check_type: http`. */
function nameOf(document: OpenApi, schema: Json): string {
  const { title, properties = {} } = resolve(document, schema);
  const constant = Object.entries<Json>(properties).find(([, member]) => resolve(document, member).const !== undefined);
  return constant ? `${constant[0]}: ${resolve(document, constant[1]).const}` : (title ?? 'or');
}

function exampleOf({ example, examples }: Json): string | undefined {
  const first: Json = example ?? Object.values<Json>(examples ?? {})[0]?.value;
  return first === undefined ? undefined : block('json', JSON.stringify(first, null, 2));
}

function resolve(document: OpenApi, schema: Json): Json {
  if (!schema?.$ref) return schema ?? {};
  const [, , group, name] = schema.$ref.split('/');
  return { ...(document.components as Json)[group][name], ...schema, $ref: undefined };
}
