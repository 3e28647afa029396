import { disableAccount } from '#lib/access/change-account.ts';
import { type Access, type KeyScope, ROLES, type Role, SCOPES } from '#lib/platform/http/access.ts';
import { pushRoutes } from '#lib/results/pushes/push-routes.ts';
import { type Client, clientOf } from './client.ts';
import { type Service, tenantOf } from './service.ts';
import { signedIn } from './signed-in.ts';

/**
 * Everybody who may come, and what each access lets them do. It repeats what lib/platform/http/access.ts has: a test
 * that derived it from there would agree with whatever stands there.
 */

/** Who an access is for: the roles that may, and the scopes of which a key that has any needs one. */
const MAY: Record<Exclude<Access, 'open'>, { roles: readonly Role[]; scopes: readonly KeyScope[] }> = {
  read: { roles: ['viewer', 'responder', 'member', 'admin'], scopes: ['read', 'respond', 'write'] },
  changes: { roles: ['viewer', 'responder', 'member', 'admin'], scopes: ['read', 'respond', 'write', 'audit'] },
  respond: { roles: ['responder', 'member', 'admin'], scopes: ['respond'] },
  push: { roles: ['member', 'admin'], scopes: ['push'] },
  write: { roles: ['member', 'admin'], scopes: ['write'] },
  configure: { roles: ['admin'], scopes: ['write'] },
  mcp: { roles: ['viewer', 'responder', 'member', 'admin'], scopes: ['mcp'] },
  audit: { roles: ['admin'], scopes: ['audit'] },
  own: { roles: ['viewer', 'responder', 'member', 'admin'], scopes: [] },
  manage: { roles: ['admin'], scopes: [] },
};

/** What a request meets: a code, or nothing. */
export type Verdict = 'let in' | 'UNAUTHORIZED' | 'ACCOUNT_DISABLED' | 'READ_ONLY' | 'FORBIDDEN';

/** What is called, as far as it decides who may. */
type Row = { method: string; path: string; access: Access };

export type Caller = {
  who: string;
  client: Client;
  /** What is their own, in place of what the walk has made: `{ keys: 'key_…' }`. */
  own?: Record<string, string>;
  verdict: (row: Row) => Verdict;
};

type Held = { role: Role; scopes?: readonly KeyScope[] | null; is_read_only?: boolean };

/** Throws for an access that has no entry. */
export function verdictOn({ role, scopes = null, is_read_only = false }: Held, access: Access): Verdict {
  if (access === 'open') return 'let in';
  const may = MAY[access];
  if (!may) throw new Error(`Nobody has said in test/support/callers.ts who may ${access}.`);
  if (is_read_only && access !== 'read' && access !== 'changes') return 'READ_ONLY';
  if (scopes && !scopes.some((scope) => may.scopes.includes(scope))) return 'FORBIDDEN';
  return may.roles.includes(role) ? 'let in' : 'FORBIDDEN';
}

type At = Pick<Service, 'url'>;

const always =
  (verdict: Verdict): Caller['verdict'] =>
  ({ access }) =>
    access === 'open' ? 'let in' : verdict;

/** A client with a key of all that its user may, and what else is theirs. */
type Person = { role: Role; client: Client; own: Record<string, string> };

type Credential = {
  show: (service: At, person: Person) => Promise<Client>;
  /** Whether it is looked at there at all. */
  isTaken: (row: Row) => boolean;
};

/** How somebody shows who they are. A further kind of credential is a line here. */
const CREDENTIALS: Record<string, Credential> = {
  key: { show: async (_service, { client }) => client, isTaken: () => true },
  // The function of pushes takes Bearer alone.
  session: {
    show: ({ url }, { client: { key } }) => signedIn(url, '/v1/sign-in/key', { key }),
    isTaken: ({ method, path }) => !pushRoutes.some((row) => row.method === method && row.path === path),
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

/** One of each role in the admin's account. */
export const people = (service: At, admin: Client): Promise<Person[]> =>
  Promise.all(ROLES.map((role) => join(service, admin, role)));

/** A key that a client makes for itself. */
export async function keyMadeBy(service: At, maker: Client, body: object): Promise<Client & { id: string }> {
  const made = await maker.post('/v1/auth/keys', { label: 'Of the matrix', ...body });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return { ...clientOf(service.url, made.body.key), id: made.body.id };
}

/** With each credential each role, with a key each scope alone, and a read-only one. */
export async function callersByRight(service: At, team: Person[]): Promise<Caller[]> {
  const callers: Caller[] = [];
  for (const person of team) {
    const { role, client, own } = person;
    const add = (how: string, client: Client, held: Omit<Held, 'role'> = {}) =>
      callers.push({ who: `${role} ${how}`, client, own, verdict: (row) => verdictOn({ role, ...held }, row.access) });
    for (const [kind, { show, isTaken }] of Object.entries(CREDENTIALS)) {
      const verdict = (row: Row) => (isTaken(row) ? verdictOn({ role }, row.access) : always('UNAUTHORIZED')(row));
      callers.push({ who: `${role} by ${kind}`, client: await show(service, person), own, verdict });
    }
    for (const scope of SCOPES) {
      const scopes = [scope];
      add(`with the scope ${scope} alone`, await keyMadeBy(service, client, { scopes }), { scopes });
    }
    const held = { is_read_only: true };
    add('with a read-only key', await keyMadeBy(service, client, held), held);
  }
  return callers;
}

/**
 * Those who are refused whatever their role is, and those of rotated keys, for an hour later.
 * @param places what the account has
 */
export async function callersByKey(
  service: Service,
  admin: Client,
  places: { check: string; skill: string },
): Promise<Caller[]> {
  const full: Caller['verdict'] = ({ access }) => verdictOn({ role: 'admin' }, access);
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
  const { body: ofOther } = await admin.get(`/v1/checks/${places.check}`);
  const { body: other } = await admin.post('/v1/checks', {
    entity_id: ofOther.entity_id,
    check_type: 'push',
    name: 'another job',
    interval_seconds: 3600,
  });
  const disabled = await tenantOf(service);
  await disableAccount({ ...service, tenant: disabled.id, origin: 'operator' });
  return [
    { who: 'nobody', client: clientOf(service.url, ''), verdict: always('UNAUTHORIZED') },
    { who: 'an unknown key', client: clientOf(service.url, `fw_${'0'.repeat(43)}`), verdict: always('UNAUTHORIZED') },
    { who: 'an expired key', client: expired, verdict: always('UNAUTHORIZED') },
    { who: 'a key that will expire', client: lasting, verdict: full },
    { who: 'a rotated key during the overlap', client: overlapping, verdict: full },
    { who: 'the new key during the overlap', client: next, verdict: full },
    { who: 'a rotated key after the overlap', client: replaced, verdict: always('UNAUTHORIZED') },
    { who: 'the new key after the overlap', client: last, verdict: full },
    {
      who: 'a key of a disabled account',
      client: clientOf(service.url, disabled.key),
      verdict: always('ACCOUNT_DISABLED'),
    },
    {
      who: 'a key for another check',
      client: await make({ scopes: ['push'], check_ids: [other.id] }),
      verdict: always('FORBIDDEN'),
    },
    {
      who: 'a key for the tools of a skill',
      client: await make({ scopes: [...SCOPES], skills: [places.skill] }),
      verdict: always('FORBIDDEN'),
    },
  ];
}
