import { expect } from 'vitest';
import type { Role } from '#lib/platform/http/access.ts';
import { assertDescribed } from './described.ts';
import { type Service, type Tenant, target, tenantOf } from './service.ts';

export type ApiResponse = {
  status: number;
  headers: Headers;
  /** Parsed body; undefined if the response has no body. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads responses of every shape
  body: any;
};

export type Request = {
  /** Sent as JSON; text and bytes are sent as they are. */
  body?: unknown;
  headers?: Record<string, string>;
};

export type Client = {
  key: string;
  send(method: string, path: string, request?: Request): Promise<ApiResponse>;
  get(path: string): Promise<ApiResponse>;
  post(path: string, body?: unknown): Promise<ApiResponse>;
  put(path: string, body?: unknown): Promise<ApiResponse>;
  del(path: string): Promise<ApiResponse>;
};

/**
 * Returns a client that calls a service with one key; with an empty key it sends no credentials. Every response is
 * validated against the API description.
 */
export function clientOf(url: string, key: string): Client {
  const send = async (method: string, path: string, { body, headers = {} }: Request = {}): Promise<ApiResponse> => {
    const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { ...(key && { authorization: `Bearer ${key}` }), 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: (raw ? body : JSON.stringify(body)) as string }),
    });
    const text = await response.text();
    const received = {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : isText(response) ? text : JSON.parse(text),
    };
    assertDescribed(method, path, received);
    return received;
  };
  return {
    key,
    send,
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, { body }),
    put: (path, body) => send('PUT', path, { body }),
    del: (path) => send('DELETE', path),
  };
}

const isText = ({ headers }: Response): boolean => headers.get('content-type')?.startsWith('text/') ?? false;

/** Returns the challenge of a 401. An AWS function URL renames the header. */
export const challengeOf = ({ headers }: Pick<ApiResponse, 'headers'>): string | null =>
  headers.get('www-authenticate') ?? headers.get('x-amzn-remapped-www-authenticate');

/** Creates an empty account. @returns a client of its admin */
export async function newTenant(): Promise<Client & Tenant> {
  const { url, createTenant } = await target();
  const tenant = await createTenant();
  return { ...clientOf(url, tenant.key), ...tenant };
}

/** Creates an empty account in a service of this process. */
export async function newTenantOf(service: Service): Promise<Client & Tenant> {
  const tenant = await tenantOf(service);
  return { ...clientOf(service.url, tenant.key), ...tenant };
}

/** Calls repeatedly, one after the other. @returns the responses */
export async function times(count: number, call: () => Promise<ApiResponse>): Promise<ApiResponse[]> {
  const responses: ApiResponse[] = [];
  for (let i = 0; i < count; i++) responses.push(await call());
  return responses;
}

/** Calls repeatedly. @returns the statuses */
export const statuses = async (count: number, call: () => Promise<ApiResponse>): Promise<number[]> =>
  (await times(count, call)).map(({ status }) => status);

/** Creates a key for the admin's account. @param body properties in addition to its label */
export async function keyOf(admin: Client, body: object = {}): Promise<Client & { id: string }> {
  const { url } = await target();
  const made = await admin.post('/v1/auth/keys', { label: 'Test key', ...body });
  if (made.status !== 201) throw new Error(`No key: ${JSON.stringify(made.body)}`);
  return { ...clientOf(url, made.body.key), id: made.body.id };
}

/** Adds a user to the admin's account by an invitation. `id` is that of the user. */
export async function memberOf(admin: Client, role: Role = 'member'): Promise<Client & { id: string }> {
  const { url } = await target();
  const email = `${role}-${++people}@example.com`;
  const invited = await admin.post('/v1/settings/users/invite', { email, role });
  const accepted = await clientOf(url, '').post('/v1/invitations/accept', {
    token: invited.body.invite_token,
    name: `Test ${role}`,
  });
  if (accepted.status !== 201) throw new Error(`No ${role}: ${JSON.stringify([invited.body, accepted.body])}`);
  return { ...clientOf(url, accepted.body.key), id: accepted.body.user.id };
}

let people = 0;

/** Matches an error response; with `path`, its only detail has that path. */
export const failure = (status: number, code: string, path?: string) => ({
  status,
  body: {
    code,
    error: SENTENCE,
    ...(path !== undefined && { details: [{ path, message: SENTENCE }] }),
  },
});

/** Matches a time in a response. */
export const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const SENTENCE = expect.stringMatching(/\w+ \w+/);
