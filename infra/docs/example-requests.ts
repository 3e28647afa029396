import { STEPS_OF_ACCESS } from './access-example-steps.ts';
import { makeAuthenticator } from './authenticator.ts';
import { type Places, type RecordedReply, STEPS, WALKED_PAGE } from './example-steps.ts';
import { WALKED_PROVIDER } from './identity-provider.ts';

/** Calls an endpoint (`PUT /v1/checks/{id}`) at a path with filled-in parameters. Redirects are not followed. */
export type Call = (endpoint: string, path: string, body: unknown, headers: Record<string, string>) => Promise<Called>;
/** `body` is parsed, undefined without a body; `cookies` are all Set-Cookie headers. */
type Called = { body: RecordedReply; cookies: readonly string[] };

/** Settings of the service for the walk: the origin of its passkeys, and its identity provider. */
export const WALKED = { PUBLIC_URL: WALKED_PAGE, ...WALKED_PROVIDER };

const steps = [...STEPS, ...STEPS_OF_ACCESS];

/** Runs the steps of `endpoints` in an empty account with the settings WALKED. @returns the created resources */
export async function walkSteps(endpoints: readonly string[], call: Call): Promise<Places> {
  const places: Places = {};
  const replies: Record<string, RecordedReply> = {};
  const cookies = new Map<string, string>();
  const authenticator = makeAuthenticator({ algorithm: -8, seed: 'walk' });
  const selected = steps.filter((step) => endpoints.includes(step.for ?? step.endpoint));
  for (const { endpoint, body, byPage, at, query, made } of selected) {
    const headers: Record<string, string> = {
      ...(byPage && { origin: WALKED_PAGE, 'x-fleetwatch': 'console' }),
      ...(query && { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }),
    };
    const search = query ? `?${new URLSearchParams(query(replies))}` : '';
    const path = pathOf(endpoint, { ...places, ...at?.(replies) }) + search;
    const reply = await call(endpoint, path, body?.(places, replies, authenticator), headers);
    for (const cookie of reply.cookies) {
      const [name = '', value = ''] = cookie.split(/[=;]/, 2);
      cookies.set(name, value);
    }
    replies[endpoint] = reply.body;
    if (made) places[made[0]] = made[1].split('.').reduce((value, name) => value[name], reply.body);
  }
  return places;
}

/** Runs the steps, then every GET. */
export async function walk(endpoints: readonly string[], call: Call): Promise<Places> {
  const places = await walkSteps(endpoints, call);
  for (const endpoint of endpoints.filter((one) => one.startsWith('GET '))) {
    await call(endpoint, pathOf(endpoint, places), undefined, {});
  }
  return places;
}

const QUERIES: Record<string, (places: Places) => string> = {
  'GET /v1/audit': () => '?limit=2',
  'GET /v1/history': ({ checks }) => `?check_ids=${checks}`,
};

/** Parameters of endpoints that need a particular resource of their collection. */
const PARTICULAR: Record<string, (places: Places) => Places> = {
  ...Object.fromEntries(
    ['GET', 'PUT', 'DELETE'].map((method) => [`${method} /v1/notify/channels/{id}`, channelOfAccount]),
  ),
  'POST /v1/notify/channels/{id}/test': channelOfAccount,
  'GET /v1/entities/{id}': ({ databases }) => (databases === undefined ? {} : { entities: databases }),
  'POST /v1/checks/{id}/run': ({ probed }) => (probed === undefined ? {} : { checks: probed }),
};

/** Returns an account channel, because channels of a check are in the same collection. */
function channelOfAccount({ account_channels }: Places): Places {
  return account_channels === undefined ? {} : { channels: account_channels };
}

/** Fills in the parameters and the required query of an endpoint. Throws if a collection is empty. */
export function pathOf(endpoint: string, places: Places): string {
  const parts = endpoint.slice(endpoint.indexOf(' ') + 1).split('/');
  const filled = parts.map((part, i) => {
    if (!part.startsWith('{')) return part;
    const place = { ...places, ...PARTICULAR[endpoint]?.(places) }[parts[i - 1]!];
    if (place === undefined)
      throw new Error(`${endpoint}: no step of infra/docs/example-steps.ts creates one of ${parts[i - 1]}.`);
    return encodeURIComponent(place);
  });
  return filled.join('/') + (QUERIES[endpoint]?.(places) ?? '');
}
