import { expect } from 'vitest';
import type { Role } from '#lib/platform/http/access.ts';
import { assertDescribed } from './described.ts';
import { type Service, type Tenant, target, tenantOf } from './service.ts';

export type Answer = {
  status: number;
  headers: Headers;
  /** Parsed; undefined when there was none. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  body: any;
};

export type Request = {
  /** Sent as JSON, or as it is when it is a text or bytes. */
  body?: unknown;
  headers?: Record<string, string>;
};

export type Client = {
  key: string;
  send(method: string, path: string, request?: Request): Promise<Answer>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  put(path: string, body?: unknown): Promise<Answer>;
  del(path: string): Promise<Answer>;
};

/** Calls a service with one key; an empty key sends none. Every answer is held to the API's own description. */
export function clientOf(url: string, key: string): Client {
  const send = async (method: string, path: string, { body, headers = {} }: Request = {}): Promise<Answer> => {
    const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: { ...(key && { authorization: `Bearer ${key}` }), 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: (raw ? body : JSON.stringify(body)) as string }),
    });
    const text = await response.text();
    const answer = {
      status: response.status,
      headers: response.headers,
      body: text === '' ? undefined : isText(response) ? text : JSON.parse(text),
    };
    assertDescribed(method, path, answer);
    return answer;
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

const isText = ({ headers }: Response): boolean => headers.get('content-type')?.startsWith('text/plain') ?? false;

/** What a 401 asks for. A function URL of AWS gives the header another name. */
export const challengeOf = ({ headers }: Pick<Answer, 'headers'>): string | null =>
  headers.get('www-authenticate') ?? headers.get('x-amzn-remapped-www-authenticate');

/** An admin of a new, empty account. */
export async function newTenant(): Promise<Client & Tenant> {
  const { url, createTenant } = await target();
  const tenant = await createTenant();
  return { ...clientOf(url, tenant.key), ...tenant };
}

/** The same of a service in this process. */
export async function newTenantOf(service: Service): Promise<Client & Tenant> {
  const tenant = await tenantOf(service);
  return { ...clientOf(service.url, tenant.key), ...tenant };
}

/** The answers to so many calls, one after the other. */
export async function times(count: number, call: () => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let i = 0; i < count; i++) answers.push(await call());
  return answers;
}

/** Their statuses alone. */
export const statuses = async (count: number, call: () => Promise<Answer>): Promise<number[]> =>
  (await times(count, call)).map(({ status }) => status);

/** A key of the same account, made with `body` beside its label. */
export async function keyOf(admin: Client, body: object = {}): Promise<Client & { id: string }> {
  const { url } = await target();
  const made = await admin.post('/v1/auth/keys', { label: 'Test key', ...body });
  if (made.status !== 201) throw new Error(`No key: ${JSON.stringify(made.body)}`);
  return { ...clientOf(url, made.body.key), id: made.body.id };
}

/** Somebody invited to the same account, who has accepted. `id` is that of the user. */
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

/** What an error answer looks like; with `path`, that its one detail is about that place. */
export const failure = (status: number, code: string, path?: string) => ({
  status,
  body: {
    code,
    error: SENTENCE,
    ...(path !== undefined && { details: [{ path, message: SENTENCE }] }),
  },
});

/** A time as answers have it. */
export const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const SENTENCE = expect.stringMatching(/\w+ \w+/);
