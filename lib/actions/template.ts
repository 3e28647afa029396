import type { HttpRequest } from '#lib/platform/net.ts';
import type { ActionItem } from './action-item.ts';

/**
 * Placeholders in the URL and body of an action. Pure. What a variable holds is text and stays text: it is escaped for
 * the place where it stands, once, and never read as a template itself. A placeholder that no variable fills is left.
 */
const PLACEHOLDER = /\{\{([\p{L}\p{N}_.-]{1,64})\}\}/gu;

/** What a variable may be called: letters, digits, `_`, `.` and `-`. */
export const VARIABLE_NAME = /^[\p{L}\p{N}_.-]{1,64}$/u;

export type Variables = ReadonlyMap<string, string>;

/** Limits after substitution: what many web servers take of a URL, and what a queue message holds. */
const MAX_URL = 8 * 1024;
const MAX_BODY_BYTES = 256 * 1024;

export const replacePlaceholders = (text: string, by: string): string => text.replace(PLACEHOLDER, by);

export const hasPlaceholder = (text: string): boolean => text.search(PLACEHOLDER) >= 0;

/** The request of an action, or in a sentence why there is none. `blocked`: a variable changes what the URL means. */
export type Rendered =
  | { ok: true; request: Pick<HttpRequest, 'url' | 'method' | 'headers' | 'body'> }
  | { ok: false; status: 'blocked' | 'failed'; error: string };

/** Fills an action's templates. Where its URL then leads is for the guard of outbound connections to judge. */
export function render(
  { url, method, headers, body_template }: Pick<ActionItem, 'url' | 'method' | 'headers' | 'body_template'>,
  variables: Variables,
): Rendered {
  const type = contentType(headers);
  const filled = renderUrl(url, variables);
  if (filled === undefined) return { ok: false, status: 'failed', error: tooLong('URL', `${MAX_URL} characters`) };
  const climbing = climbs(url, variables);
  if (climbing !== undefined) {
    const error = `refused: ${climbing} in the path of the URL comes to a dot segment, which would leave that path`;
    return { ok: false, status: 'blocked', error };
  }
  if (method === 'GET') return { ok: true, request: { url: filled, method, headers } };
  const body = renderBody(body_template, type ?? JSON_TYPE, variables);
  if (body === undefined) return { ok: false, status: 'failed', error: tooLong('body', `${MAX_BODY_BYTES} bytes`) };
  // Nothing is no JSON: some receivers refuse an empty body of that type.
  const typed = type === undefined && body !== '' ? { ...headers, 'Content-Type': JSON_TYPE } : headers;
  return { ok: true, request: { url: filled, method, headers: typed, body } };
}

const JSON_TYPE = 'application/json';

const tooLong = (what: string, most: string): string =>
  `not sent: the ${what} has more than ${most} once its variables are filled in`;

function contentType(headers: Record<string, string>): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
}

/** `application/json`, `text/json`, `application/cloudevents+json; charset=utf-8` */
const isJson = (type: string): boolean => /^\s*[^\s;]+[/+]json\s*(;|$)/i.test(type);

/**
 * A body with its variables, escaped as inside a JSON string when the content type is JSON, else as they are.
 * Undefined when it grows beyond all measure.
 */
export function renderBody(template: string, type: string, variables: Variables): string | undefined {
  const body = fill(template, variables, isJson(type) ? inJsonString : asIs, MAX_BODY_BYTES);
  return body !== undefined && Buffer.byteLength(body) > MAX_BODY_BYTES ? undefined : body;
}

/** A URL with its variables: percent-encoded in path and query, as they are in scheme and authority. */
export function renderUrl(template: string, variables: Variables): string | undefined {
  const end = authorityEnd(template);
  const head = fill(template.slice(0, end), variables, asIs, MAX_URL);
  const tail = fill(template.slice(end), variables, inUrl, MAX_URL);
  return head === undefined || tail === undefined || head.length + tail.length > MAX_URL ? undefined : head + tail;
}

/** Where the path begins. `{{base}}/hook` has no scheme of its own; the variable brings it. */
export const authorityEnd = (template: string): number =>
  /^(?:[^/?#\\]*:\/\/)?[^/?#\\]*/.exec(template)?.[0].length ?? template.length;

/** The first segment of the path that its variables turn into `.` or `..`, which no encoding can keep from climbing. */
function climbs(template: string, variables: Variables): string | undefined {
  const path = template.slice(authorityEnd(template)).replace(/[?#].*$/s, '');
  return path
    .split(/[/\\]/)
    .find((part) => hasPlaceholder(part) && /^(?:\.|%2e){1,2}$/i.test(fill(part, variables, inUrl, MAX_URL) ?? ''));
}

const asIs = (value: string): string => value;
const inJsonString = (value: string): string => JSON.stringify(value).slice(1, -1);
// Half a character has no encoding at all.
const inUrl = (value: string): string => encodeURIComponent(value.toWellFormed());

/** @param most length at which it gives up: a short template can ask for much */
function fill(
  template: string,
  variables: Variables,
  escaped: (value: string) => string,
  most: number,
): string | undefined {
  let filled = '';
  let done = 0;
  for (const match of template.matchAll(PLACEHOLDER)) {
    const value = variables.get(match[1]!);
    filled += template.slice(done, match.index) + (value === undefined ? match[0] : escaped(value));
    done = match.index + match[0].length;
    if (filled.length > most) return undefined;
  }
  return filled + template.slice(done);
}
