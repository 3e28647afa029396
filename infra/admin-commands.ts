import { type AccountItem, AccountPatch, accountRecord, Role } from '#lib/access/account.ts';
import type { IssuedKey, KeyRecord } from '#lib/access/api-key.ts';
import { disableAccount, enableAccount, renameAccount, setLimits } from '#lib/access/change-account.ts';
import type { Changing } from '#lib/access/context.ts';
import { createAccount } from '#lib/access/create-account.ts';
import { deleteKey, requireKey } from '#lib/access/delete-key.ts';
import { issueAdminKey } from '#lib/access/issue-key.ts';
import { NewKey } from '#lib/access/new-key.ts';
import { endSessions } from '#lib/access/sessions/end-sessions.ts';
import { allAccounts, allUsers, keyList, requireAccount, userList } from '#lib/access/store.ts';
import { setRole } from '#lib/access/team/change-user.ts';
import { linkByOperator, type SignInLink } from '#lib/access/team/sign-in-link.ts';
import type { TeamMember } from '#lib/access/team/team.ts';
import { endAccount } from '#lib/end-account.ts';
import { ROLES } from '#lib/platform/http/access.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { gather, type Reader } from '#lib/platform/table/paging.ts';
import { AUDIT_FLAGS, auditCommand } from './admin-audit.ts';
import { egressIn, LIMIT_FLAGS, LIMIT_OPTIONS, limitsIn } from './admin-limits.ts';
import { type parseFlags, UsageError } from './flags.ts';

export const OPTIONS = {
  email: { type: 'string' },
  name: { type: 'string' },
  label: { type: 'string' },
  expires: { type: 'string' },
  scopes: { type: 'string' },
  'check-ids': { type: 'string' },
  'entity-ids': { type: 'string' },
  skills: { type: 'string' },
  ...LIMIT_FLAGS,
  ...AUDIT_FLAGS,
  again: { type: 'boolean' },
  confirm: { type: 'string' },
  revoke: { type: 'boolean' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

export type Options = ReturnType<typeof parseFlags<typeof OPTIONS>>['options'];
/** `text` is for people, `json` for programs. */
type Answer = { text: string; json: unknown };
export type OperatorEnv = Pick<Changing, 'ports' | 'keys'> & {
  origin: 'operator';
  /** Of the service, in a browser. */
  address: string;
};
export type Command = {
  /** Options it understands beside --json. */
  takes: readonly (keyof Options)[];
  /** What it names, in their order: ids, and a role. */
  names: readonly ('account' | 'user' | 'key' | 'role')[];
  /** What it names beyond that, where it is there. */
  mayName?: 'user';
  run(world: OperatorEnv, options: Options, ...names: [string, string, string]): Promise<Answer>;
};

const account = (item: AccountItem) => ({
  ...accountRecord(item),
  rate_limits: item.rate_limits,
  disabled: item.disabled,
  created_at: item.created_at,
  ...(item.deleted_at && { deleted_at: item.deleted_at }),
});

const line = (item: AccountItem): string =>
  [
    item.id,
    item.deleted_at ? 'deleted ' : item.disabled ? 'disabled' : 'enabled ',
    `blueprints ${item.blueprint_limit}, entities ${item.entity_limit_per_bp}, checks ${item.check_limit_per_entity},`,
    `${item.retention_days} days, egress ${item.egress}`,
    `${item.email} (${item.name})`,
  ].join('  ');

const showAccount = (item: AccountItem): Answer => ({ text: line(item), json: account(item) });
const showKey = (key: IssuedKey): Answer => ({ text: `key      ${key.key}\nIt is not shown again.`, json: key });

const showLink = (link: SignInLink & { user_id: string }): Answer => ({
  text: `sign in  ${link.url}\nIt is good once, until ${link.expires_at}, for user ${link.user_id}.`,
  json: link,
});

export const COMMANDS: Record<string, Command> = {
  'account create': {
    takes: ['email', 'name', 'egress', 'again'],
    names: [],
    run: async (env, options) => {
      const { email, name, again = false } = options;
      if (email === undefined || name === undefined) throw new UsageError('account create needs --email and --name.');
      const egress = egressIn(options);
      const made = await createAccount(env, { email, name, ...(egress && { egress }) }, { again });
      const key = made.key.key;
      const link = await linkByOperator({ ...env, tenant: made.account.id }, env.address);
      const lines = [`account  ${made.account.id}`, `egress   ${EGRESS[made.account.egress]}`, showLink(link).text];
      return {
        text: [...lines, showKey(made.key).text].join('\n'),
        json: { account: account(made.account), key, sign_in_link: link },
      };
    },
  },
  'account list': {
    takes: [],
    names: [],
    run: async ({ ports, keys }) => {
      const all = await allAccounts(ports, keys);
      return { text: all.map(line).join('\n') || 'There are no accounts.', json: all.map(account) };
    },
  },
  'account show': {
    takes: [],
    names: ['account'],
    run: async (world, _options, tenant) => {
      const shown = account(await requireAccount({ ...world, tenant }));
      const width = Math.max(...Object.keys(shown).map((name) => name.length)) + 2;
      const lines = Object.entries(shown).map(([name, value]) => name.padEnd(width) + told(value));
      return { text: lines.join('\n'), json: shown };
    },
  },
  'account rename': {
    takes: ['email', 'name', 'again'],
    names: ['account'],
    run: async (world, { email, name, again = false }, tenant) => {
      if (email === undefined && name === undefined) throw new UsageError('account rename needs --name or --email.');
      const patch = parse(AccountPatch, { ...(name !== undefined && { name }), ...(email !== undefined && { email }) });
      return showAccount(await renameAccount({ ...world, tenant }, patch, again));
    },
  },
  'account set-limits': {
    takes: LIMIT_OPTIONS,
    names: ['account'],
    run: async (world, options, tenant) => {
      const { limits, rates } = limitsIn(options);
      return showAccount(await setLimits({ ...world, tenant }, limits, rates));
    },
  },
  'account disable': {
    takes: [],
    names: ['account'],
    run: async (world, _options, tenant) => showAccount(await disableAccount({ ...world, tenant })),
  },
  'account enable': {
    takes: [],
    names: ['account'],
    run: async (world, _options, tenant) => showAccount(await enableAccount({ ...world, tenant })),
  },
  'account delete': {
    takes: ['confirm'],
    names: ['account'],
    run: async (world, { confirm }, tenant) => {
      await requireAccount({ ...world, tenant });
      if (confirm !== tenant) {
        throw new UsageError(`account delete cannot be undone. To go on, repeat the id: --confirm ${tenant}`);
      }
      return showAccount(await endAccount({ ...world, tenant }));
    },
  },
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
  audit: auditCommand,
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

const EGRESS = {
  public: 'public addresses only; account set-limits ID --egress any lets it go wherever the service may',
  any: 'wherever the service may go (CHECK_EGRESS)',
};

/** All of a list, however long. */
async function everything<T>(read: Reader<T>): Promise<T[]> {
  const most = Number.POSITIVE_INFINITY;
  return (await gather(read, { limit: most, maxBytes: most })).values;
}

/** A member of a record, for people. */
const told = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

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
