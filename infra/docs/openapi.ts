import * as z from 'zod';
import { type ErrorCode, STATUS_OF } from '#lib/platform/errors.ts';
import { type Guarded, ruleOf } from '#lib/platform/http/access.ts';
import { resourceOf } from '#lib/platform/http/lazy-routes.ts';
import { LINES, PLAIN_TEXT, type Route } from '#lib/platform/http/route.ts';
import { readOnlyProperties } from '#lib/platform/http/unknown-properties.ts';
import { ID_PATTERN, NAME_LENGTH } from '#lib/platform/text.ts';
import { type JsonSchema, schemaBook } from './json-schemas.ts';
import { content, ERROR, failure } from './openapi-errors.ts';
import { HEADERS, headerRefs, NOT_MODIFIED, RATE_HEADERS } from './openapi-headers.ts';
import { SECURITY } from './openapi-security.ts';

/** What is described of a row: all but what it does. */
type Row = Omit<Route<never>, 'load' | 'run'>;

/** A real exchange with an endpoint. */
export type Example = {
  request?: unknown;
  answer?: unknown;
  /** Good requests of every kind that there is, by name, where there are several kinds. */
  requests?: Record<string, unknown>;
};

/** A request that the service makes, to an address that its user has given. */
export type Webhook = {
  summary: string;
  description: string;
  headers: z.ZodObject;
  body: z.ZodType;
  example: unknown;
  /** What the receiver's answer means. */
  answers: string;
};

type About = {
  info: { title: string; version: string; summary: string; description: string; license: object };
  /** What each group of endpoints is about, by the first word of their paths. */
  tags?: Readonly<Record<string, string>>;
  webhooks?: Readonly<Record<string, Webhook>>;
  /** By `endpointOf(row)`. */
  examples?: ReadonlyMap<string, Example>;
  /** Answers hold no member that they do not state: for tests. */
  strict?: boolean;
};

// biome-ignore lint/suspicious/noExplicitAny: a JSON document, as deep as it is
type Json = any;
export type OpenApi = {
  openapi: string;
  paths: Record<string, Record<string, Json>>;
  components: Json;
  [k: string]: Json;
};

/** `GET /v1/checks/{id}`: what a row is called where rows are listed. */
export const endpointOf = ({ method, path }: Pick<Row, 'method' | 'path'>): string => `${method} ${path}`;

/** The codes that an endpoint may answer: those that follow from its row, and those it states itself. */
export function errorCodes(row: Row): ErrorCode[] {
  const codes: (ErrorCode | false)[] = [
    // Also where there is no query: a parameter that is not known is refused.
    'VALIDATION_ERROR',
    row.access !== 'open' && 'UNAUTHORIZED',
    row.access !== 'open' && 'ACCOUNT_DISABLED',
    row.access !== 'open' && 'FORBIDDEN',
    row.access !== 'open' && !ruleOf(row.access).read_only && 'READ_ONLY',
    row.path.includes('{') && 'NOT_FOUND',
    row.body !== undefined && 'PAYLOAD_TOO_LARGE',
    ...(row.errors ?? []),
    'RATE_LIMITED',
    'INTERNAL',
    'UNAVAILABLE',
  ];
  return [...new Set(codes.filter((code) => code !== false))];
}

/** Who may use it, in words. */
function needs(access: Guarded): string {
  const { role, scopes } = ruleOf(access);
  const of = `Needs the ${role} role`;
  if (scopes.length === 0) return `${of}, and a key without scopes, or a session.`;
  return `${of}; of a key with scopes, ${scopes.length === 1 ? 'the scope' : 'one of the scopes'} ${scopes.join(', ')}.`;
}

