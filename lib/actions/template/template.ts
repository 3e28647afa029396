import type { ActionItem } from '#lib/actions/action-item.ts';
import type { HttpRequest } from '#lib/net/net.ts';
import { fill } from '#lib/platform/template.ts';
import { allows } from './allowed-hosts.ts';
import { renderUrl } from './url-template.ts';
import type { Variables } from './variables.ts';

/** Maximum size of a body after substitution: four times the longest template. */
const MAX_BODY_BYTES = 64 * 1024;

/** Request of an action, or a human-readable error. */
export type Rendered =
  | { ok: true; request: Pick<HttpRequest, 'url' | 'method' | 'headers' | 'body'> }
  | { ok: false; status: 'blocked' | 'failed'; error: string };

type Templates = Pick<ActionItem, 'url' | 'method' | 'headers' | 'body_template' | 'allowed_hosts'>;

export function render(action: Templates, variables: Variables): Rendered {
  const { method, headers, body_template, allowed_hosts } = action;
  const rendered = renderUrl(action.url, variables);
  if (!rendered.ok) return rendered;
  const { url } = rendered;
  if (!allows(allowed_hosts, url)) {
    const error = `refused: ${URL.parse(url)?.hostname ?? 'the host'} is not in allowed_hosts of the action`;
    return { ok: false, status: 'blocked', error };
  }
  if (method === 'GET') return { ok: true, request: { url, method, headers } };
  const type = contentType(headers);
  const body = renderBody(body_template, type ?? JSON_TYPE, variables);
  if (body === undefined) {
    const error = `not sent: the body has more than ${MAX_BODY_BYTES} bytes after substitution of its variables`;
    return { ok: false, status: 'failed', error };
  }
  // An empty body is not valid JSON, and some receivers reject it.
  const typed = type === undefined && body !== '' ? { ...headers, 'Content-Type': JSON_TYPE } : headers;
  return { ok: true, request: { url, method, headers: typed, body } };
}

const JSON_TYPE = 'application/json';

function contentType(headers: Record<string, string>): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
}

const isJson = (type: string): boolean => /^\s*[^\s;]+[/+]json\s*(;|$)/i.test(type);

/** Substitutes variables in a body; escapes values if its type is JSON. Returns undefined if it grows too large. */
export function renderBody(template: string, type: string, { elsewhere }: Variables): string | undefined {
  const body = fill(template, elsewhere, isJson(type) ? inJsonString : asIs, MAX_BODY_BYTES);
  return body !== undefined && Buffer.byteLength(body) > MAX_BODY_BYTES ? undefined : body;
}

const asIs = (value: string): string => value;
const inJsonString = (value: string): string => JSON.stringify(value).slice(1, -1);
