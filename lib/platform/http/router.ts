import * as z from 'zod';
import { AppError, asAppError, errorBody } from '#lib/platform/errors.ts';
import type { Log } from '#lib/platform/ports.ts';
import type { AccountClass, AddressClass } from '#lib/platform/sharing/rates.ts';
import type { Rights } from './access.ts';
import { API_HEADERS, type ApiEvent, type ApiResult, cookiesOf } from './api-event.ts';
import { assertAllowed } from './assert-allowed.ts';
import { paramsOf, rowsAt } from './match-path.ts';
import { valuesOf } from './query-params.ts';
import { readBody } from './read-body.ts';
import { CreatedReply, type Method, Reply, type Route, serializeAs } from './route.ts';
import { readOnlyMembers } from './unknown-members.ts';
import { parse, parseBody } from './validation.ts';

/** Not to be served for want of a key, of rights or of room. */
const REFUSED = [401, 403, 429];

/** The end of a long list of addresses: what stands at its right was written by whom we know. */
const MAX_FORWARDED = 200;

type Refused = {
  request_id: string;
  method: string;
  path: string;
  headers: Record<string, string | undefined>;
  /** Address of who was connected: the caller, or the last proxy before us. */
  source_ip?: string | undefined;
};

/**
 * The error that a request is answered with. Says in the log what failed, and who was refused and why: behind a proxy
 * no other log names the caller.
 */
export function refuse(log: Log, error: unknown, { headers, source_ip, ...request }: Refused): AppError {
  const shown = asAppError(error);
  const { status, code } = shown;
  if (status >= 500) log.error('request failed', { ...request, error: shown.cause ?? shown });
  if (REFUSED.includes(status)) {
    const forwarded_for = headers['x-forwarded-for']?.slice(-MAX_FORWARDED);
    log.info('request refused', { ...request, source_ip, status, code, forwarded_for });
  }
  return shown;
}

/** What is known of a request before its key is. */
export type Sender = {
  method: string;
  /** Names in lower case. */
  headers: ApiEvent['headers'];
  /** `name=value` each. */
  cookies: readonly string[];
  /** Of the client; empty where a host knows none. */
  address: string;
  request_id: string;
};

export type Gates<Context extends { caller: Rights }> = {
  /** Throws UNAUTHORIZED, ACCOUNT_DISABLED, RATE_LIMITED. */
  authenticate(sender: Sender): Promise<Context>;
  /** The context of an open endpoint. Throws RATE_LIMITED. */
  anonymous(sender: Sender, rate: AddressClass): Context;
  /** Counts the request as `count`. Throws RATE_LIMITED. @returns headers for every answer to it, whatever that is */
  spend(context: Context, rate: AccountClass, count?: number): Promise<Record<string, string>>;
  /** Throws FORBIDDEN for a caller who is held to something else than this API. */
  restrict(context: Context): void;
  /** Counts an answer of so many characters, once it stands. */
  weigh(context: Context, rate: AccountClass, characters: number): Promise<void>;
  /** Does a read when it is the account's turn. Throws RATE_LIMITED. */
  inReadTurn<T>(context: Context, read: () => Promise<T>): Promise<T>;
  log: Log;
};

const DEFAULT_MAX_BODY = 256 * 1024;
const NO_QUERY = z.object({});

/**
 * Answers every request of an API by its rows; never throws.
 * @param always headers of every answer that does not set them itself
 */
