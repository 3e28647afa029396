import * as z from 'zod';
import { AppError, asAppError, errorBody } from '#lib/platform/errors.ts';
import type { Log } from '#lib/platform/ports.ts';
import { type AccountClass, type AddressClass, storeTokens } from '#lib/platform/sharing/rates.ts';
import type { Rights } from './access.ts';
import { API_HEADERS, type ApiEvent, type ApiResult, cookiesOf } from './api-event.ts';
import { assertAllowed } from './assert-allowed.ts';
import { paramsOf, routesAt } from './match-path.ts';
import { valuesOf } from './query-params.ts';
import { readBody } from './read-body.ts';
import { CreatedReply, type Method, Reply, type Route, serializeAs } from './route.ts';
import { readOnlyProperties } from './unknown-properties.ts';
import { parse, parseBody } from './validation.ts';

const REFUSED = [401, 403, 429];

/** Maximum logged characters of X-Forwarded-For: its right end, which trusted proxies write. */
const MAX_FORWARDED = 200;

type FailedRequest = {
  request_id: string;
  method: string;
  path: string;
  headers: Record<string, string | undefined>;
  /** Address of the connected peer: the client or the last proxy. */
  source_ip?: string | undefined;
};

/** Returns the error to send. Logs internal errors, and addresses of refused clients: other logs see only the proxy. */
export function loggedError(log: Log, error: unknown, { headers, source_ip, ...request }: FailedRequest): AppError {
  const visible = asAppError(error);
  const { status, code } = visible;
  if (status >= 500) log.error('request failed', { ...request, error: visible.cause ?? visible });
  if (REFUSED.includes(status)) {
    const forwarded_for = headers['x-forwarded-for']?.slice(-MAX_FORWARDED);
    log.info('request refused', { ...request, source_ip, status, code, forwarded_for });
  }
  return visible;
}

/** Request properties known before authentication. */
export type Sender = {
  method: string;
  headers: ApiEvent['headers'];
  cookies: readonly string[];
  /** Address of the client; empty if unknown. */
  address: string;
  request_id: string;
};

export type Gates<Context extends { caller: Rights }> = {
  /** Throws UNAUTHORIZED, ACCOUNT_DISABLED, RATE_LIMITED. */
  authenticate(sender: Sender): Promise<Context>;
  /** Returns the context of an open endpoint. Throws RATE_LIMITED. */
  anonymous(sender: Sender, rate: AddressClass): Context;
  /** Takes `count` tokens of the account, default 1. Throws RATE_LIMITED. @returns headers for the response */
  spend(context: Context, rate: AccountClass, count?: number): Promise<Record<string, string>>;
  /** Throws FORBIDDEN if the key of the caller is restricted to tools of MCP. */
  restrict(context: Context): void;
  /** Takes more tokens for a long response, or all that are left. */
  chargeCost(context: Context, rate: AccountClass, characters: number): Promise<void>;
  /** Runs a read when the account has a permit. Throws RATE_LIMITED. */
  withReadPermit<T>(context: Context, read: () => Promise<T>): Promise<T>;
  log: Log;
};

const DEFAULT_MAX_BODY = 256 * 1024;
const NO_QUERY = z.object({});

