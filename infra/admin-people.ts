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
import type { Command, CommandOutput, Options } from './admin-commands.ts';
import { UsageError } from './flags.ts';

export const PEOPLE_FLAGS = {
  label: { type: 'string' },
  expires: { type: 'string' },
  scopes: { type: 'string' },
  'check-ids': { type: 'string' },
  'entity-ids': { type: 'string' },
  skills: { type: 'string' },
  revoke: { type: 'boolean' },
} as const;

/** Who is in an account, and by what they get in: sign-in links, sessions and API keys. */
export const PEOPLE_COMMANDS: Record<string, Command> = {
  'user link': {
    takes: ['revoke'],
    names: ['account'],
    mayName: 'user',
    run: async (world, { revoke = false }, tenant, user) =>
      showLink(await linkByOperator({ ...world, tenant }, world.address, { userId: user || undefined, revoke })),
  },
  'session end': {
    takes: [],
    names: ['account'],
    mayName: 'user',
    run: async (world, _options, tenant, user) => {
      const scope = { ...world, tenant };
      await requireAccount(scope);
      const ids = user === '' ? (await allUsers(scope)).map(({ id }) => id) : [user];
      for (const id of ids) await endSessions(scope, id);
      return { text: `All sessions of ${user || `account ${tenant}`} have ended.`, json: { ended: ids } };
    },
  },
  'user list': {
    takes: [],
    names: ['account'],
    run: async (world, _options, tenant) => {
      const scope = { ...world, tenant };
      await requireAccount(scope);
      const all = await everything(userList(scope));
      return { text: all.map(userLine).join('\n'), json: all };
    },
  },
  'user role': {
    takes: [],
    names: ['account', 'user', 'role'],
    run: async (world, _options, tenant, id, role) => {
      const { data } = Role.safeParse(role);
      if (!data) throw new UsageError(`There is no role "${role}"; there are ${ROLES.join(', ')}.`);
      const scope = { ...world, tenant };
      await requireAccount(scope);
      const user = await setRole(scope, id, data);
      return { text: userLine(user), json: user };
    },
  },
  'key list': {
    takes: [],
    names: ['account'],
    run: async (world, _options, tenant) => {
      const scope = { ...world, tenant };
      await requireAccount(scope);
      const all = await everything(keyList(scope));
      return { text: all.map(keyLine).join('\n') || 'There are no keys.', json: all };
    },
  },
  'key delete': {
    takes: [],
    names: ['account', 'key'],
    run: async (world, _options, tenant, id) => {
      const scope = { ...world, tenant };
      await deleteKey(scope, await requireKey({ ...scope, caller: { role: 'admin', user_id: '' } }, id));
      return { text: `Key ${id} is refused from now on.`, json: { deleted: id } };
    },
  },
  'key issue': {
    takes: ['label', 'expires', 'scopes', 'check-ids', 'entity-ids', 'skills'],
    names: ['account'],
    run: async (world, options, tenant) => showKey(await issueAdminKey({ ...world, tenant }, newKeyIn(options))),
  },
};

/** With what is secret, for once. */
export const showKey = (key: IssuedKey): CommandOutput => ({
  text: `key      ${key.key}\nIt is not shown again.`,
  json: key,
});

/** With what is secret, for once. */
export const showLink = (link: SignInLink & { user_id: string }): CommandOutput => ({
  text: `sign in  ${link.url}\nIt is good once, until ${link.expires_at}, for user ${link.user_id}.`,
  json: link,
});

/** All of a list, however long. */
async function everything<T>(read: Reader<T>): Promise<T[]> {
  const most = Number.POSITIVE_INFINITY;
  return (await gather(read, { limit: most, maxBytes: most })).values;
}

const userLine = ({ id, role, status, email, name }: TeamMember): string =>
  [id, role.padEnd(9), status.padEnd(7), name === '' ? email : `${email} (${name})`].join('  ');

/** The key that options describe. Throws VALIDATION_ERROR. */
function newKeyIn({ label = 'Issued by the operator', expires, scopes, skills, ...more }: Options): NewKey {
  const listed = (list: string | undefined) => list?.split(',').map((one) => one.trim());
  const held = { scopes, skills, check_ids: more['check-ids'], entity_ids: more['entity-ids'] };
  return parse(NewKey, {
    label,
    ...Object.fromEntries(Object.entries(held).map(([name, list]) => [name, listed(list)])),
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
