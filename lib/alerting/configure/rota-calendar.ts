import { createHash, timingSafeEqual } from 'node:crypto';
import { type AccountItem, isDisabled } from '#lib/access/account.ts';
import { gates } from '#lib/access/authenticate.ts';
import { readAlerting } from '#lib/alerting/policy/account-alerting.ts';
import { CALENDAR_PATH, type RotaItem, type Shift, shiftsWithin } from '#lib/alerting/policy/rotas.ts';
import type { Env } from '#lib/env.ts';
import { AppError, errorBody } from '#lib/platform/errors.ts';
import { API_HEADERS, type ApiEvent, type ApiResult, isCurrent } from '#lib/platform/http/api-event.ts';
import { loggedError } from '#lib/platform/http/router.ts';
import { isId } from '#lib/platform/ids.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';

const PATH = /^\/calendars\/(acc_\w+)\/(rot_\w+)\/([\w-]{22})\/calendar\.ics$/;

const PAST_MS = 28 * DAY_MS;
const FUTURE_MS = 84 * DAY_MS;

/** Returns an iCalendar text (RFC 5545): the shifts from 4 weeks before `now` (epoch ms) to 12 weeks after. Pure. */
export function rotaCalendar(rota: RotaItem, now: number): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Fleetwatch//On call//EN',
    `NAME:${escaped(rota.name)}`,
    // NAME of RFC 7986 is unknown to many clients.
    `X-WR-CALNAME:${escaped(rota.name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    ...shiftsWithin(rota, now - PAST_MS, now + FUTURE_MS).flatMap((shift) => eventOf(rota, shift)),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join('');
}

/** The start identifies a shift, so that a client updates it when another member takes it over. */
const eventOf = (rota: RotaItem, { from, to, member, override }: Shift): string[] => [
  'BEGIN:VEVENT',
  `UID:${rota.id}-${utc(from)}@fleetwatch`,
  `DTSTAMP:${utc(Date.parse(rota.updated_at))}`,
  `DTSTART:${utc(from)}`,
  `DTEND:${utc(to)}`,
  `SUMMARY:${escaped(`On call: ${member} (${rota.name})`)}`,
  ...(override ? ['DESCRIPTION:Override'] : []),
  // The calendar of a team does not make its readers busy.
  'TRANSP:TRANSPARENT',
  'END:VEVENT',
];

/** Returns a time in UTC (RFC 5545, 3.3.5): 20260105T080000Z. */
const utc = (at: number): string => iso(at).replace(/[-:]|\.\d+/g, '');

/** Escapes a text (RFC 5545, 3.3.11). Names have no line breaks. */
const escaped = (text: string): string => text.replace(/[\\;,]/g, '\\$&');

const MAX_OCTETS = 75;

/** Folds a line between characters, so that no line has more than 75 octets (RFC 5545, 3.1). */
function folded(line: string): string {
  let [result, octets] = ['', 0];
  for (const char of line) {
    const size = Buffer.byteLength(char);
    if (octets + size > MAX_OCTETS) [result, octets] = [`${result}\r\n `, 1];
    result += char;
    octets += size;
  }
  return result;
}

const METHODS = ['GET', 'HEAD'];

/** Handles calendars of rotas, which need no key because their path is a secret; never throws. One per process. */
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
  throw new AppError('NOT_FOUND', 'This calendar does not exist. Copy its address from the page On call again.');
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
