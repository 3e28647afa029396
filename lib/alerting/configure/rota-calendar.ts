import { createHash, timingSafeEqual } from 'node:crypto';
import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import { gates } from '#lib/access/authenticate.ts';
import { readAlerting } from '#lib/alerting/policy/account-alerting.ts';
import { CALENDAR_PATH, type RotaItem, type Shift, shiftsWithin } from '#lib/alerting/policy/rotas.ts';
import type { Env } from '#lib/env.ts';
import { AppError, errorBody } from '#lib/platform/errors.ts';
import { API_HEADERS, type ApiEvent, type ApiResult, isCurrent } from '#lib/platform/http/api-event.ts';
import { loggedError } from '#lib/platform/http/router.ts';
import { type CalendarEvent, icalendar, utcText } from '#lib/platform/icalendar.ts';
import { isId } from '#lib/platform/ids.ts';
import { DAY_MS } from '#lib/platform/time.ts';

const PATH = /^\/calendars\/(acc_\w+)\/(rot_\w+)\/([\w-]{22})\/calendar\.ics$/;

const PAST_MS = 28 * DAY_MS;
const FUTURE_MS = 84 * DAY_MS;

/** Returns the calendar of a rota: the shifts from 4 weeks before `now` (epoch ms) to 12 weeks after. Pure. */
export const rotaCalendar = (rota: RotaItem, now: number): string =>
  icalendar(
    'On call',
    rota.name,
    shiftsWithin(rota, now - PAST_MS, now + FUTURE_MS).map((shift) => eventOf(rota, shift)),
  );

/** Returns the event of a shift. Its id omits the member, so calendar programs update it if the member changes. */
const eventOf = (rota: RotaItem, { from, to, member, override }: Shift): CalendarEvent => ({
  uid: `${rota.id}-${utcText(from)}`,
  stamp: Date.parse(rota.updated_at),
  ...{ from, to, summary: `On call: ${member} (${rota.name})` },
  ...(override && { description: 'Override' }),
});

const METHODS = ['GET', 'HEAD'];

/** Returns the handler of calendars, which need no key: their path is secret. Never throws. Create one per process. */
export function calendarHandler(env: Env): (event: ApiEvent) => Promise<ApiResult> {
  const { anonymous } = gates(env);
  return async ({ rawPath, headers, requestContext }) => {
    const { requestId: request_id, http } = requestContext;
    const { method, sourceIp: address = '' } = http;
    try {
      anonymous({ method, headers, cookies: [], address, request_id }, 'open');
      if (!METHODS.includes(method)) {
        const allow = METHODS.join(', ');
        throw new AppError('METHOD_NOT_ALLOWED', `${method} is not allowed; use ${allow}.`, { headers: { allow } });
      }
      const body = rotaCalendar(await rotaAt(env, rawPath), env.ports.clock.now());
      const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
      const more = { 'x-request-id': request_id, ...API_HEADERS, 'cache-control': 'private, max-age=300', etag };
      if (isCurrent(headers, etag)) return { statusCode: 304, headers: more, body: '' };
      return { statusCode: 200, headers: { ...more, 'content-type': 'text/calendar; charset=utf-8' }, body };
    } catch (error) {
      const request = { request_id, method, path: `${CALENDAR_PATH}…`, headers, source_ip: address };
      const refused = loggedError(env.ports.log, error, request);
      const type = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': request_id };
      return {
        statusCode: refused.status,
        headers: { ...type, ...API_HEADERS, ...refused.headers },
        body: JSON.stringify(errorBody(refused, request_id)),
      };
    }
  };
}

/** Returns the rota of a path. @throws AppError NOT_FOUND */
async function rotaAt(env: Env, path: string): Promise<RotaItem> {
  const [, tenant = '', id = '', secret = ''] = PATH.exec(path) ?? [];
  if (isId('acc', tenant) && isId('rot', id)) {
    const account = await env.ports.table.get<AccountItem>(env.keys.account(tenant));
    const { rotas } = account && !isDisabled(account) ? await readAlerting(env, tenant) : { rotas: [] };
    const rota = rotas.find((one) => one.id === id);
    if (rota && timingSafeEqual(digest(rota.calendar_secret), digest(secret))) return rota;
  }
  throw new AppError('NOT_FOUND', 'This calendar does not exist. Copy its address again from the page On call.');
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
