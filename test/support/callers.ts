import { disableAccount } from '#lib/access/change-account.ts';
import { type Access, type KeyScope, ROLES, type Role, SCOPES } from '#lib/platform/http/access.ts';
import { pushRoutes } from '#lib/results/pushes/push-routes.ts';
import { type Client, clientOf } from './client.ts';
import { type Service, tenantOf } from './service.ts';
import { signedIn } from './signed-in.ts';

/**
 * All kinds of callers and the permissions of each. This file repeats lib/platform/http/access.ts, because a test that
 * derived the permissions from there would agree with any content.
 */

/** Roles that have an access, and the scopes of which a restricted key needs one. */
const PERMITTED: Record<Exclude<Access, 'open'>, { roles: readonly Role[]; scopes: readonly KeyScope[] }> = {
  read: { roles: ['viewer', 'responder', 'member', 'admin'], scopes: ['read', 'respond', 'write'] },
  changes: { roles: ['viewer', 'responder', 'member', 'admin'], scopes: ['read', 'respond', 'write', 'audit'] },
  respond: { roles: ['responder', 'member', 'admin'], scopes: ['respond'] },
  suppress: { roles: ['responder', 'member', 'admin'], scopes: ['respond', 'write'] },
  push: { roles: ['member', 'admin'], scopes: ['push'] },
  write: { roles: ['member', 'admin'], scopes: ['write'] },
  configure: { roles: ['admin'], scopes: ['write'] },
  mcp: { roles: ['viewer', 'responder', 'member', 'admin'], scopes: ['mcp'] },
  audit: { roles: ['admin'], scopes: ['audit'] },
  metrics: {
    roles: ['viewer', 'responder', 'member', 'admin'],
    scopes: ['metrics', 'read', 'respond', 'write'],
  },
  own: { roles: ['viewer', 'responder', 'member', 'admin'], scopes: [] },
  manage: { roles: ['admin'], scopes: [] },
};

/** Outcome of authorization: an error code or "let in". */
export type Outcome = 'let in' | 'UNAUTHORIZED' | 'ACCOUNT_DISABLED' | 'READ_ONLY' | 'FORBIDDEN';

/** The properties of a route that decide about permissions. */
type Route = { method: string; path: string; access: Access };

export type Caller = {
  who: string;
  client: Client;
  /** Ids of the caller's own records, instead of the ids of the walk: `{ keys: 'key_…' }`. */
  own?: Record<string, string>;
  outcome: (route: Route) => Outcome;
};

type Permissions = { role: Role; scopes?: readonly KeyScope[] | null; is_read_only?: boolean };

/** Returns the outcome for a caller. Throws for an access that has no entry. */
export function expectedOutcome({ role, scopes = null, is_read_only = false }: Permissions, access: Access): Outcome {
  if (access === 'open') return 'let in';
  const permitted = PERMITTED[access];
  if (!permitted) throw new Error(`test/support/callers.ts has no entry for the access ${access}.`);
  if (is_read_only && !['read', 'changes', 'metrics'].includes(access)) return 'READ_ONLY';
  if (scopes && !scopes.some((scope) => permitted.scopes.includes(scope))) return 'FORBIDDEN';
  return permitted.roles.includes(role) ? 'let in' : 'FORBIDDEN';
}

type At = Pick<Service, 'url'>;

const always =
  (outcome: Outcome): Caller['outcome'] =>
  ({ access }) =>
    access === 'open' ? 'let in' : outcome;

/** A client with an unrestricted key of its user, and other records of that user. */
type Person = { role: Role; client: Client; own: Record<string, string> };

type Credential = {
  /** Returns a client that authenticates with this credential of a person. */
  show: (service: At, person: Person) => Promise<Client>;
  /** Whether the route accepts this kind of credential. */
  isAccepted: (route: Route) => boolean;
};

/** Kinds of credentials. To add one, add an entry. */
const CREDENTIALS: Record<string, Credential> = {
  key: { show: async (_service, { client }) => client, isAccepted: () => true },
  // The function that receives pushes accepts only keys as Bearer tokens.
  session: {
    show: ({ url }, { client: { key } }) => signedIn(url, '/v1/sign-in/key', { key }),
    isAccepted: ({ method, path }) => !pushRoutes.some((route) => route.method === method && route.path === path),
  },
};

async function join(service: At, admin: Client, role: Role): Promise<Person> {
  const { body: invited } = await admin.post('/v1/settings/users/invite', { email: `${role}@matrix.example`, role });
  const { body } = await clientOf(service.url, '').post('/v1/invitations/accept', {
    token: invited.invite_token,
    name: role,
  });
  const client = clientOf(service.url, body.key);
  const { body: session } = await client.post('/v1/sign-in/key', { key: body.key });
  return { role, client, own: { keys: (await keyMadeBy(service, client, {})).id, sessions: session.id } };
}

