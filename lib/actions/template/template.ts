import type { ActionItem } from '#lib/actions/action-item.ts';
import type { HttpRequest } from '#lib/net/net.ts';
import { fill } from '#lib/platform/template.ts';
import { allows } from './allowed-hosts.ts';
import { renderUrl } from './url-template.ts';
import type { Variables } from './variables.ts';

/** After substitution: four times the longest template. What is more was blown up, not written. */
const MAX_BODY_BYTES = 64 * 1024;

/** The request of an action, or in a sentence why there is none. */
export type Rendered =
  | { ok: true; request: Pick<HttpRequest, 'url' | 'method' | 'headers' | 'body'> }
  | { ok: false; status: 'blocked' | 'failed'; error: string };

type Templates = Pick<ActionItem, 'url' | 'method' | 'headers' | 'body_template' | 'allowed_hosts'>;

/** Fills an action's templates. */
export function render(action: Templates, variables: Variables): Rendered {
  const { method, headers, body_template, allowed_hosts } = action;
  const rendered = renderUrl(action.url, variables);
  if (!rendered.ok) return rendered;
  const { url } = rendered;
  if (!allows(allowed_hosts, url)) {
    const error = `refused: ${URL.parse(url)?.hostname ?? 'the host'} is not among the allowed_hosts of the action`;
    return { ok: false, status: 'blocked', error };
  }
  if (method === 'GET') return { ok: true, request: { url, method, headers } };
  const type = contentType(headers);
  const body = renderBody(body_template, type ?? JSON_TYPE, variables);
  if (body === undefined) {
    const error = `not sent: the body has more than ${MAX_BODY_BYTES} bytes once its variables are filled in`;
    return { ok: false, status: 'failed', error };
  }
  // Nothing is no JSON: some receivers refuse an empty body of that type.
  const typed = type === undefined && body !== '' ? { ...headers, 'Content-Type': JSON_TYPE } : headers;
  return { ok: true, request: { url, method, headers: typed, body } };
}

const JSON_TYPE = 'application/json';

function contentType(headers: Record<string, string>): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
}

/** `application/json`, `text/json`, `application/cloudevents+json; charset=utf-8` */
const isJson = (type: string): boolean => /^\s*[^\s;]+[/+]json\s*(;|$)/i.test(type);

/**
 * A body with its variables, escaped as inside a JSON string when the content type is JSON, else as they are.
 * Undefined when it grows beyond all measure.
 */
export function renderBody(template: string, type: string, { elsewhere }: Variables): string | undefined {
  const body = fill(template, elsewhere, isJson(type) ? inJsonString : asIs, MAX_BODY_BYTES);
  return body !== undefined && Buffer.byteLength(body) > MAX_BODY_BYTES ? undefined : body;
}

const asIs = (value: string): string => value;
const inJsonString = (value: string): string => JSON.stringify(value).slice(1, -1);
