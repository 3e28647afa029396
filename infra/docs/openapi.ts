import * as z from 'zod';
import { type ErrorCode, STATUS_OF } from '#lib/platform/errors.ts';
import { type Guarded, ruleOf } from '#lib/platform/http/access.ts';
import { resourceOf } from '#lib/platform/http/lazy-routes.ts';
import { CSV, LINES, type Route, textType } from '#lib/platform/http/route.ts';
import { readOnlyProperties } from '#lib/platform/http/unknown-properties.ts';
import { ID_PATTERN, NAME_LENGTH } from '#lib/platform/text.ts';
import { type JsonSchema, schemaBook } from './json-schemas.ts';
import { content, ERROR, failure } from './openapi-errors.ts';
import { HEADERS, headerRefs, NOT_MODIFIED, RATE_HEADERS } from './openapi-headers.ts';
import { SECURITY } from './openapi-security.ts';

type RouteDoc = Omit<Route<never>, 'load' | 'run'>;

/** Recorded exchange with an endpoint. */
export type Example = {
  request?: unknown;
  answer?: unknown;
  /** Valid requests of every type, by name, if there are several types. */
  requests?: Record<string, unknown>;
};

/** Request that the service sends to a URL of a user. */
export type Webhook = {
  summary: string;
  description: string;
  headers: z.ZodObject;
  body: z.ZodType;
  example: unknown;
  /** Meaning of the possible responses. */
  responses: string;
};

type About = {
  info: { title: string; version: string; summary: string; description: string; license: object };
  /** Descriptions of endpoint groups, by the first segment of their paths after /v1. */
  tags?: Readonly<Record<string, string>>;
  webhooks?: Readonly<Record<string, Webhook>>;
  /** Examples by `endpointOf(route)`. */
  examples?: ReadonlyMap<string, Example>;
  /** Whether response schemas reject undocumented properties; for tests. */
  strict?: boolean;
};

// biome-ignore lint/suspicious/noExplicitAny: a JSON document of any depth
type Json = any;
export type OpenApi = {
  openapi: string;
  paths: Record<string, Record<string, Json>>;
  components: Json;
  [k: string]: Json;
};

/** Descriptions of successful responses; the summary of the endpoint says what it does. */
const SUCCESS = { 200: 'Success.', 201: 'Created.', 204: 'Done.', 303: 'Redirects to Location.' };

/** Returns the name of a route in lists: `GET /v1/checks/{id}`. */
export const endpointOf = ({ method, path }: Pick<RouteDoc, 'method' | 'path'>): string => `${method} ${path}`;

/** Returns the error codes of a route: those that follow from its access, path and body, and its own `errors`. */
export function errorCodes(route: RouteDoc): ErrorCode[] {
  const codes: (ErrorCode | false)[] = [
    // A route without a query has this code too, because unknown parameters are rejected.
    'VALIDATION_ERROR',
    route.access !== 'open' && 'UNAUTHORIZED',
    route.access !== 'open' && 'ACCOUNT_DISABLED',
    route.access !== 'open' && 'FORBIDDEN',
    route.access !== 'open' && !ruleOf(route.access).read_only && 'READ_ONLY',
    route.path.includes('{') && 'NOT_FOUND',
    route.body !== undefined && 'PAYLOAD_TOO_LARGE',
    ...(route.errors ?? []),
    'RATE_LIMITED',
    'INTERNAL',
    'UNAVAILABLE',
  ];
  return [...new Set(codes.filter((code) => code !== false))];
}

function requirementText(access: Guarded): string {
  const { role, scopes } = ruleOf(access);
  const need = `Needs the ${role} role`;
  if (scopes.length === 0) return `${need}, and a session or a key without scopes.`;
  return `${need}; a key with scopes needs ${scopes.length === 1 ? 'the scope' : 'one of the scopes'} ${scopes.join(', ')}.`;
}

