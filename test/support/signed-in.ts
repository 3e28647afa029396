import { type Client, clientOf } from './client.ts';

/**
 * Signs a client in like a page of the service; it then authenticates with the session.
 * @param path of the sign-in: `/v1/sign-in/link`
 */
export async function signedIn(url: string, path: string, proof: object): Promise<Client> {
  const page = { 'x-fleetwatch': 'console', 'sec-fetch-site': 'same-origin' };
  const bare = clientOf(url, '');
  const response = await bare.send('POST', path, { body: proof, headers: page });
  if (response.status !== 201) throw new Error(JSON.stringify(response.body));
  const cookie = response.headers.getSetCookie()[0]!.split(';')[0]!;
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
