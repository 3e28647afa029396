import { STEPS_OF_ACCESS } from './access-example-steps.ts';
import { makeAuthenticator } from './authenticator.ts';
import { type Places, type RecordedReply, STEPS, WALKED_PAGE } from './example-steps.ts';
import { WALKED_PROVIDER } from './identity-provider.ts';

/**
 * Calls an endpoint by its row (`PUT /v1/checks/{id}`) on a path whose parameters are filled in. Redirects are answers.
 */
export type Call = (endpoint: string, path: string, body: unknown, headers: Record<string, string>) => Promise<Called>;
/** `body` is parsed, and undefined where there is none; `cookies` is every header Set-Cookie. */
type Called = { body: RecordedReply; cookies: readonly string[] };

/** Settings of the service that is walked over: the page at which its passkeys are used, and its identity provider. */
export const WALKED = { PUBLIC_URL: WALKED_PAGE, ...WALKED_PROVIDER };

const steps = [...STEPS, ...STEPS_OF_ACCESS];

/**
 * A walk over an API, in an empty account of a service with the settings of WALKED, whose net is the answering one
 * (record.ts): every step whose endpoint is among `endpoints`.
 * @returns what it has made
 */
export async function walkSteps(endpoints: readonly string[], call: Call): Promise<Places> {
  const places: Places = {};
  const answers: Record<string, RecordedReply> = {};
  const cookies = new Map<string, string>();
  const authenticator = makeAuthenticator({ algorithm: -8, seed: 'walk' });
  const asked = steps.filter((step) => endpoints.includes(step.for ?? step.endpoint));
  for (const { endpoint, body, byPage, at, query, made } of asked) {
    const headers: Record<string, string> = {
      ...(byPage && { origin: WALKED_PAGE, 'x-fleetwatch': 'console' }),
      ...(query && { cookie: [...cookies].map((pair) => pair.join('=')).join('; ') }),
    };
    const search = query ? `?${new URLSearchParams(query(answers))}` : '';
    const path = pathOf(endpoint, { ...places, ...at?.(answers) }) + search;
    const answer = await call(endpoint, path, body?.(places, answers, authenticator), headers);
    for (const told of answer.cookies) {
      const [name = '', value = ''] = told.split(/[=;]/, 2);
      cookies.set(name, value);
    }
    answers[endpoint] = answer.body;
    if (made) places[made[0]] = made[1].split('.').reduce((value, name) => value[name], answer.body);
  }
  return places;
}

/** The same, and then every GET. */
export async function walk(endpoints: readonly string[], call: Call): Promise<Places> {
  const places = await walkSteps(endpoints, call);
  for (const endpoint of endpoints.filter((one) => one.startsWith('GET '))) {
    await call(endpoint, pathOf(endpoint, places), undefined, {});
  }
  return places;
}

/** What an endpoint has to be asked for by its query. */
const QUERIES: Record<string, (places: Places) => string> = {
  'GET /v1/audit': () => '?limit=2',
  'GET /v1/history': ({ checks }) => `?check_ids=${checks}`,
};

/** Where an endpoint is called that not everything in its collection can do. */
const PLACED: Record<string, (places: Places) => Places> = {
  ...Object.fromEntries(
    ['GET', 'PUT', 'DELETE'].map((method) => [`${method} /v1/notify/channels/{id}`, channelOfAccount]),
  ),
  'POST /v1/notify/channels/{id}/test': channelOfAccount,
  'GET /v1/entities/{id}': ({ databases }) => (databases === undefined ? {} : { entities: databases }),
  'POST /v1/checks/{id}/run': ({ probed }) => (probed === undefined ? {} : { checks: probed }),
};

/** Those of a check are channels too. */
function channelOfAccount({ account_channels }: Places): Places {
  return account_channels === undefined ? {} : { channels: account_channels };
}

/**
 * The path of an endpoint, its parameters and what it needs of a query filled in. Throws when nothing stands in one of
 * its collections.
 */
export function pathOf(endpoint: string, places: Places): string {
  const parts = endpoint.slice(endpoint.indexOf(' ') + 1).split('/');
  const filled = parts.map((part, i) => {
    if (!part.startsWith('{')) return part;
    const place = { ...places, ...PLACED[endpoint]?.(places) }[parts[i - 1]!];
    if (place === undefined)
      throw new Error(`${endpoint}: no step of infra/docs/example-steps.ts makes one of ${parts[i - 1]}.`);
    return encodeURIComponent(place);
  });
  return filled.join('/') + (QUERIES[endpoint]?.(places) ?? '');
}
