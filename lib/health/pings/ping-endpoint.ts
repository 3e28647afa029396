import type { Env } from '#lib/env.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { ApiEvent, ApiResult } from '#lib/platform/http/api-event.ts';
import { refuse } from '#lib/platform/http/refusals.ts';
import { firstBytes } from '#lib/platform/net/body-bytes.ts';
import { maskSecrets } from '#lib/platform/secrets/mask-secrets.ts';
import { BODY_LIMIT, failed, loggedPath, said } from './ping-answers.ts';
import { type Pinged, type PingGate, pingGate } from './ping-gate.ts';
import { type PingPath, readPingPath, UUID } from './ping-path.ts';
import { type Ping, receivePing } from './receive-ping.ts';

const MOST_AGENT = 200;

/** Answers pings, as Healthchecks does (docs/CONTRACT.md#pings); never throws. Made once a process, for its gate. */
export function makePings(env: Env): (event: ApiEvent) => Promise<ApiResult> {
  const gate = pingGate(env);
  return async (event) => {
    const { requestId: request_id, http } = event.requestContext;
    try {
      return said(await answer(env, gate, event), request_id);
    } catch (error) {
      const shown = { request_id, method: http.method, path: loggedPath(event.rawPath), headers: event.headers };
      const refused = refuse(env.ports.log, error, { ...shown, source_ip: http.sourceIp });
      if (refused.code === 'RATE_LIMITED') env.ports.metrics.count('RefusedPings');
      return failed(refused, request_id);
    }
  };
}

async function answer(env: Env, gate: PingGate, event: ApiEvent): Promise<'OK'> {
  const { method, sourceIp = '' } = event.requestContext.http;
  const path = readPingPath(event.rawPath);
  if (path === 'unknown') throw new AppError('NOT_FOUND', 'not found');
  if (path === 'invalid') throw new AppError('VALIDATION_ERROR', 'invalid url format');
  if (!['HEAD', 'GET', 'POST'].includes(method)) throw methodNotAllowed();
  const rid = ridOf(new URLSearchParams(event.rawQueryString));
  gate.admit(sourceIp, path.target);
  const pinged = await find(gate, path);
  if (!pinged) throw new AppError('NOT_FOUND', 'not found');
  await gate.count(pinged);
  const ping: Ping = {
    kind: path.kind,
    exit_status: path.exit_status,
    ...(rid !== undefined && { rid }),
    method,
    remote_addr: sourceIp,
    user_agent: (event.headers['user-agent'] ?? '').slice(0, MOST_AGENT),
    body: await readText(event),
    key: keyOf(event.headers['idempotency-key']),
  };
  await receivePing(env, pinged.check, ping, pinged.account.retention_days);
  return 'OK';
}

async function find(gate: PingGate, { target }: PingPath): Promise<Pinged | undefined> {
  return 'uuid' in target ? gate.byUuid(target.uuid) : undefined;
}

/** The id of a run, in lower case. Two of them are none. */
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

/** The beginning of the body, in well-formed Unicode and without secrets. Half a character at its cut is left out. */
async function readText(event: ApiEvent): Promise<string> {
  const bytes = await firstBytes(event, BODY_LIMIT);
  const text = new TextDecoder().decode(bytes, { stream: bytes.length === BODY_LIMIT });
  return maskSecrets(text);
}

const methodNotAllowed = (): AppError =>
  new AppError('METHOD_NOT_ALLOWED', 'method not allowed', { headers: { allow: 'GET, HEAD, POST' } });
