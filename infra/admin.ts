import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SETTING_NAMES } from '#infra/local/settings.ts';
import { openTable } from '#infra/local/store/sqlite-table.ts';
import { STORE_FILE } from '#infra/local/store/store.ts';
import { keyTable } from '#lib/keys.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { AppError } from '#lib/platform/errors.ts';
import { nearest } from '#lib/platform/http/nearest.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { Table } from '#lib/platform/ports.ts';
import { readSettings, wrongSettings } from '#lib/platform/settings.ts';
import { unknownSettings } from '#lib/platform/unknown-settings.ts';
import { COMMANDS, type Command, OPTIONS, type OperatorEnv, type Options } from './admin-commands.ts';
import { LIMIT_USAGE } from './admin-limits.ts';
import { parseFlags, UsageError } from './flags.ts';

const USAGE = `The operator's commands. They work beside a running service.

  npm run admin -- account create --email E --name N [--egress public|any] [--again]
                                                         make an account; prints a sign-in link and its admin
                                                         key, once; --again also
                                                         with an e-mail address that another account has
  npm run admin -- account list                          all accounts
  npm run admin -- account rename ID [--name N] [--email E] [--again]
  npm run admin -- account set-limits ID                 what is not named stays as it is
${LIMIT_USAGE}
  npm run admin -- account disable ID                    its keys are refused, its checks and actions rest
  npm run admin -- account enable ID
  npm run admin -- account delete ID --confirm ID        for good: refused at once, and all of it goes within minutes
  npm run admin -- user link ID [USER] [--revoke]        a link that signs in the first admin, or a user, once, within
                                                         an hour; --revoke ends passkeys, identities and sessions
  npm run admin -- session end ID [USER]                 ends the sessions of everybody, or of a user
  npm run admin -- key list ID                           the keys of an account, without what is secret
  npm run admin -- key delete ID KEY                     it is refused from then on
  npm run admin -- key issue ID [--label L]              a further key of the account's first admin

  --json prints JSON. Set DATA_DIR as for the service (default .data), or TABLE_NAME for one deployed on AWS, with
  credentials and AWS_REGION in the environment. Links lead to PUBLIC_URL, else to http://localhost and PORT. With
  npm run --silent only the answer is printed.
`;

/** The command that the words name, judged as a whole before anything is opened. */
function commandOf(words: string[], options: Options): { command: Command; ids: string[] } {
  const name = words.slice(0, 2).join(' ');
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    const near = nearest(name, Object.keys(COMMANDS));
    const hint = near === undefined ? `there are ${Object.keys(COMMANDS).join(', ')}.` : `did you mean ${near}?`;
    throw new UsageError(`There is no command "${name}"; ${hint}`);
  }
  const ids = words.slice(2);
  const missing = command.names[ids.length];
  if (missing)
    throw new UsageError(
      `${name} needs the id of an ${missing === 'key' ? 'API key' : missing}; ${missing} list shows them.`,
    );
  const extra = ids[command.names.length + (command.mayName ? 1 : 0)];
  if (extra !== undefined) throw new UsageError(`${name} does not take "${extra}".`);
  for (const option of Object.keys(options) as (keyof Options)[]) {
    const known = option === 'json' || option === 'help' || command.takes.includes(option);
    if (!known) throw new UsageError(`${name} does not take --${option}.`);
  }
  return { command, ids };
}

type Opened = { world: OperatorEnv; close: () => void };

/** The table of the service: the deployed one that TABLE_NAME names, else the file in DATA_DIR. */
async function openStore(env: NodeJS.ProcessEnv, mayCreate: boolean): Promise<Opened> {
  const ids = makeIds(systemClock);
  const settings = readSettings(env);
  const worldOn = (table: Table) => ({
    ports: { table, clock: systemClock, ids },
    keys: keyTable(settings),
    address: settings.PUBLIC_URL || `http://localhost:${env.PORT || 8787}`,
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
  const { options, words } = parseFlags(args, OPTIONS, true);
  if (options.help || words.length === 0) {
    console.log(USAGE);
    return options.help ? 0 : 2;
  }
  const strange = unknownSettings(Object.keys(env), SETTING_NAMES);
  if (strange.length > 0) throw new UsageError(wrongSettings(strange).message);
  const {
    command,
    ids: [account = '', id = ''],
  } = commandOf(words, options);
  const { world, close } = await openStore(env, command === COMMANDS['account create']);
  try {
    const answer = await command.run(world, options, account, id);
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
