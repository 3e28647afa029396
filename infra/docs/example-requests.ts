import { ACCESS_STEPS } from './access-example-steps.ts';
import { makeAuthenticator } from './authenticator.ts';
import { type PathIds, type RecordedReply, STEPS, WALK_ORIGIN } from './example-steps.ts';
import { WALK_PROVIDER } from './identity-provider.ts';

/** Calls an endpoint (`PUT /v1/checks/{id}`) at a path with filled-in parameters. Redirects are not followed. */
export type Call = (endpoint: string, path: string, body: unknown, headers: Record<string, string>) => Promise<Called>;
/** `body`: parsed; undefined if the response has none. `cookies`: all Set-Cookie headers. */
type Called = { body: RecordedReply; cookies: readonly string[] };

export const WALK_SETTINGS = { PUBLIC_URL: WALK_ORIGIN, ...WALK_PROVIDER };

const steps = [...STEPS, ...ACCESS_STEPS];

/** Runs the steps of `endpoints` against a service with WALK_SETTINGS and an empty account. @returns the new ids */
export async function walkSteps(endpoints: readonly string[], call: Call): Promise<PathIds> {
  const pathIds: PathIds = {};
  const replies: Record<string, RecordedReply> = {};
  const cookies = new Map<string, string>();
  const authenticator = makeAuthenticator({ algorithm: -8, seed: 'walk' });
  const selected = steps.filter((step) => endpoints.includes(step.for ?? step.endpoint));
  for (const { endpoint, body, byPage, at, query, made } of selected) {
    const headers: Record<string, string> = {
      ...(byPage && { origin: WALK_ORIGIN, 'x-fleetwatch': 'console' }),
      ...(query && { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }),
    };
    const search = query ? `?${new URLSearchParams(query(replies))}` : '';
    const path = pathOf(endpoint, { ...pathIds, ...at?.(replies) }) + search;
    const reply = await call(endpoint, path, body?.(pathIds, replies, authenticator), headers);
    for (const cookie of reply.cookies) {
      const [name = '', value = ''] = cookie.split(/[=;]/, 2);
      cookies.set(name, value);
    }
    replies[endpoint] = reply.body;
    if (made) pathIds[made[0]] = made[1].split('.').reduce((value, name) => value[name], reply.body);
  }
  return pathIds;
}

/** Runs the steps of `endpoints`, then calls each GET endpoint. @returns the ids of the created resources */
export async function walk(endpoints: readonly string[], call: Call): Promise<PathIds> {
  const pathIds = await walkSteps(endpoints, call);
  for (const endpoint of endpoints.filter((one) => one.startsWith('GET '))) {
    await call(endpoint, pathOf(endpoint, pathIds), undefined, {});
  }
  return pathIds;
}

const QUERIES: Record<string, (pathIds: PathIds) => string> = {
  'GET /v1/audit': () => '?limit=2',
  'GET /v1/history': ({ checks }) => `?check_ids=${checks}`,
};

/** Path parameters of endpoints that need a particular resource of a collection, not the newest. */
const PARTICULAR: Record<string, (pathIds: PathIds) => PathIds> = {
  ...Object.fromEntries(
    ['GET', 'PUT', 'DELETE'].map((method) => [`${method} /v1/notify/channels/{id}`, channelOfAccount]),
  ),
  'POST /v1/notify/channels/{id}/test': channelOfAccount,
  'GET /v1/entities/{id}': ({ databases }) => (databases === undefined ? {} : { entities: databases }),
  'POST /v1/checks/{id}/run': ({ probed }) => (probed === undefined ? {} : { checks: probed }),
};

/** Returns the id of an account channel, because `channels` is the id of a channel of a check. */
function channelOfAccount({ account_channels }: PathIds): PathIds {
  return account_channels === undefined ? {} : { channels: account_channels };
}

/** Fills in the parameters of an endpoint, and adds its query, if any. Throws if a collection is empty. */
export function pathOf(endpoint: string, pathIds: PathIds): string {
  const parts = endpoint.slice(endpoint.indexOf(' ') + 1).split('/');
  const filled = parts.map((part, i) => {
    if (!part.startsWith('{')) return part;
    const value = { ...pathIds, ...PARTICULAR[endpoint]?.(pathIds) }[parts[i - 1]!];
    if (value === undefined)
      throw new Error(`${endpoint}: no step of infra/docs/example-steps.ts creates one of ${parts[i - 1]}.`);
    return encodeURIComponent(value);
  });
  return filled.join('/') + (QUERIES[endpoint]?.(pathIds) ?? '');
}
