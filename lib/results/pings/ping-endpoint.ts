import { originOf } from '#lib/access/authenticate.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import type { StateEnv } from '#lib/checks/state/on-change.ts';
import type { Env } from '#lib/env.ts';
import { AppError, type ErrorCode } from '#lib/platform/errors.ts';
import { type ApiEvent, type ApiResult, firstBytes, PUSH_HEADERS } from '#lib/platform/http/api-event.ts';
import { loggedError } from '#lib/platform/http/router.ts';
import { CpuLimitError } from '#lib/platform/sharing/cpu-budget.ts';
import { maskSecrets } from './mask-secrets.ts';
import { type Pinged, type PingGate, pingGate } from './ping-gate.ts';
import { type PingPath, readPingPath, UUID } from './ping-path.ts';
import { type Ping, receivePing } from './receive-ping.ts';

// Response texts of pings are exactly the texts that clients of Healthchecks expect.

export const PING_PATH = '/ping/';

/** Maximum number of body bytes that are read; clients truncate their bodies to it (header `ping-body-limit`). */
const BODY_LIMIT = 10_000;

const NOT_FOUND = 'not found';

const TEXTS: Partial<Record<ErrorCode, string>> = {
  ACCOUNT_DISABLED: NOT_FOUND,
  RATE_LIMITED: 'rate limited',
  METHOD_NOT_ALLOWED: 'method not allowed',
  UNAVAILABLE: 'unavailable',
  INTERNAL: 'internal error',
};

const textReply = (text: 'OK' | 'Created', requestId: string): ApiResult => {
  return { statusCode: text === 'OK' ? 200 : 201, headers: headersOf(requestId), body: text };
};

function failureReply(error: AppError, requestId: string): ApiResult {
  const { code, status, headers } = error;
  const { allow, 'retry-after': after = status === 503 ? '1' : undefined } = headers;
  return {
    statusCode: code === 'ACCOUNT_DISABLED' ? 404 : status,
    headers: { ...headersOf(requestId), ...(allow && { allow }), ...(after && { 'retry-after': after }) },
    body: textOf(error),
  };
}

const textOf = (error: AppError): string => {
  const { code, message } = error;
  if (code === 'NOT_FOUND') return notFoundText(message);
  return error instanceof CpuLimitError ? message : (TEXTS[code] ?? message);
};

/** Keeps the texts of this file; any other message, such as the one about a deleted check, becomes `not found`. */
const notFoundText = (message: string): string => (message.startsWith(NOT_FOUND) ? message : NOT_FOUND);

const headersOf = (requestId: string): Record<string, string> => ({
  ...PUSH_HEADERS,
  'content-type': 'text/plain; charset=utf-8',
  'access-control-allow-origin': '*',
  'ping-body-limit': String(BODY_LIMIT),
  'x-request-id': requestId,
});

const MAX_USER_AGENT = 200;
const METHODS = ['GET', 'HEAD', 'POST'];

/** Creates the handler of pings, one per process (docs/use/heartbeats.md#pings). The handler never throws. */
export function makePingHandler(env: StateEnv): (event: ApiEvent) => Promise<ApiResult> {
  const gate = pingGate(env);
  return async (event) => {
    const { requestId: request_id, http } = event.requestContext;
    try {
      return textReply(await handle(env, gate, event), request_id);
    } catch (error) {
      const request = {
        ...{ request_id, method: http.method, headers: event.headers, source_ip: http.sourceIp },
        // The rest of the path is a secret.
        path: `${PING_PATH}…`,
      };
      const failure = loggedError(env.ports.log, error, request);
      if (failure.code === 'RATE_LIMITED') env.ports.metrics.count('RefusedPings');
      return failureReply(failure, request_id);
    }
  };
}

async function handle(env: StateEnv, gate: PingGate, event: ApiEvent): Promise<'OK' | 'Created'> {
  const { method, sourceIp = '' } = event.requestContext.http;
  const path = readPingPath(event.rawPath);
  if (path === 'unknown') throw notFoundError();
  if (path === 'invalid') throw new AppError('VALIDATION_ERROR', 'invalid url format');
  if (!METHODS.includes(method)) throw methodNotAllowed();
  const query = new URLSearchParams(event.rawQueryString);
  const rid = ridOf(query);
  const key = keyOf(event.headers['idempotency-key']);

  const target = await gate.admit(sourceIp, path.target);
  if (!target) throw notFoundError();
  const { check, is_new } = await checkOf(env, target, { path, query, event });
  const ping: Ping = {
    kind: path.kind,
    exit_status: path.exit_status,
    ...(rid !== undefined && { rid }),
    method,
    remote_addr: sourceIp,
    user_agent: (event.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT),
    body: await readText(event),
    key,
  };
  await receivePing(env, check, ping, target.account.retention_days);
  return is_new ? 'Created' : 'OK';
}

type Request = { path: PingPath; query: URLSearchParams; event: ApiEvent };
type PingCheck = { check: CheckItem; is_new: boolean };

async function checkOf(env: Env, pinged: Pinged, request: Request): Promise<PingCheck> {
  const found = pinged.check ? { check: pinged.check, is_new: false } : await provision(env, pinged, request);
  if (found.check.execution_mode !== 'push') throw new AppError('CONFLICT', 'not a push check');
  return found;
}

async function provision(env: Env, { key, account }: Pinged, { path, query, event }: Request): Promise<PingCheck> {
  const { target } = path;
  if (query.get('create') !== '1' || !key || 'uuid' in target) throw notFoundError();
  if (key.blueprint_slug === null) throw notFoundError(': this ping key may not create checks');
  const { http, requestId: request_id } = event.requestContext;
  const origin = originOf({ headers: event.headers, address: http.sourceIp ?? '', request_id });
  // Loaded lazily, because few pings create a check.
  const { provisionCheck } = await import('#lib/results/pings/provision-check.ts');
  return provisionCheck(env, { key, account, slug: target.slug, blueprint: key.blueprint_slug, origin });
}

function ridOf(query: URLSearchParams): string | undefined {
  const [rid, ...more] = query.getAll('rid');
  if (rid === undefined) return undefined;
  if (more.length === 0 && UUID.test(rid)) return rid.toLowerCase();
  throw new AppError('VALIDATION_ERROR', 'invalid uuid format');
}

function keyOf(key: string | undefined): string | undefined {
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new AppError('VALIDATION_ERROR', 'invalid idempotency key');
}

/** Reads the start of the body as well-formed Unicode without secrets; a character truncated at the end is dropped. */
async function readText(event: ApiEvent): Promise<string> {
  const bytes = await firstBytes(event, BODY_LIMIT);
  const text = new TextDecoder().decode(bytes, { stream: bytes.length === BODY_LIMIT });
  return maskSecrets(text);
}

const notFoundError = (why = ''): AppError => new AppError('NOT_FOUND', `not found${why}`);

const methodNotAllowed = (): AppError =>
  new AppError('METHOD_NOT_ALLOWED', 'method not allowed', { headers: { allow: METHODS.join(', ') } });