/** Adds a user of each role to the admin's account. */
export const people = (service: At, admin: Client): Promise<Person[]> =>
  Promise.all(ROLES.map((role) => join(service, admin, role)));

/** Creates a key with the key of a client, for the user of that client. */
export async function keyMadeBy(service: At, maker: Client, body: object): Promise<Client & { id: string }> {
  const made = await maker.post('/v1/auth/keys', { label: 'Matrix key', ...body });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return { ...clientOf(service.url, made.body.key), id: made.body.id };
}

/** Returns callers for each role with each credential, with a key of each single scope, and with a read-only key. */
export async function callersByRight(service: At, team: Person[]): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (const person of team) {
    const { role, client, own } = person;
    const add = (how: string, client: Client, held: Omit<Permissions, 'role'> = {}) =>
      callers.push({
        who: `${role} ${how}`,
        client,
        own,
        outcome: (route) => expectedOutcome({ role, ...held }, route.access),
      });
    for (const [kind, { show, isAccepted }] of Object.entries(CREDENTIALS)) {
      const outcome = (route: Route) =>
        isAccepted(route) ? expectedOutcome({ role }, route.access) : always('UNAUTHORIZED')(route);
      callers.push({ who: `${role} by ${kind}`, client: await show(service, person), own, outcome });
    }
    for (const scope of SCOPES) {
      const scopes = [scope];
      add(`with the scope ${scope} only`, await keyMadeBy(service, client, { scopes }), { scopes });
    }
    const held = { is_read_only: true };
    add('with a read-only key', await keyMadeBy(service, client, held), held);
  }
  return callers;
}

/**
 * Returns callers whose outcome does not depend on their role, and callers with expiring and rotated keys. Their
 * `outcome` applies an hour after the call.
 * @param records ids of records of the account
 */
export async function callersByKey(
  service: Service,
  admin: Client,
  records: { check: string; skill: string },
): Promise<Caller[]> {
  const full: Caller['outcome'] = ({ access }) => expectedOutcome({ role: 'admin' }, access);
  const ahead = (ms: number) => new Date(service.ports.clock.now() + ms).toISOString();
  const make = (body: object = {}) => keyMadeBy(service, admin, body);
  const rotate = async (id: string, overlap_seconds: number) => {
    const { body } = await admin.post(`/v1/auth/keys/${id}/rotate`, { overlap_seconds });
    return clientOf(service.url, body.key);
  };
  const [expired, lasting, overlapping, replaced] = [
    await make({ expires_at: ahead(61_000) }),
    await make({ expires_at: ahead(86_400_000) }),
    await make(),
    await make(),
  ];
  const [next, last] = [await rotate(overlapping.id, 7200), await rotate(replaced.id, 60)];
  const { body: existing } = await admin.get(`/v1/checks/${records.check}`);
  const { body: other } = await admin.post('/v1/checks', {
    entity_id: existing.entity_id,
    check_type: 'push',
    name: 'another job',
    interval_seconds: 3600,
  });
  const disabled = await tenantOf(service);
  await disableAccount({ ...service, tenant: disabled.id, origin: 'operator' });
  return [
    { who: 'an anonymous caller', client: clientOf(service.url, ''), outcome: always('UNAUTHORIZED') },
    { who: 'an unknown key', client: clientOf(service.url, `fw_${'0'.repeat(43)}`), outcome: always('UNAUTHORIZED') },
    { who: 'an expired key', client: expired, outcome: always('UNAUTHORIZED') },
    { who: 'a key that will expire', client: lasting, outcome: full },
    { who: 'a rotated key during the overlap', client: overlapping, outcome: full },
    { who: 'the new key during the overlap', client: next, outcome: full },
    { who: 'a rotated key after the overlap', client: replaced, outcome: always('UNAUTHORIZED') },
    { who: 'the new key after the overlap', client: last, outcome: full },
    {
      who: 'a key of a disabled account',
      client: clientOf(service.url, disabled.key),
      outcome: always('ACCOUNT_DISABLED'),
    },
    {
      who: 'a key restricted to another check',
      client: await make({ scopes: ['push'], check_ids: [other.id] }),
      outcome: always('FORBIDDEN'),
    },
    {
      who: 'a key restricted to a skill',
      client: await make({ scopes: [...SCOPES], skills: [records.skill] }),
      outcome: always('FORBIDDEN'),
    },
  ];
}
