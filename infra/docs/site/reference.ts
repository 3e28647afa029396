import type { OpenApi } from '#infra/docs/openapi.ts';
import { propertiesIn, requestTable, responseTable } from '#infra/docs/properties.ts';
import { block, table } from '#infra/docs/table.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON document of any depth
type Json = any;

const METHODS = ['get', 'post', 'put', 'delete'] as const;
const MAX_DEPTH = 4;

type Reader = ReturnType<typeof propertiesIn>;
type Property = ReturnType<Reader['propertiesOf']>[number];

/** Returns a page in Markdown for each tag of an OpenAPI document, by tag, in the order of the tags. */
export function referencePages(document: OpenApi): Map<string, string> {
  const reader = propertiesIn(document);
  const operations = Object.entries<Json>(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => ({ path, method, ...item[method] })),
  );
  return new Map(
    (document.tags as { name: string; description?: string }[]).map(({ name, description = '' }) => {
      const own = operations.filter(({ tags }) => tags[0] === name);
      const parts = [`# ${name}`, description, ...own.map((operation) => operationText(reader, operation))];
      return [name, parts.join('\n\n')];
    }),
  );
}

function operationText(reader: Reader, operation: Json): string {
  const { method, path, summary, description, parameters = [], requestBody, responses } = operation;
  const inputs = parameters.map((parameter: Json) => reader.resolve(parameter));
  const body = requestBody?.content?.['application/json'];
  const [status, success] = Object.entries<Json>(responses).find(([code]) => code < '400') ?? [];
  const reply = success && reader.resolve(success).content?.['application/json'];
  const errors = Object.keys(responses).filter((code) => code >= '400');
  return [
    `## ${summary}`,
    block('http', `${method.toUpperCase()} ${path}`),
    description,
    inputs.length > 0 && parameterTable(reader, inputs),
    body && '### Request body',
    body && bodyText(reader, body.schema, requestTable),
    body && exampleOf(body),
    status && `### Response ${status}`,
    reply ? bodyText(reader, reply.schema, responseTable) : status && 'No content.',
    reply && exampleOf(reply),
    errors.length > 0 && `[Errors](/docs/api/errors): ${errors.join(', ')}.`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

function parameterTable(reader: Reader, parameters: Json[]): string {
  return table(
    ['parameter', 'in', 'type', 'meaning'],
    parameters.map(({ name, in: place, required, schema, description = '' }) => [
      `\`${name}\``,
      required ? place : `${place}, optional`,
      reader.typeOf(schema),
      description,
    ]),
  );
}

function bodyText(reader: Reader, schema: Json, format: (properties: Property[]) => string): string {
  const whole = reader.resolve(schema);
  if (whole.type === 'array') return `An array of:\n\n${bodyText(reader, whole.items, format)}`;
  const kinds: Json[] | undefined = whole.oneOf ?? whole.anyOf;
  if (!kinds) return tableOf(reader, whole, format);
  return kinds.map((kind) => `**${nameOf(reader, kind)}**\n\n${tableOf(reader, kind, format)}`).join('\n\n');
}

function tableOf(reader: Reader, schema: Json, format: (properties: Property[]) => string): string {
  const properties = nested(reader, schema, '', 0);
  return properties.length > 0 ? format(properties) : 'An object with any properties.';
}

/** Lists properties, each followed by the properties of its object: `config`, `config.host`; `steps[].send`. */
function nested(reader: Reader, schema: Json, prefix: string, depth: number): Property[] {
  const whole = reader.resolve(schema);
  const own = reader.propertiesOf(whole, prefix);
  return own.flatMap((property) => {
    const member = reader.resolve(whole.properties[property.name.slice(prefix.length)]);
    const [inner, path] = member.type === 'array' ? [reader.resolve(member.items ?? {}), '[].'] : [member, '.'];
    const isObject = inner.properties && depth < MAX_DEPTH;
    return [property, ...(isObject ? nested(reader, inner, property.name + path, depth + 1) : [])];
  });
}

/** Names one kind of an object by the constant that distinguishes it: `check_type: http`. */
function nameOf(reader: Reader, schema: Json): string {
  const { title, properties = {} } = reader.resolve(schema);
  const constant = Object.entries<Json>(properties).find(([, member]) => reader.resolve(member).const !== undefined);
  return constant ? `${constant[0]}: ${reader.resolve(constant[1]).const}` : (title ?? 'or');
}

function exampleOf({ example, examples }: Json): string | undefined {
  const first: Json = example ?? Object.values<Json>(examples ?? {})[0]?.value;
  return first === undefined ? undefined : block('json', JSON.stringify(first, null, 2));
}
