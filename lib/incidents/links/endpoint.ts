import { createHash } from 'node:crypto';
import * as z from 'zod';
import { gates, originOf } from '#lib/access/authenticate.ts';
import { LINK_PATH, type LinkAction } from '#lib/alerting/notify/alert-links.ts';
import { clockTime } from '#lib/channels/message-facts.ts';
import type { Env } from '#lib/env.ts';
import { assertSameOriginForm } from '#lib/identity/sessions/same-origin.ts';
import { AppError } from '#lib/platform/errors.ts';
import { escapeXml } from '#lib/platform/escape-xml.ts';
import { type ApiEvent, type ApiResult, bodyBytes } from '#lib/platform/http/api-event.ts';
import { loggedError } from '#lib/platform/http/router.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { line } from '#lib/platform/text.ts';
import { HOUR_MS, iso } from '#lib/platform/time.ts';
import { linksAddress } from '#lib/settings.ts';
import { type LinkPage, mailPage } from './mail-pages.ts';
import { followLink, type OpenLink, openLink } from './open-link.ts';

const STYLE = `
:root { color-scheme: light dark; }
* { box-sizing: border-box; }
body {
  margin: 0; padding: 24px 16px; font: 16px/1.5 system-ui, sans-serif;
  color: light-dark(#1a1d21, #e6e8ea); background: light-dark(#f6f7f8, #14171a);
}
main {
  max-width: 34rem; margin: 0 auto; padding: 24px; border-radius: 8px;
  border: 1px solid light-dark(#d5d9dd, #363c42); background: light-dark(#fff, #1c2024);
}
h1 { margin: 0 0 12px; font-size: 1.25rem; line-height: 1.3; overflow-wrap: anywhere; }
p { margin: 0 0 12px; overflow-wrap: anywhere; }
button {
  min-height: 48px; width: 100%; margin-top: 12px; padding: 0 20px; font: inherit; font-weight: 600;
  border: 0; border-radius: 6px; cursor: pointer; color: light-dark(#fff, #0b1420); background: light-dark(#1d5fbf, #7db3ff);
}
label { display: block; font-weight: 600; }
input {
  min-height: 48px; width: 100%; margin-top: 4px; padding: 0 12px; font: inherit; color: inherit;
  border: 1px solid light-dark(#8a9199, #6b737b); border-radius: 6px; background: light-dark(#fff, #14171a);
}
:is(button, input):focus-visible { outline: 3px solid light-dark(#1a1d21, #e6e8ea); outline-offset: 2px; }
`;

/** Script that keeps the entered name in the browser for the next link. Without scripts, the field is empty. */
const SCRIPT = `
const field = document.querySelector('input');
try {
  field.value ||= localStorage.getItem('fleetwatch.name') ?? '';
  field.form.addEventListener('submit', () => localStorage.setItem('fleetwatch.name', field.value.trim()));
} catch {}
`;

const MAX_NAME = 80;

const NAME_FIELD = `<label for="name">Your name (optional)</label>
<input id="name" name="name" maxlength="${MAX_NAME}" autocomplete="name">
`;

const digest = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Headers: one style and one script by their digests, no frames, no access from other pages. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${digest(STYLE)}`,
    `script-src ${digest(SCRIPT)}`,
    'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // With no-referrer, browsers would send `Origin: null` with the form.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
};

/** Returns the response with an HTML page. The form of the page posts to the URL of the page. */
export function pageOf({ status, title, says, button, asksName }: LinkPage, request_id: string): ApiResult {
  const field = asksName ? NAME_FIELD : '';
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeXml(title)} - Fleetwatch</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escapeXml(title)}</h1>
${says.map((text) => `<p>${escapeXml(text)}</p>`).join('\n')}
${button ? `<form method="post">${field}<button type="submit">${escapeXml(button)}</button></form>` : ''}
</main>
${asksName ? `<script>${SCRIPT}</script>` : ''}
</body>
</html>
`;
  return { statusCode: status, headers: { ...HEADERS, 'x-request-id': request_id }, body };
}

const METHODS = ['GET', 'HEAD', 'POST'];

