import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openTable } from '#infra/local/sqlite-table.ts';
import { STORE_FILE } from '#infra/local/store.ts';
import { type AccountItem, accountRecord } from '#lib/access/account.ts';
import type { IssuedKey } from '#lib/access/api-key.ts';
import { disableAccount, enableAccount, setLimits } from '#lib/access/change-account.ts';
import type { Scope } from '#lib/access/context.ts';
import { createAccount } from '#lib/access/create-account.ts';
import { issueAdminKey } from '#lib/access/issue-key.ts';
import { allAccounts } from '#lib/access/store.ts';
import { keyTable } from '#lib/keys.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { AppError } from '#lib/platform/errors.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { Table } from '#lib/platform/ports.ts';
import { readSettings } from '#lib/platform/settings.ts';
import { LIMIT_OPTIONS, LIMIT_USAGE, limitsIn } from './admin-limits.ts';

const USAGE = `The operator's commands. They work beside a running service.

  npm run admin -- account create --email E --name N     make an account; prints its admin key, once
  npm run admin -- account list                          all accounts
  npm run admin -- account set-limits ID                 what is not named stays as it is
${LIMIT_USAGE}
  npm run admin -- account disable ID                    its keys are refused, its checks and actions rest
  npm run admin -- account enable ID
  npm run admin -- key issue ID [--label L]              a further key of the account's first admin

  --json prints JSON. Set DATA_DIR as for the service (default .data), or TABLE_NAME for one deployed on AWS, with
  credentials and AWS_REGION in the environment. With npm run --silent only the answer is printed.
`;

const OPTIONS = {
  email: { type: 'string' },
  name: { type: 'string' },
  label: { type: 'string' },
  ...(Object.fromEntries(LIMIT_OPTIONS.map((name) => [name, { type: 'string' }])) as {
    [K in (typeof LIMIT_OPTIONS)[number]]: { type: 'string' };
  }),
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type Options = ReturnType<typeof parse>['options'];
/** `text` is for people, `json` for programs. */
type Answer = { text: string; json: unknown };
type World = Omit<Scope, 'tenant'>;
type Command = {
  /** Options it understands beside --json. */
  takes: readonly (keyof Options)[];
  /** It names an account. */
  id: boolean;
  run(world: World, options: Options, id: string): Promise<Answer>;
};

/** What the operator typed cannot be done: one sentence, exit code 2. */
class UsageError extends Error {}

const account = (item: AccountItem) => ({
  ...accountRecord(item),
  rate_limits: item.rate_limits,
  disabled: item.disabled,
  created_at: item.created_at,
});

const line = (item: AccountItem): string =>
  [
    item.id,
    item.disabled ? 'disabled' : 'enabled ',
    `blueprints ${item.blueprint_limit}, entities ${item.entity_limit_per_bp}, checks ${item.check_limit_per_entity},`,
    `${item.retention_days} days`,
    `${item.email} (${item.name})`,
  ].join('  ');

const showAccount = (item: AccountItem): Answer => ({ text: line(item), json: account(item) });
const showKey = (key: IssuedKey): Answer => ({ text: `key      ${key.key}\nIt is not shown again.`, json: key });

const COMMANDS: Record<string, Command> = {
  'account create': {
    takes: ['email', 'name'],
    id: false,
    run: async ({ ports, keys }, { email, name }) => {
      if (email === undefined || name === undefined) throw new UsageError('account create needs --email and --name.');
      const made = await createAccount(ports, keys, { email, name });
      const key = made.key.key;
      return {
        text: `account  ${made.account.id}\n${showKey(made.key).text}`,
        json: { account: account(made.account), key },
      };
    },
  },
  'account list': {
    takes: [],
    id: false,
    run: async ({ ports, keys }) => {
      const all = await allAccounts(ports, keys);
      return { text: all.map(line).join('\n') || 'There are no accounts.', json: all.map(account) };
    },
  },
  'account set-limits': {
    takes: LIMIT_OPTIONS,
    id: true,
    run: async (world, options, tenant) => {
      const { limits, rates } = limitsIn(options);
      return showAccount(await setLimits({ ...world, tenant }, limits, rates));
    },
  },
  'account disable': {
    takes: [],
    id: true,
    run: async (world, _options, tenant) => showAccount(await disableAccount({ ...world, tenant })),
  },
  'account enable': {
    takes: [],
    id: true,
    run: async (world, _options, tenant) => showAccount(await enableAccount({ ...world, tenant })),
  },
  'key issue': {
    takes: ['label'],
    id: true,
    run: async (world, { label }, tenant) =>
      showKey(await issueAdminKey({ ...world, tenant }, label ?? 'Issued by the operator')),
  },
};

function parse(args: string[]) {
  try {
    const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
    return { options: values, words: positionals };
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** The command that the words name, judged as a whole before anything is opened. */
function commandOf(words: string[], options: Options): { command: Command; id: string } {
  const name = words.slice(0, 2).join(' ');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new UsageError(`There is no command "${name}"; there are ${Object.keys(COMMANDS).join(', ')}.`);
  const [id, ...rest] = words.slice(2);
  if (command.id && id === undefined)
    throw new UsageError(`${name} needs the id of an account; account list shows them.`);
  const extra = command.id ? rest[0] : id;
  if (extra !== undefined) throw new UsageError(`${name} does not take "${extra}".`);
  for (const option of Object.keys(options) as (keyof Options)[]) {
    const known = option === 'json' || option === 'help' || command.takes.includes(option);
    if (!known) throw new UsageError(`${name} does not take --${option}.`);
  }
  return { command, id: id ?? '' };
}

type Opened = { world: World; close: () => void };

/** The table of the service: the deployed one that TABLE_NAME names, else the file in DATA_DIR. */
async function openWorld(env: NodeJS.ProcessEnv, mayCreate: boolean): Promise<Opened> {
  const ids = makeIds(systemClock);
  const worldOn = (table: Table) => ({
    ports: { table, clock: systemClock, ids },
    keys: keyTable(readSettings(env)),
  });
  if (env.TABLE_NAME) {
    // Loaded only here: on one machine nobody waits for the AWS SDK.
    const { deployedTable } = await import('#lib/platform/aws/deployed-table.ts');
    const table = deployedTable(env.TABLE_NAME);
    return { world: worldOn(table), close: table.close };
  }
  const dir = env.DATA_DIR || '.data';
  const file = join(dir, STORE_FILE);
  if (!existsSync(file) && !mayCreate) {
    throw new UsageError(
      `There is no service in ${dir} yet. Set DATA_DIR to where it keeps its data, or start it once.`,
    );
  }
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const table = openTable({ file });
  return { world: worldOn(table), close: () => table.store.close() };
}

async function main(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const { options, words } = parse(args);
  if (options.help || words.length === 0) {
    console.log(USAGE);
    return options.help ? 0 : 2;
  }
  const { command, id } = commandOf(words, options);
  const { world, close } = await openWorld(env, command === COMMANDS['account create']);
  try {
    const answer = await command.run(world, options, id);
    console.log(options.json ? JSON.stringify(answer.json) : answer.text);
    return 0;
  } finally {
    close();
  }
}

/* Exit codes: 0 done, 1 the store failed, 2 wrong input. */
// What it may have to make holds the secrets of its users.
process.umask(0o077);
main(process.argv.slice(2), process.env).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const isInput = error instanceof UsageError || (error instanceof AppError && error.status < 500);
    console.error(error instanceof AppError || error instanceof UsageError ? error.message : error);
    process.exitCode = isInput ? 2 : 1;
  },
);