/** The OpenAPI 3.1 document of an API, from the rows that serve it. Pure. */
export function openApi(rows: readonly Row[], about: About): OpenApi {
  const book = schemaBook({ strict: about.strict ?? false });
  const responses = new Map<string, Json>();
  const paths: OpenApi['paths'] = {};
  for (const row of rows) {
    const operations = paths[row.path] ?? {};
    paths[row.path] = operations;
    operations[row.method.toLowerCase()] = operation(row, about.examples?.get(endpointOf(row)));
  }
  const webhooks = Object.entries(about.webhooks ?? {}).map(([name, hook]) => [name, { post: webhook(name, hook) }]);
  return {
    openapi: '3.1.0',
    info: about.info,
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { session: [] }, { session_http: [] }],
    tags: [...new Set(rows.map(tagOf))].map((name) => ({ name, description: about.tags?.[name] })),
    paths,
    ...(webhooks.length > 0 && { webhooks: Object.fromEntries(webhooks) }),
    components: {
      securitySchemes: SECURITY,
      headers: HEADERS,
      responses: {
        ...Object.fromEntries([...responses].sort(([a], [b]) => (a < b ? -1 : 1))),
        NotModified: NOT_MODIFIED,
      },
      schemas: { ...book.components(), Error: ERROR },
    },
  };

  function operation(row: Row, example: Example | undefined): Json {
    return {
      tags: [tagOf(row)],
      operationId: operationId(row),
      summary: row.summary,
      ...(row.access === 'open' && { security: [] }),
      ...describeOperation(row),
      parameters: [...pathParameters(row), ...parameters(row.query, 'query'), ...parameters(row.headers, 'header')],
      ...(row.body && {
        requestBody: {
          ...(!row.body.safeParse({}).success && { required: true }),
          content: content(
            book.toJson(takenBack(row.body, readOnlyProperties(row, rows)), 'input'),
            example?.request,
            example?.requests,
          ),
        },
      }),
      responses: {
        [row.status]: success(row, example),
        ...(row.makes && { 201: { ...success(row, example), description: 'It was not there, and was made.' } }),
        ...(isRead(row) && { 304: { $ref: '#/components/responses/NotModified' } }),
        ...failures(row),
      },
    };
  }

  function describeOperation({ description, access }: Row): { description?: string } {
    const parts = [description, access === 'open' ? undefined : needs(access)].filter((part) => part !== undefined);
    return parts.length > 0 ? { description: parts.join(' ') } : {};
  }

  function webhook(name: string, { summary, description, headers, body, example, answers }: Webhook): Json {
    return {
      operationId: name,
      summary,
      description,
      security: [],
      parameters: parameters(headers, 'header'),
      requestBody: { required: true, content: content(book.toJson(body, 'output'), example) },
      responses: { '2XX': { description: answers } },
    };
  }

  function parameters(schema: z.ZodObject | undefined, place: 'query' | 'header'): Json[] {
    if (!schema) return [];
    const { properties, required = [] } = book.toJson(schema, 'input') as { properties: Json; required?: string[] };
    return Object.entries<JsonSchema>(properties).map(([name, { description, ...shape }]) => ({
      name,
      in: place,
      ...(required.includes(name) && { required: true }),
      ...(description !== undefined && { description }),
      schema: shape,
    }));
  }

  function success(row: Row, example: Example | undefined): Json {
    const pages = row.query && 'cursor' in row.query.shape;
    return {
      description: row.status === 204 ? 'Done.' : row.status === 303 ? 'Goes on at its Location.' : row.summary,
      headers: {
        ...headerRefs('X-Request-Id', ...(isRead(row) ? ['ETag'] : [])),
        ...(row.access !== 'open' && RATE_HEADERS),
        ...(pages && {
          Link: { description: '<…>; rel="next" whenever more remains.', schema: { type: 'string' } },
        }),
      },
      ...(row.reply && { content: answered(row.reply, row, example?.answer) }),
    };
  }

  /** What is answered, by its media type. */
  function answered(reply: z.ZodType, row: Row, example: unknown): Json {
    const schema = book.toJson(reply, 'output');
    if (row.text) return { [PLAIN_TEXT]: { schema, example } };
    return { ...content(schema, example), ...lines(row) };
  }

  /** A record a line, for who asks for that. */
  function lines({ lines, reply }: Row): Json {
    if (!lines || !(reply instanceof z.ZodArray)) return {};
    return { [LINES]: { schema: book.toJson(reply.element as z.ZodType, 'output') } };
  }

  /** One response a status, shared by all endpoints that have the same codes there. */
  function failures(row: Row): Json {
    const byStatus = Object.groupBy(errorCodes(row), (code) => STATUS_OF[code]);
    const references = Object.entries(byStatus).map(([status, codes = []]) => {
      const name = codes.join('.');
      responses.set(name, failure(codes));
      return [status, { $ref: `#/components/responses/${name}` }];
    });
    return Object.fromEntries(references);
  }
}

/** A body with the members of a record that was read, which may be sent along with a change. */
function takenBack(body: z.ZodType, readOnly: string[]): z.ZodType {
  if (readOnly.length === 0 || !(body instanceof z.ZodObject)) return body;
  const passedOver = z.unknown().meta({ readOnly: true, description: 'Passed over.' }).optional();
  return body.extend(Object.fromEntries(readOnly.map((name) => [name, passedOver]))).meta(body.meta() ?? {});
}

/** Whether it answers something that one may have already. */
const isRead = ({ method, reply }: Row): boolean => method === 'GET' && reply !== undefined;

/** The first word behind the version: `checks`. */
const tagOf = ({ path }: Row): string => resourceOf(path);

/** `getChecksByIdResults` of `GET /v1/checks/{id}/results`. */
const operationId = ({ method, path }: Row): string =>
  method.toLowerCase() +
  path
    .split('/')
    .slice(2)
    .map((part) => (part.startsWith('{') ? `By_${part.slice(1, -1)}` : part))
    .flatMap((part) => part.split(/[^a-zA-Z0-9]/))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** What cannot be an id, a slug or a name is NOT_FOUND, as it names nothing. */
const pathParameters = (row: Row): Json[] =>
  [...row.path.matchAll(/([a-z]+)(?:\/by-[a-z]+)?\/\{(\w+)\}/g)].map(([, collection, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: `The ${/[a-z]+$/.exec(name)?.[0]} of one of the ${collection}.`,
    schema: row.names?.includes(name)
      ? { type: 'string', minLength: 1, maxLength: NAME_LENGTH }
      : { type: 'string', pattern: ID_PATTERN },
  }));
