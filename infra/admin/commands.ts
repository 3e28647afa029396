import { type parseFlags, UsageError } from '#infra/flags.ts';
import { type AccountItem, AccountPatch, accountRecord } from '#lib/access/account.ts';
import {
  changeNameAndEmail,
  createAccount,
  disableAccount,
  enableAccount,
  setLimits,
} from '#lib/access/change-account.ts';
import type { MutationContext } from '#lib/access/context.ts';
import { allAccounts, requireAccount } from '#lib/access/store.ts';
import { endAccount } from '#lib/end-account.ts';
import { linkByOperator } from '#lib/identity/sign-in-link.ts';
import { notFound } from '#lib/platform/errors.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { isId } from '#lib/platform/ids.ts';
import { setDomain } from '#lib/public/pages/change-page.ts';
import type { StatusPageItem } from '#lib/public/pages/status-page.ts';
import { AUDIT_FLAGS, auditCommand } from './audit.ts';
import { AWS_COMMANDS, AWS_FLAGS } from './aws.ts';
import { egressIn, LIMIT_FLAGS, LIMIT_OPTIONS, limitsIn } from './limits.ts';
import { PEOPLE_COMMANDS, PEOPLE_FLAGS, serviceAddress, showKey, showLink } from './people.ts';
import { STORE_COMMANDS, STORE_FLAGS } from './store.ts';

export const OPTIONS = {
  email: { type: 'string' },
  name: { type: 'string' },
  ...LIMIT_FLAGS,
  ...PEOPLE_FLAGS,
  ...AUDIT_FLAGS,
  ...STORE_FLAGS,
  ...AWS_FLAGS,
  /** Accepts an e-mail address that another account has. */
  'shared-email': { type: 'boolean' },
  confirm: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

export type Options = ReturnType<typeof parseFlags<typeof OPTIONS>>['options'];
export type CommandOutput = { text: string; json: unknown };
export type OperatorEnv = Pick<MutationContext, 'ports' | 'keys'> & {
  origin: 'operator';
  /** URL of the service in a browser; undefined on AWS without PUBLIC_URL. */
  address: string | undefined;
};
export type Command = {
  /** Options that the command accepts in addition to --json. */
  takes: readonly (keyof Options)[];
  operands: readonly ('account' | 'user' | 'key' | 'role' | 'page' | 'domain' | 'file')[];
  optionalOperand?: 'user';
} & (
  | { run(env: OperatorEnv, options: Options, ...operands: [string, string, string]): Promise<CommandOutput> }
  /** Uses the files of DATA_DIR, without the table. */
  | { runOnFiles(dir: string, options: Options, file: string): CommandOutput }
  /** Uses neither the table nor the files of DATA_DIR. */
  | { runAlone(options: Options, file: string): Promise<CommandOutput> }
);

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

const showAccount = (item: AccountItem): CommandOutput => ({ text: line(item), json: account(item) });
export const COMMANDS: Record<string, Command> = {
  'account create': {
    takes: ['email', 'name', 'egress', 'shared-email'],
    operands: [],
    run: async (env, options) => {
      const { email, name, 'shared-email': sharedEmail = false } = options;
      if (email === undefined || name === undefined) throw new UsageError('account create needs --email and --name.');
      const egress = egressIn(options);
      const address = serviceAddress(env);
      const created = await createAccount(env, { email, name, ...(egress && { egress }) }, { sharedEmail });
      const key = created.key.key;
      const link = await linkByOperator({ ...env, tenant: created.account.id }, address);
      const lines = [
        `account  ${created.account.id}`,
        `egress   ${EGRESS[created.account.egress]}`,
        showLink(link).text,
      ];
      return {
        text: [...lines, showKey(created.key).text].join('\n'),
        json: { account: account(created.account), key, sign_in_link: link },
      };
    },
  },
  'account list': {
    takes: [],
    operands: [],
    run: async ({ ports, keys }) => {
      const all = await allAccounts(ports, keys);
      return { text: all.map(line).join('\n') || 'No accounts.', json: all.map(account) };
    },
  },
  'account show': {
    takes: [],
    operands: ['account'],
    run: async (env, _options, tenant) => {
      const record = account(await requireAccount({ ...env, tenant }));
      const width = Math.max(...Object.keys(record).map((name) => name.length)) + 2;
      const lines = Object.entries(record).map(([name, value]) => name.padEnd(width) + textOf(value));
      return { text: lines.join('\n'), json: record };
    },
  },
  'account rename': {
    takes: ['email', 'name', 'shared-email'],
    operands: ['account'],
    run: async (env, { email, name, 'shared-email': sharedEmail = false }, tenant) => {
      if (email === undefined && name === undefined) throw new UsageError('account rename needs --name or --email.');
      const patch = parse(AccountPatch, { ...(name !== undefined && { name }), ...(email !== undefined && { email }) });
      return showAccount(await changeNameAndEmail({ ...env, tenant }, patch, sharedEmail));
    },
  },
  'account set-limits': {
    takes: LIMIT_OPTIONS,
    operands: ['account'],
    run: async (env, options, tenant) => {
      const { limits, rates } = limitsIn(options);
      return showAccount(await setLimits({ ...env, tenant }, limits, rates));
    },
  },
  'account disable': {
    takes: [],
    operands: ['account'],
    run: async (env, _options, tenant) => showAccount(await disableAccount({ ...env, tenant })),
  },
  'account enable': {
    takes: [],
    operands: ['account'],
    run: async (env, _options, tenant) => showAccount(await enableAccount({ ...env, tenant })),
  },
  'account delete': {
    takes: ['confirm'],
    operands: ['account'],
    run: async (env, { confirm }, tenant) => {
      await requireAccount({ ...env, tenant });
      if (confirm !== tenant) {
        throw new UsageError(`account delete cannot be undone. To confirm, repeat the id: --confirm ${tenant}`);
      }
      return showAccount(await endAccount({ ...env, tenant }));
    },
  },
  'status-page set-domain': {
    takes: [],
    operands: ['page', 'domain'],
    run: (env, _options, page, domain) => changeDomain(env, page, domain.toLowerCase()),
  },
  'status-page remove-domain': {
    takes: [],
    operands: ['page'],
    run: (env, _options, page) => changeDomain(env, page, undefined),
  },
  audit: auditCommand,
  ...PEOPLE_COMMANDS,
  ...STORE_COMMANDS,
  ...AWS_COMMANDS,
};

/** Changes the domain of a page. Searches all accounts for the page, because its id does not name its account. */
async function changeDomain(env: OperatorEnv, id: string, domain: string | undefined): Promise<CommandOutput> {
  const { ports, keys } = env;
  const accounts = isId('pag', id) ? await allAccounts(ports, keys) : [];
  const found = await ports.table.getMany<StatusPageItem>(accounts.map((one) => keys.statusPage(one.id, id)));
  const page = found.find((one) => one !== undefined);
  if (!page) throw notFound(`Status page ${id}`);
  await setDomain({ ...env, tenant: page.tenant_id }, id, domain);
  const text =
    domain === undefined
      ? `Page ${id} has no domain now. Its files at the old domain are removed within 5 minutes.`
      : `Page ${id} has the domain ${domain}, which STATUS_DOMAINS must contain.`;
  return { text, json: { id, account_id: page.tenant_id, domain: domain ?? null } };
}

const EGRESS = {
  public: 'public addresses only; account set-limits ID --egress any allows every address that CHECK_EGRESS allows',
  any: 'every address that CHECK_EGRESS allows',
};

const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