/** Returns a handler that never throws. @param defaultHeaders headers of every response; a route can override them */
export function makeRouter<Context extends { caller: Rights }>(
  routes: Route<Context>[],
  gates: Gates<Context>,
  defaultHeaders: Record<string, string> = API_HEADERS,
) {
  const table = routes.map((route) => ({ route, segments: route.path.split('/') }));
  const readOnly = new Map(routes.map((route) => [route, new Set(readOnlyProperties(route, routes))]));

  return async (event: ApiEvent): Promise<ApiResult> => {
    const requestId = event.requestContext.requestId;
    const rateHeaders: Record<string, string> = {};
    try {
      const { status, text, headers, cookies } = await handle(event, rateHeaders);
      return {
        statusCode: status,
        headers: {
          'x-request-id': requestId,
          ...defaultHeaders,
          ...rateHeaders,
          ...(hasBody(status) ? { 'content-type': 'application/json; charset=utf-8' } : {}),
          ...headers,
        },
        ...(cookies.length > 0 && { cookies }),
        body: text,
      };
    } catch (error) {
      const { method, sourceIp } = event.requestContext.http;
      const { rawPath: path, headers } = event;
      const visible = loggedError(gates.log, error, {
        request_id: requestId,
        method,
        path,
        headers,
        source_ip: sourceIp,
      });
      return {
        statusCode: visible.status,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'x-request-id': requestId,
          ...defaultHeaders,
          ...rateHeaders,
          ...visible.headers,
        },
        body: JSON.stringify(errorBody(visible, requestId)),
      };
    }
  };

  /** @param rateHeaders object to which the rate headers are added, because an error response needs them too */
  async function handle(event: ApiEvent, rateHeaders: Record<string, string>) {
    const path = event.rawPath.split('/');
    const matching = routesAt(table, path);
    const method = event.requestContext.http.method;
    // Handled like GET; the server omits the body.
    const effectiveMethod = method === 'HEAD' ? 'GET' : method;
    const route = matching.find((candidate) => candidate.method === effectiveMethod);

    const open = route?.access === 'open' || event.rawPath.startsWith('/.well-known/');
    const { requestId: request_id, http } = event.requestContext;
    const { headers } = event;
    const sender = { method, headers, cookies: cookiesOf(event), address: http.sourceIp ?? '', request_id };
    const context = open
      ? gates.anonymous(sender, route?.rate === 'sign-in' ? 'sign-in' : 'open')
      : await gates.authenticate(sender);
    if (open) return serve(event, context, matching, route);
    const rate = classOf(route, method);
    const serveCounted = async () => {
      Object.assign(rateHeaders, await gates.spend(context, rate, route?.tokens));
      const served = await serve(event, context, matching, route);
      await gates.chargeCost(context, rate, served.text.length);
      return served;
    };
    return rate === 'read' ? gates.withReadPermit(context, serveCounted) : serveCounted();
  }

  async function serve(
    event: ApiEvent,
    context: Context,
    matching: Route<Context>[],
    route: Route<Context> | undefined,
  ) {
    const path = event.rawPath.split('/');
    const method = event.requestContext.http.method;
    if (matching.length === 0) {
      throw new AppError('NOT_FOUND', `${event.rawPath} does not exist. See GET /v1/openapi.json for the endpoints.`);
    }
    if (!route)
      throw methodNotAllowed(
        method,
        matching.map((candidate) => candidate.method),
      );
    if (route.access !== 'open') {
      assertAllowed(context.caller, route.access);
      gates.restrict(context);
    }

    const params = paramsOf(route, path);
    const loaded = await route.load?.(context, params);
    const search = new URLSearchParams(event.rawQueryString);
    const schema = route.query ?? NO_QUERY;
    const query = parse(schema, valuesOf(schema, search));
    if (route.headers) parse(route.headers, headersOf(route.headers, event.headers));
    const given = route.body && (await readBody(event, route.maxBody ?? DEFAULT_MAX_BODY));
    const body = route.body && parseBody(route.body, given!.value, readOnly.get(route), route.nulls);
    if (route.access !== 'open' && classOf(route, method) === 'write') {
      await gates.spend(context, 'store', storeTokens(given?.bytes ?? 0));
    }
    const { headers: sent, rawPath } = event;
    const call = {
      params,
      query,
      body,
      loaded,
      headers: sent,
      cookies: cookiesOf(event),
      url: { path: rawPath, search },
    };
    const result = await route.run(context, call as never);
    const { value, headers, cookies } = result instanceof Reply ? result : new Reply(result, {});
    const status = result instanceof CreatedReply ? 201 : route.status;
    const serialized = hasBody(status) ? serializeAs(route, value, event.headers.accept) : { text: '' };
    const type = serialized.type && { 'content-type': serialized.type };
    return { status, text: serialized.text, headers: { ...headers, ...type }, cookies };
  }
}

const hasBody = (status: number): boolean => status !== 204 && status !== 303;

function classOf<Context>(route: Pick<Route<Context>, 'rate'> | undefined, method: string): AccountClass {
  if (route?.rate !== undefined && route.rate !== 'sign-in') return route.rate;
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write';
}

const headersOf = (schema: z.ZodObject, headers: ApiEvent['headers']) =>
  Object.fromEntries(Object.keys(schema.shape).map((name) => [name, headers[name.toLowerCase()]]));

function methodNotAllowed(method: string, allowed: Method[]): AppError {
  const methods = allowed.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : name));
  const allow = [...new Set(methods)].sort().join(', ');
  return new AppError('METHOD_NOT_ALLOWED', `${method} is not allowed; use ${allow}.`, { headers: { allow } });
}
