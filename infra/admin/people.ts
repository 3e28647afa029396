import { UsageError } from '#infra/flags.ts';
import { Role } from '#lib/access/account.ts';
import type { IssuedKey, KeyRecord } from '#lib/access/api-key.ts';
import { deleteKey, requireKey } from '#lib/access/change-key.ts';
import { issueAdminKey } from '#lib/access/issue-key.ts';
import { NewKey } from '#lib/access/new-key.ts';
import { allUsers, keyList, requireAccount } from '#lib/access/store.ts';
import { endSessions } from '#lib/identity/sessions/end-sessions.ts';
import { linkByOperator, type SignInLink } from '#lib/identity/sign-in-link.ts';
import { setRole } from '#lib/identity/team/change-user.ts';
import { type TeamMember, userList } from '#lib/identity/team/team.ts';
import { ROLES } from '#lib/platform/http/access.ts';
import { gather, type Reader } from '#lib/platform/http/paging.ts';
import { parse } from '#lib/platform/http/validation.ts';
import type { Command, CommandOutput, OperatorEnv, Options } from './commands.ts';

export const PEOPLE_FLAGS = {
  label: { type: 'string' },
  expires: { type: 'string' },
  scopes: { type: 'string' },
  'check-ids': { type: 'string' },
  'entity-ids': { type: 'string' },
  skills: { type: 'string' },
  revoke: { type: 'boolean' },
} as const;

export const PEOPLE_COMMANDS: Record<string, Command> = {
  'user link': {
    takes: ['revoke'],
    operands: ['account'],
    optionalOperand: 'user',
    run: async (env, { revoke = false }, tenant, user) =>
      showLink(await linkByOperator({ ...env, tenant }, serviceAddress(env), { userId: user || undefined, revoke })),
  },
  'session end': {
    takes: [],
    operands: ['account'],
    optionalOperand: 'user',
    run: async (env, _options, tenant, user) => {
      const scope = { ...env, tenant };
      await requireAccount(scope);
      const ids = user === '' ? (await allUsers(scope)).map(({ id }) => id) : [user];
      for (const id of ids) await endSessions(scope, id);
      return { text: `All sessions of ${user || `account ${tenant}`} were ended.`, json: { ended: ids } };
    },
  },
  'user list': {
    takes: [],
    operands: ['account'],
    run: async (env, _options, tenant) => {
      const scope = { ...env, tenant };
      await requireAccount(scope);
      const all = await readAll(userList(scope));
      return { text: all.map(userLine).join('\n'), json: all };
    },
  },
  'user role': {
    takes: [],
    operands: ['account', 'user', 'role'],
    run: async (env, _options, tenant, id, role) => {
      const { data } = Role.safeParse(role);
      if (!data) throw new UsageError(`"${role}" is not a role; use ${ROLES.join(', ')}.`);
      const scope = { ...env, tenant };
      await requireAccount(scope);
      const user = await setRole(scope, id, data);
      return { text: userLine(user), json: user };
    },
  },
  'key list': {
    takes: [],
    operands: ['account'],
    run: async (env, _options, tenant) => {
      const scope = { ...env, tenant };
      await requireAccount(scope);
      const all = await readAll(keyList(scope));
      return { text: all.map(keyLine).join('\n') || 'No keys.', json: all };
    },
  },
  'key delete': {
    takes: [],
    operands: ['account', 'key'],
    run: async (env, _options, tenant, id) => {
      const scope = { ...env, tenant };
      await deleteKey(scope, await requireKey({ ...scope, caller: { role: 'admin', user_id: '' } }, id));
      return { text: `Key ${id} was deleted and is no longer accepted.`, json: { deleted: id } };
    },
  },
  'key issue': {
    takes: ['label', 'expires', 'scopes', 'check-ids', 'entity-ids', 'skills'],
    operands: ['account'],
    run: async (env, options, tenant) => showKey(await issueAdminKey({ ...env, tenant }, newKeyIn(options))),
  },
};

/** Returns the address of the service, for a sign-in link. Throws UsageError if it is not known. */
export function serviceAddress({ address }: OperatorEnv): string {
  if (address !== undefined) return address;
  throw new UsageError(
    'A sign-in link needs the address of the service. Set PUBLIC_URL to the stack output ConsoleUrl.',
  );
}

/** Formats a new key with its secret, which is shown only once. */
export const showKey = (key: IssuedKey): CommandOutput => ({
  text: `key      ${key.key}\nThe key is not shown again.`,
  json: key,
});

/** Formats a sign-in link with its token, which is shown only once. */
export const showLink = (link: SignInLink & { user_id: string }): CommandOutput => ({
  text: `sign in  ${link.url}\nThe link works once, until ${link.expires_at}, for user ${link.user_id}.`,
  json: link,
});

async function readAll<T>(read: Reader<T>): Promise<T[]> {
  const unlimited = Number.POSITIVE_INFINITY;
  return (await gather(read, { limit: unlimited, maxBytes: unlimited })).values;
}

const userLine = ({ id, role, status, email, name }: TeamMember): string =>
  [id, role.padEnd(9), status.padEnd(7), name === '' ? email : `${email} (${name})`].join('  ');

/** Builds the key that the options describe. Throws VALIDATION_ERROR. */
function newKeyIn({ label = 'Issued by the operator', expires, scopes, skills, ...more }: Options): NewKey {
  const listed = (list: string | undefined) => list?.split(',').map((one) => one.trim());
  const restrictions = { scopes, skills, check_ids: more['check-ids'], entity_ids: more['entity-ids'] };
  return parse(NewKey, {
    label,
    ...Object.fromEntries(Object.entries(restrictions).map(([name, list]) => [name, listed(list)])),
    ...(expires !== undefined && { expires_at: expires }),
  });
}

const keyLine = (key: KeyRecord): string =>
  [
    key.id,
    `${key.prefix}…`,
    key.is_read_only ? 'read-only' : (key.scopes?.join(',') ?? 'full     '),
    key.expires_at === null ? 'no expiry' : `${key.status === 'expired' ? 'expired' : 'expires'} ${key.expires_at}`,
    key.created_by,
    key.label,
  ].join('  ');