/** Handles link pages; never throws. Only POST changes data, because previews and mail scanners fetch every link. */
export function linkHandler(env: Env): (event: ApiEvent) => Promise<ApiResult> {
  const { anonymous } = gates(env);
  return async (event) => {
    const { requestId: request_id, http } = event.requestContext;
    const { method, sourceIp: address = '' } = http;
    const { headers } = event;
    try {
      anonymous({ method, headers, cookies: [], address, request_id }, 'open');
      return pageOf(await pageFor(env, event, address), request_id);
    } catch (error) {
      const shown = loggedError(env.ports.log, error, {
        request_id,
        method,
        path: `${LINK_PATH}…`,
        headers,
        source_ip: address,
      });
      const page = pageOf({ status: shown.status, title: 'Nothing was changed', says: [shown.message] }, request_id);
      return { ...page, headers: { ...page.headers, ...shown.headers } };
    }
  };
}

async function pageFor(env: Env, event: ApiEvent, address: string): Promise<LinkPage> {
  const { settings } = env.ports;
  const { requestId: request_id, http } = event.requestContext;
  if (!METHODS.includes(http.method)) {
    const allow = METHODS.join(', ');
    throw new AppError('METHOD_NOT_ALLOWED', `${http.method} is not allowed; use ${allow}.`, {
      headers: { allow },
    });
  }
  if (linksAddress(settings) === '')
    throw new AppError('NOT_FOUND', 'Links in alerts require the setting PUBLIC_URL, which is not set.');
  const isPost = http.method === 'POST';
  const token = event.rawPath.slice(LINK_PATH.length);
  const origin = { ...originOf({ headers: event.headers, address, request_id }), via: 'link' as const };
  const page = await mailPage(env, token, { isPost, origin });
  if (page) return page;
  if (isPost) assertSameOriginForm(event.headers, settings);
  const link = await openLink(env, token);
  if ('why' in link) return { status: link.status, title: 'This link cannot be used', says: [link.why] };
  if (!isPost) return confirmPage(link);
  await followLink(env, link, origin, await nameIn(event));
  return { status: 200, ...DONE[link.claims.action](link, env.ports.clock.now()) };
}

/** The form of a page. `name`: name of the user who acknowledges; may be empty. */
const LinkForm = z.strictObject({ name: line(0, MAX_NAME) });

/** Maximum size of a submitted form in bytes. */
const MAX_FORM = 4096;

/** Returns the name that the form contains; empty without one. Throws VALIDATION_ERROR, PAYLOAD_TOO_LARGE. */
async function nameIn(event: ApiEvent): Promise<string> {
  const form = new URLSearchParams((await bodyBytes(event, MAX_FORM)).toString());
  return parse(LinkForm, { name: form.get('name')?.trim() ?? '' }).name;
}

const ACKNOWLEDGE_EFFECT = 'This stops reminders and escalation until the check recovers.';

const confirmPage = ({ claims, check, name }: OpenLink): LinkPage => ({
  status: 200,
  title: `${name} is ${check.state}`,
  says: [`Since ${clockTime(check.state_since)}.`, CONFIRM[claims.action].says],
  button: CONFIRM[claims.action].button,
  asksName: claims.action === 'acknowledge',
});

const CONFIRM: Readonly<Record<LinkAction, { says: string; button: string }>> = {
  acknowledge: { says: `Acknowledge this failure? ${ACKNOWLEDGE_EFFECT}`, button: 'Acknowledge' },
  silence: {
    says: 'Silences all alerts of this check for an hour, recovery included. If its state has changed by then, one alert reports it.',
    button: 'Silence for an hour',
  },
};

const DONE: Readonly<Record<LinkAction, (link: OpenLink, now: number) => Pick<LinkPage, 'title' | 'says'>>> = {
  acknowledge: ({ name }) => ({
    title: `${name} is acknowledged`,
    says: [
      'The recipients of the alert are notified, unless the check is silenced or in maintenance.',
      ACKNOWLEDGE_EFFECT,
    ],
  }),
  silence: ({ name }, now) => ({
    title: `${name} is silenced`,
    says: [
      `Its alerts are suppressed until ${clockTime(iso(now + HOUR_MS))}, or longer if it was silenced already.`,
      'To end the silence earlier, edit the policy of the check.',
    ],
  }),
};
