import { gates, originOf } from '#lib/access/authenticate.ts';
import type { LinkAction } from '#lib/alerting/notify/alert-links.ts';
import { clockTime } from '#lib/alerts/deliver/duration.ts';
import { followLink } from '#lib/alerts/links/follow-link.ts';
import { type LinkPage, pageOf } from '#lib/alerts/links/page.ts';
import { LINK_PATH } from '#lib/alerts/links/path.ts';
import type { Env } from '#lib/env.ts';
import { mustBeOwnForm } from '#lib/identity/sessions/own-page.ts';
import { AppError } from '#lib/platform/errors.ts';
import type { ApiEvent, ApiResult } from '#lib/platform/http/api-event.ts';
import { refuse } from '#lib/platform/http/refusals.ts';
import { HOUR_MS, iso } from '#lib/platform/time.ts';
import { type OpenLink, openLink } from './open-link.ts';

const METHODS = ['GET', 'HEAD', 'POST'];

/**
 * Answers the pages of links in alerts; never throws. A GET shows what a link is for and changes nothing, as previews
 * and scanners of mails fetch every link; the button on it posts.
 */
export function makeLinks(env: Env): (event: ApiEvent) => Promise<ApiResult> {
  const { anonymous } = gates(env);
  return async (event) => {
    const { requestId: request_id, http } = event.requestContext;
    const { method, sourceIp: address = '' } = http;
    const { headers } = event;
    try {
      anonymous({ method, headers, cookies: [], address, request_id }, 'open');
      return pageOf(await answer(env, event, address), request_id);
    } catch (error) {
      const shown = refuse(env.ports.log, error, {
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

async function answer(env: Env, event: ApiEvent, address: string): Promise<LinkPage> {
  const { settings } = env.ports;
  const { requestId: request_id, http } = event.requestContext;
  if (!METHODS.includes(http.method)) {
    const allow = METHODS.join(', ');
    throw new AppError('METHOD_NOT_ALLOWED', `${http.method} is not possible here; ${allow} is.`, {
      headers: { allow },
    });
  }
  if (settings.PUBLIC_URL === '')
    throw new AppError('NOT_FOUND', 'Links in alerts need the setting PUBLIC_URL, which this service does not have.');
  const isPost = http.method === 'POST';
  if (isPost) mustBeOwnForm(event.headers, settings);
  const link = await openLink(env, event.rawPath.slice(LINK_PATH.length));
  if ('why' in link) return { status: link.status, title: 'Nothing to do here', says: [link.why] };
  if (!isPost) return asking(link);
  await followLink(env, link, { ...originOf({ headers: event.headers, address, request_id }), via: 'link' });
  return { status: 200, ...DONE[link.claims.action](link, env.ports.clock.now()) };
}

const ENDS = 'It ends when the check is up again; until then no reminder is sent, and nobody else is called.';

const asking = ({ claims, check, name }: OpenLink): LinkPage => ({
  status: 200,
  title: `${name} is ${check.state}`,
  says: [`Since ${clockTime(check.state_since)}.`, ASKS[claims.action].says],
  button: ASKS[claims.action].button,
});

const ASKS: Readonly<Record<LinkAction, { says: string; button: string }>> = {
  acknowledge: { says: `Do you look after it? ${ENDS}`, button: 'Acknowledge' },
  silence: {
    says: 'All alerts of this check are held back for an hour, its recovery too. What still holds then is told.',
    button: 'Silence for an hour',
  },
};

const DONE: Readonly<Record<LinkAction, (link: OpenLink, now: number) => Pick<LinkPage, 'title' | 'says'>>> = {
  acknowledge: ({ name }) => ({ title: `${name} is acknowledged`, says: ['Whoever was told of it hears so.', ENDS] }),
  silence: ({ name }, now) => ({
    title: `${name} is silenced`,
    says: [`Its alerts are held back until ${clockTime(iso(now + HOUR_MS))}. Its policy lifts that before.`],
  }),
};
