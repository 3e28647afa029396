import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { parseFlags, UsageError } from '#infra/flags.ts';
import { readHostSettings, SETTING_NAMES } from '#infra/local/settings.ts';
import { openTable } from '#infra/local/store/sqlite-table.ts';
import { STORE_FILE } from '#infra/local/store/store.ts';
import { StoreError } from '#infra/local/store/version.ts';
import { StepError } from '#infra/smoke/call.ts';
import { keyTable } from '#lib/keys.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { AppError } from '#lib/platform/errors.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { Table } from '#lib/platform/ports.ts';
import { readSettings, type Settings, settingsError } from '#lib/settings.ts';
import { unknownSettings } from '#lib/unknown-settings.ts';
import { AUDIT_USAGE } from './audit.ts';
import { AWS_USAGE } from './aws.ts';
import { COMMANDS, type CommandOutput, OPTIONS, type OperatorEnv } from './commands.ts';
import { LIMIT_USAGE } from './limits.ts';
import { commandOf } from './parse-command.ts';
import { STORE_USAGE } from './store.ts';

const USAGE = `Operator commands. They work while the service is running.
  npm run admin -- account create --email E --name N [--egress public|any] [--shared-email]
                                                         create an account; prints a sign-in link and the key of
                                                         the first admin, once; --shared-email allows an address
                                                         that another account has
  npm run admin -- account list                          list all accounts
  npm run admin -- account show ID                       show an account with all its limits
  npm run admin -- account rename ID [--name N] [--email E] [--shared-email]
  npm run admin -- account set-limits ID                 change limits; omitted ones keep their value
${LIMIT_USAGE}
  npm run admin -- account disable ID                    reject its keys; stop its checks and actions
  npm run admin -- account enable ID
  npm run admin -- account delete ID --confirm ID        delete permanently: rejected at once, erased within minutes
  npm run admin -- user list ID                          list the users of an account, including invited ones
  npm run admin -- user role ID USER ROLE                set viewer, responder, member or admin; takes effect at once
  npm run admin -- user link ID [USER] [--revoke]        create a link that signs in the oldest admin, or a user, once
                                                         within an hour; --revoke ends passkeys, identities, sessions
  npm run admin -- session end ID [USER]                 end the sessions of all users, or of one
  npm run admin -- audit ID                              list the changes of an account
${AUDIT_USAGE}
  npm run admin -- key list ID                           list the keys of an account, without secrets
  npm run admin -- key delete ID KEY                     delete a key; it is rejected at once
  npm run admin -- key issue ID [--label L]              create another key for the oldest admin of an account
      [--expires 2027-01-31] [--scopes push,read] [--check-ids chk_…,…] [--entity-ids ent_…,…] [--skills slug,…]
  npm run admin -- status-page set-domain PAGE DOMAIN    show a status page at a domain of STATUS_DOMAINS
  npm run admin -- status-page remove-domain PAGE
${STORE_USAGE}
${AWS_USAGE}
  --json prints JSON. Set DATA_DIR as for the service (default .data), or TABLE_NAME for a deployment on AWS, with
  credentials and AWS_REGION in the environment. Links use PUBLIC_URL; without it,
  http://localhost and PORT, or with TABLE_NAME an error.
  npm run --silent admin -- ... prints only the result.
`;

type Opened = { operatorEnv: OperatorEnv; close: () => void };

/** Opens the table: the deployed one that TABLE_NAME names, else the file in DATA_DIR. */
async function openEnv(env: NodeJS.ProcessEnv, mayCreate: boolean): Promise<Opened> {
  const ids = makeIds(systemClock);
  const envOn = (table: Table, settings: Settings): OperatorEnv => ({
    ports: { table, clock: systemClock, ids, settings },
    keys: keyTable(settings),
    origin: 'operator',
    address: settings.PUBLIC_URL || (env.TABLE_NAME ? undefined : `http://localhost:${env.PORT || 8787}`),
  });
  if (env.TABLE_NAME) {
    // Imported here so that commands for one machine do not wait for the AWS SDK.
    const { deployedTable } = await import('#lib/aws/deployed-table.ts');
    const table = deployedTable(env.TABLE_NAME);
    return { operatorEnv: envOn(table, readSettings(env)), close: table.close };
  }
  const dir = dataDir(env);
  const file = join(dir, STORE_FILE);
  if (!existsSync(file) && !mayCreate) {
    throw new UsageError(
      `${dir} does not contain the data of a service. Set DATA_DIR to its data directory, or start the service once.`,
    );
  }
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const table = openTable({ file });
  return { operatorEnv: envOn(table, readHostSettings(env).settings), close: () => table.store.close() };
}

const dataDir = (env: NodeJS.ProcessEnv): string => env.DATA_DIR || '.data';

/** Result of a command line. Exit codes: 0 success, 1 failure, 2 invalid input. */
type Ran = { code: 0 | 1 | 2; out: string; err: string };

/** Runs a command line. Does not set a umask: a process that may create the store sets its own. */
export async function runAdmin(args: string[], env: NodeJS.ProcessEnv): Promise<Ran> {
  try {
    const { options, words } = parseFlags(args, OPTIONS, true);
    if (options.help || words.length === 0) return { code: options.help ? 0 : 2, out: USAGE, err: '' };
    const unknown = unknownSettings(Object.keys(env), SETTING_NAMES);
    if (unknown.length > 0) throw new UsageError(settingsError(unknown).message);
    const {
      command,
      operands: [first = '', second = '', third = ''],
    } = commandOf(words, options);
    const print = (result: CommandOutput): Ran => ({
      code: 0,
      out: `${options.json ? JSON.stringify(result.json) : result.text}\n`,
      err: '',
    });
    if ('runAlone' in command) return print(await command.runAlone(options, first));
    if ('runOnFiles' in command) {
      if (env.TABLE_NAME) throw new UsageError('TABLE_NAME is set: for backups on AWS, see docs/operate.');
      return print(command.runOnFiles(dataDir(env), options, first));
    }
    const { operatorEnv, close } = await openEnv(env, command === COMMANDS['account create']);
    try {
      return print(await command.run(operatorEnv, options, first, second, third));
    } finally {
      close();
    }
  } catch (error) {
    if (error instanceof StoreError || error instanceof StepError)
      return { code: 1, out: '', err: `${error.message}\n` };
    if (!(error instanceof UsageError || error instanceof AppError))
      return { code: 1, out: '', err: `${inspect(error)}\n` };
    const isInput = error instanceof UsageError || error.status < 500;
    return { code: isInput ? 2 : 1, out: '', err: `${error.message}\n` };
  }
}