/** Returns the OpenAPI 3.1 document of routes. Pure. */
export function openApi(routes: readonly RouteDoc[], about: About): OpenApi {
  const book = schemaBook({ strict: about.strict ?? false });
  const responses = new Map<string, Json>();
  const paths: OpenApi['paths'] = {};
  for (const route of routes) {
    const operations = paths[route.path] ?? {};
    paths[route.path] = operations;
    operations[route.method.toLowerCase()] = operation(route, about.examples?.get(endpointOf(route)));
  }
  const webhooks = Object.entries(about.webhooks ?? {}).map(([name, hook]) => [name, { post: webhook(name, hook) }]);
  return {
    openapi: '3.1.0',
    info: about.info,
    servers: [{ url: '/' }],
    security: [{ bearer: [] }, { session: [] }, { session_http: [] }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name, description: about.tags?.[name] })),
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

  function operation(route: RouteDoc, example: Example | undefined): Json {
    return {
      tags: [tagOf(route)],
      operationId: operationId(route),
      summary: route.summary,
      ...(route.access === 'open' && { security: [] }),
      ...describeOperation(route),
      parameters: [
        ...pathParameters(route),
        ...parameters(route.query, 'query'),
        ...parameters(route.headers, 'header'),
      ],
      ...(route.body && {
        requestBody: {
          ...(!route.body.safeParse({}).success && { required: true }),
          content: content(
            book.toJson(withReadOnly(route.body, readOnlyProperties(route, routes)), 'input'),
            example?.request,
            example?.requests,
          ),
        },
      }),
      responses: {
        [route.status]: success(route, example),
        ...(route.makes && {
          201: { ...success(route, example), description: 'The resource did not exist and was created.' },
        }),
        ...(isRead(route) && { 304: { $ref: '#/components/responses/NotModified' } }),
        ...failures(route),
      },
    };
  }

  function describeOperation({ description, access }: RouteDoc): { description?: string } {
    const parts = [description, access === 'open' ? undefined : requirementText(access)].filter(
      (part) => part !== undefined,
    );
    return parts.length > 0 ? { description: parts.join(' ') } : {};
  }

  function webhook(name: string, { summary, description, headers, body, example, responses: meaning }: Webhook): Json {
    return {
      operationId: name,
      summary,
      description,
      security: [],
      parameters: parameters(headers, 'header'),
      requestBody: { required: true, content: content(book.toJson(body, 'output'), example) },
      responses: { '2XX': { description: meaning } },
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

  function success(route: RouteDoc, example: Example | undefined): Json {
    const pages = route.query && 'cursor' in route.query.shape;
    return {
      description: SUCCESS[route.status],
      headers: {
        ...headerRefs('X-Request-Id', ...(isRead(route) ? ['ETag'] : [])),
        ...(route.access !== 'open' && RATE_HEADERS),
        ...(pages && {
          Link: { description: '<…>; rel="next" while more items remain.', schema: { type: 'string' } },
        }),
      },
      ...(route.reply && { content: responseContent(route.reply, route, example?.answer) }),
    };
  }

  function responseContent(reply: z.ZodType, route: RouteDoc, example: unknown): Json {
    const schema = book.toJson(reply, 'output');
    if (route.text) return { [textType(route.text)]: { schema, example } };
    const csv = route.csv && { [CSV]: { schema: { type: 'string', description: 'A header line, then records.' } } };
    return { ...content(schema, example), ...lines(route), ...csv };
  }

  function lines({ lines, reply }: RouteDoc): Json {
    if (!lines || !(reply instanceof z.ZodArray)) return {};
    return { [LINES]: { schema: book.toJson(reply.element as z.ZodType, 'output') } };
  }

  /** Returns a reference per status to a response, which all endpoints with the same codes share. */
  function failures(route: RouteDoc): Json {
    const byStatus = Object.groupBy(errorCodes(route), (code) => STATUS_OF[code]);
    const references = Object.entries(byStatus).map(([status, codes = []]) => {
      const name = codes.join('.');
      responses.set(name, failure(codes));
      return [status, { $ref: `#/components/responses/${name}` }];
    });
    return Object.fromEntries(references);
  }
}

/** Adds to a body the read-only properties of its record, which may be sent back with a change. */
function withReadOnly(body: z.ZodType, readOnly: string[]): z.ZodType {
  if (readOnly.length === 0 || !(body instanceof z.ZodObject)) return body;
  const ignored = z.unknown().meta({ readOnly: true, description: 'Ignored.' }).optional();
  return body.extend(Object.fromEntries(readOnly.map((name) => [name, ignored]))).meta(body.meta() ?? {});
}

/** Whether a route returns data, so that it supports If-None-Match. */
const isRead = ({ method, reply }: RouteDoc): boolean => method === 'GET' && reply !== undefined;

const tagOf = ({ path }: RouteDoc): string => resourceOf(path);

/** Returns `getChecksByIdResults` for `GET /v1/checks/{id}/results`. */
const operationId = ({ method, path }: RouteDoc): string =>
  method.toLowerCase() +
  path
    .replace(/^\/v1/, '')
    .split('/')
    .slice(1)
    .map((part) => (part.startsWith('{') ? `By_${part.slice(1, -1)}` : part))
    .flatMap((part) => part.split(/[^a-zA-Z0-9]/))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

/** Names of resources that do not follow from the collection in the path. */
const NOUNS: Record<string, string> = { slos: 'SLO', logs: 'delivery' };

const singularOf = (collection: string): string =>
  NOUNS[collection] ?? collection.replaceAll('-', ' ').replace(/ies$/, 'y').replace(/s$/, '');

/** Returns the path parameters. A value that cannot be an id, a slug or a name results in NOT_FOUND. */
const pathParameters = (route: RouteDoc): Json[] =>
  [...route.path.matchAll(/([a-z-]+)(?:\/by-[a-z]+)?\/\{(\w+)\}/g)].map(([, collection = '', name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: `${/slug$/.test(name) ? 'Slug' : /name$/.test(name) ? 'Name' : 'Id'} of the ${singularOf(collection)}.`,
    schema: route.names?.includes(name)
      ? { type: 'string', minLength: 1, maxLength: NAME_LENGTH }
      : { type: 'string', pattern: ID_PATTERN },
  }));
