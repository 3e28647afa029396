import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { readHostSettings, SETTING_NAMES } from '#infra/local/settings.ts';
import { openTable } from '#infra/local/store/sqlite-table.ts';
import { STORE_FILE } from '#infra/local/store/store.ts';
import { keyTable } from '#lib/keys.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { AppError } from '#lib/platform/errors.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { Table } from '#lib/platform/ports.ts';
import { readSettings, type Settings, wrongSettings } from '#lib/settings.ts';
import { unknownSettings } from '#lib/unknown-settings.ts';
import { AUDIT_USAGE } from './admin-audit.ts';
import { COMMANDS, OPTIONS, type OperatorEnv } from './admin-commands.ts';
import { LIMIT_USAGE } from './admin-limits.ts';
import { parseFlags, UsageError } from './flags.ts';
import { commandOf } from './parse-command.ts';

const USAGE = `The operator's commands. They work beside a running service.

  npm run admin -- account create --email E --name N [--egress public|any] [--again]
                                                         make an account; prints a sign-in link and its admin
                                                         key, once; --again also
                                                         with an e-mail address that another account has
  npm run admin -- account list                          all accounts
  npm run admin -- account show ID                       one, with all its limits
  npm run admin -- account rename ID [--name N] [--email E] [--again]
  npm run admin -- account set-limits ID                 what is not named stays as it is
${LIMIT_USAGE}
  npm run admin -- account disable ID                    its keys are refused, its checks and actions rest
  npm run admin -- account enable ID
  npm run admin -- account delete ID --confirm ID        for good: refused at once, and all of it goes within minutes
  npm run admin -- user list ID                          the people of an account, invited ones too
  npm run admin -- user role ID USER ROLE                viewer, responder, member or admin; it holds at once
  npm run admin -- user link ID [USER] [--revoke]        a link that signs in the first admin, or a user, once, within
                                                         an hour; --revoke ends passkeys, identities and sessions
  npm run admin -- session end ID [USER]                 ends the sessions of everybody, or of a user
  npm run admin -- audit ID                              who changed what in it
${AUDIT_USAGE}
  npm run admin -- key list ID                           the keys of an account, without what is secret
  npm run admin -- key delete ID KEY                     it is refused from then on
  npm run admin -- key issue ID [--label L]              a further key of the account's first admin
      [--expires 2027-01-31] [--scopes push,read] [--check-ids chk_…,…] [--entity-ids ent_…,…] [--skills slug,…]

  --json prints JSON. Set DATA_DIR as for the service (default .data), or TABLE_NAME for one deployed on AWS, with
  credentials and AWS_REGION in the environment. Links lead to PUBLIC_URL, else to http://localhost and PORT.
  npm run --silent admin -- ... prints only the answer.
`;

type Opened = { world: OperatorEnv; close: () => void };

/** The table of the service: the deployed one that TABLE_NAME names, else the file in DATA_DIR. */
async function openStore(env: NodeJS.ProcessEnv, mayCreate: boolean): Promise<Opened> {
  const ids = makeIds(systemClock);
  const worldOn = (table: Table, settings: Settings): OperatorEnv => ({
    ports: { table, clock: systemClock, ids, settings },
    keys: keyTable(settings),
    origin: 'operator',
    address: settings.PUBLIC_URL || `http://localhost:${env.PORT || 8787}`,
  });
  if (env.TABLE_NAME) {
    // Loaded only here: on one machine nobody waits for the AWS SDK.
    const { deployedTable } = await import('#lib/aws/deployed-table.ts');
    const table = deployedTable(env.TABLE_NAME);
    return { world: worldOn(table, readSettings(env)), close: table.close };
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
  return { world: worldOn(table, readHostSettings(env).settings), close: () => table.store.close() };
}

/** What a command line came to. Exit codes: 0 done, 1 the store failed, 2 wrong input. */
type Ran = { code: 0 | 1 | 2; out: string; err: string };

/**
 * Runs a command line of the operator. Sets no umask: a process that may make the store sets its own.
 * @param args without node and the program
 */
export async function runAdmin(args: string[], env: NodeJS.ProcessEnv): Promise<Ran> {
  try {
    const { options, words } = parseFlags(args, OPTIONS, true);
    if (options.help || words.length === 0) return { code: options.help ? 0 : 2, out: USAGE, err: '' };
    const strange = unknownSettings(Object.keys(env), SETTING_NAMES);
    if (strange.length > 0) throw new UsageError(wrongSettings(strange).message);
    const {
      command,
      ids: [first = '', second = '', third = ''],
    } = commandOf(words, options);
    const { world, close } = await openStore(env, command === COMMANDS['account create']);
    try {
      const answer = await command.run(world, options, first, second, third);
      return { code: 0, out: `${options.json ? JSON.stringify(answer.json) : answer.text}\n`, err: '' };
    } finally {
      close();
    }
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof AppError))
      return { code: 1, out: '', err: `${inspect(error)}\n` };
    const isInput = error instanceof UsageError || error.status < 500;
    return { code: isInput ? 2 : 1, out: '', err: `${error.message}\n` };
  }
}
