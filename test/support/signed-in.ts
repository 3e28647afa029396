import { type Client, clientOf } from './client.ts';

/**
 * A client that came by a way in, as a page of the service does, and calls with the session from then on.
 * @param path of the way in: `/v1/sign-in/link`
 */
export async function signedIn(url: string, path: string, proof: object): Promise<Client> {
  const page = { 'x-fleetwatch': 'console', 'sec-fetch-site': 'same-origin' };
  const bare = clientOf(url, '');
  const answer = await bare.send('POST', path, { body: proof, headers: page });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  const cookie = answer.headers.getSetCookie()[0]!.split(';')[0]!;
  const send: Client['send'] = (method, path, { body, headers } = {}) =>
    bare.send(method, path, { ...(body !== undefined && { body }), headers: { ...page, cookie, ...headers } });
  return {
    key: '',
    send,
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, { body }),
    put: (path, body) => send('PUT', path, { body }),
    del: (path) => send('DELETE', path),
  };
}
