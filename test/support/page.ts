import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ApiResponse } from './client.ts';
import { assertDescribed } from './described.ts';

type Sending = {
  body?: unknown;
  /** Added to, or replacing, the headers of a same-origin page. A header with the value undefined is not sent. */
  headers?: Record<string, string | undefined>;
};

/** A page of the service in a browser: the headers it sends, and its cookies. */
export type Page = {
  /** Cookies by name. */
  cookies: Map<string, string>;
  send(method: string, path: string, sending?: Sending): Promise<ApiResponse>;
  get(path: string): Promise<ApiResponse>;
  post(path: string, body?: unknown): Promise<ApiResponse>;
  del(path: string): Promise<ApiResponse>;
};

/**
 * Opens a page at `url`. Unlike fetch it can send Host, Origin and Sec-Fetch-Site.
 * @param ca PEM of an authority to trust
 */
export function pageAt(url: string, { ca }: { ca?: string } = {}): Page {
  const { origin, host } = new URL(url);
  const cookies = new Map<string, string>();
  const send = async (method: string, path: string, { body, headers = {} }: Sending = {}): Promise<ApiResponse> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const own = {
      host,
      'sec-fetch-site': 'same-origin',
      'x-fleetwatch': 'console',
      ...(method !== 'GET' && { origin }),
      ...(cookie && { cookie }),
    };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = Object.entries({ ...own, ...headers }).filter(([, value]) => value !== undefined) as [
      string,
      string,
    ][];
    const response = await exchange(new URL(url + path), method, Object.fromEntries(sent), text, ca);
    for (const set of response.headers.getSetCookie()) keep(cookies, set);
    assertDescribed(method, path, response);
    return response;
  };
  return {
    cookies,
    send,
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, { body }),
    del: (path) => send('DELETE', path),
  };
}

/** Applies a Set-Cookie header; an age of 0 removes the cookie. */
function keep(cookies: Map<string, string>, set: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
  if (/;\s*max-age=0/i.test(set)) cookies.delete(name);
  else cookies.set(name, value);
}

function exchange(
  url: URL,
  method: string,
  headers: Record<string, string>,
  body: string | undefined,
  ca: string | undefined,
): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent: false as const, ...(ca !== undefined && { ca }) };
    const sending = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(parts).toString();
        const given = new Headers();
        for (const [name, values] of Object.entries(response.headersDistinct)) {
          for (const value of values ?? []) given.append(name, value);
        }
        const isJson = given.get('content-type')?.startsWith('application/json');
        resolve({ status: response.statusCode!, headers: given, body: isJson && text ? JSON.parse(text) : undefined });
      });
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

/** Returns the page of a user who has signed in with a key. */
export async function signedInWith(url: string, key: string): Promise<Page> {
  const page = pageAt(url);
  const response = await page.post('/v1/sign-in/key', { key });
  if (response.status !== 201) throw new Error(`No session: ${JSON.stringify(response.body)}`);
  return page;
}

/** Returns the page of a user who has signed in with a link. */
export async function signedInByLink(
  url: string,
  admin: { post(path: string, body?: unknown): Promise<ApiResponse> },
  userId: string,
): Promise<Page> {
  const made = await admin.post(`/v1/settings/users/${userId}/sign-in-link`);
  const page = pageAt(url);
  const response = await page.post('/v1/sign-in/link', { token: tokenOf(made.body.url) });
  if (response.status !== 201) throw new Error(`No session: ${JSON.stringify([made.body, response.body])}`);
  return page;
}

/** Returns the token of a sign-in link. */
export const tokenOf = (url: string): string => /#\/link\/(fwl_\w+)$/.exec(url)?.[1] ?? '';