export function makeRouter<Context extends { caller: Rights }>(
  rows: Route<Context>[],
  gates: Gates<Context>,
  always: Record<string, string> = API_HEADERS,
) {
  const table = rows.map((row) => ({ row, segments: row.path.split('/') }));
  const readOnly = new Map(rows.map((row) => [row, new Set(readOnlyMembers(row, rows))]));

  return async (event: ApiEvent): Promise<ApiResult> => {
    const requestId = event.requestContext.requestId;
    const standing: Record<string, string> = {};
    try {
      const { status, text, headers, cookies } = await answer(event, standing);
      return {
        statusCode: status,
        headers: {
          'x-request-id': requestId,
          ...always,
          ...standing,
          ...(hasBody(status) ? { 'content-type': 'application/json; charset=utf-8' } : {}),
          ...headers,
        },
        ...(cookies.length > 0 && { cookies }),
        body: text,
      };
    } catch (error) {
      const { method, sourceIp } = event.requestContext.http;
      const { rawPath: path, headers } = event;
      const shown = refuse(gates.log, error, { request_id: requestId, method, path, headers, source_ip: sourceIp });
      return {
        statusCode: shown.status,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'x-request-id': requestId,
          ...always,
          ...standing,
          ...shown.headers,
        },
        body: JSON.stringify(errorBody(shown, requestId)),
      };
    }
  };

  /** @param standing takes the headers that go with every answer from the rate on */
  async function answer(event: ApiEvent, standing: Record<string, string>) {
    const path = event.rawPath.split('/');
    const here = rowsAt(table, path);
    const method = event.requestContext.http.method;
    // Answered as GET is: whoever writes the answer out sends no body.
    const wanted = method === 'HEAD' ? 'GET' : method;
    const row = here.find((candidate) => candidate.method === wanted);

    const open = row?.access === 'open' || event.rawPath.startsWith('/.well-known/');
    const { requestId: request_id, http } = event.requestContext;
    const { headers } = event;
    const sender = { method, headers, cookies: cookiesOf(event), address: http.sourceIp ?? '', request_id };
    const context = open
      ? gates.anonymous(sender, row?.rate === 'sign-in' ? 'sign-in' : 'open')
      : await gates.authenticate(sender);
    if (open) return serve(event, context, here, row);
    const rate = classOf(row, method);
    const serveCounted = async () => {
      Object.assign(standing, await gates.spend(context, rate, row?.tokens));
      const served = await serve(event, context, here, row);
      await gates.weigh(context, rate, served.text.length);
      return served;
    };
    return rate === 'read' ? gates.inReadTurn(context, serveCounted) : serveCounted();
  }

  /** What stands behind the gates of key and rate. */
  async function serve(event: ApiEvent, context: Context, here: Route<Context>[], row: Route<Context> | undefined) {
    const path = event.rawPath.split('/');
    const method = event.requestContext.http.method;
    if (here.length === 0) {
      throw new AppError(
        'NOT_FOUND',
        `There is no ${event.rawPath}. The endpoints are listed at GET /v1/openapi.json.`,
      );
    }
    if (!row)
      throw methodNotAllowed(
        method,
        here.map((candidate) => candidate.method),
      );
    if (row.access !== 'open') {
      assertAllowed(context.caller, row.access);
      gates.restrict(context);
    }

    const params = paramsOf(row, path);
    const loaded = await row.load?.(context, params);
    const search = new URLSearchParams(event.rawQueryString);
    const schema = row.query ?? NO_QUERY;
    const query = parse(schema, valuesOf(schema, search));
    if (row.headers) parse(row.headers, named(row.headers, event.headers));
    const body =
      row.body &&
      parseBody(row.body, await readBody(event, row.maxBody ?? DEFAULT_MAX_BODY), readOnly.get(row), row.nulls);
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
    const result = await row.run(context, call as never);
    const { value, headers, cookies } = result instanceof Reply ? result : new Reply(result, {});
    const status = result instanceof CreatedReply ? 201 : row.status;
    const written = hasBody(status) ? serializeAs(row, value, event.headers.accept) : { text: '' };
    const type = written.type && { 'content-type': written.type };
    return { status, text: written.text, headers: { ...headers, ...type }, cookies };
  }
}

const hasBody = (status: number): boolean => status !== 204 && status !== 303;

/** What a request with a key is counted by. */
function classOf<Context>(row: Pick<Route<Context>, 'rate'> | undefined, method: string): AccountClass {
  if (row?.rate !== undefined && row.rate !== 'sign-in') return row.rate;
  return method === 'GET' || method === 'HEAD' ? 'read' : 'write';
}

/** The headers that a schema names. */
const named = (schema: z.ZodObject, headers: ApiEvent['headers']) =>
  Object.fromEntries(Object.keys(schema.shape).map((name) => [name, headers[name.toLowerCase()]]));

function methodNotAllowed(method: string, allowed: Method[]): AppError {
  const methods = allowed.flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : one));
  const allow = [...new Set(methods)].sort().join(', ');
  return new AppError('METHOD_NOT_ALLOWED', `${method} is not possible here; ${allow} is.`, { headers: { allow } });
}
