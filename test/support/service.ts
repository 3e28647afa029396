import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startHost } from '#infra/local/host.ts';
import type { GivenPorts, LocalPorts } from '#infra/local/ports.ts';
import { readHostSettings } from '#infra/local/settings.ts';
import { createAccount } from '#lib/access/change-account.ts';
import { type Keys, keyTable } from '#lib/keys.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { makeIds } from '#lib/platform/ids.ts';
import type { Log } from '#lib/platform/ports.ts';
import { readSettings } from '#lib/settings.ts';
import { notedIds, watchedLog } from './kept-secrets.ts';
import { memoryLog } from './log.ts';

export type Service = {
  url: string;
  adminKey: string;
  ports: LocalPorts;
  keys: Keys;
  stop(): Promise<boolean>;
};

export type ServiceOptions = {
  /** Settings as an operator gives them, over the embedded defaults. */
  env?: Record<string, string>;
  /** Keep everything here; without, in memory. */
  dir?: string;
  log?: Log;
  /** In place of the machine's own clock, ids or network. */
  world?: Partial<GivenPorts>;
};

/** Rates that no test reaches which does not want to: all of them call from one address. */
export const UNHURRIED = ['read', 'write', 'push', 'mcp', 'send', 'open', 'sign-in', 'ping', 'ping-url']
  .map((of) => `${of}=1000000/10000000`)
  .join(',');

/**
 * The whole embedded service in this process, on a free port. Tests may probe 127.77.0.0/16, whatever CHECK_EGRESS
 * says.
 */
export async function startService({
  env = {},
  dir,
  log = memoryLog(),
  world = {},
}: ServiceOptions = {}): Promise<Service> {
  const { host: own, settings } = readHostSettings({ EGRESS_ALLOW: '127.77.0.0/16', RATE_LIMITS: UNHURRIED, ...env });
  const ids = notedIds(makeIds(world.clock ?? systemClock));
  const host = await startHost({
    settings,
    log: watchedLog(log),
    dir,
    host: '127.0.0.1',
    port: 0,
    proxies: own.TRUSTED_PROXIES,
    world: { ids, ...world },
  });
  if (host.adminKey === undefined) throw new Error(`${dir}/admin-key is gone.`);
  return { ...host, adminKey: host.adminKey.raw };
}

export type Tenant = { id: string; key: string };

export type Target = {
  url: string;
  /** An admin key of some tenant. */
  key: string;
  /** A new, empty account. */
  createTenant(): Promise<Tenant>;
};

let shared: Promise<Target> | undefined;

/**
 * The service that contract tests talk to: BASE_URL with ADMIN_KEY, or else one of their own in memory, once a test
 * file.
 */
export function target(): Promise<Target> {
  shared ??= process.env.BASE_URL ? remote(process.env.BASE_URL) : embedded();
  return shared;
}

async function embedded(): Promise<Target> {
  const service = await startService();
  return { url: service.url, key: service.adminKey, createTenant: () => tenantOf(service) };
}

/** Every account of a test may go as far as its service. */
const NEW_ACCOUNT = { email: 'test@example.com', name: 'Test account', egress: 'any' } as const;

/** A new, empty account of a service in this process. */
export async function tenantOf(env: Service): Promise<Tenant> {
  const { account, key } = await createAccount(env, NEW_ACCOUNT, { again: true });
  return { id: account.id, key: key.key };
}

/**
 * The service there is started with RATE_LIMITS of UNHURRIED, or `off`. New accounts come as the operator makes them,
 * which needs its DATA_DIR or TABLE_NAME.
 */
async function remote(url: string): Promise<Target> {
  const key = process.env.ADMIN_KEY;
  if (!key) throw new Error('BASE_URL is set without ADMIN_KEY: give an admin key of the service there.');
  return { url: url.replace(/\/$/, ''), key, createTenant };
}

async function createTenant(): Promise<Tenant> {
  if (process.env.TABLE_NAME) {
    // As the CLI does it, without a process for each account.
    const { deployedTable } = await import('#lib/aws/deployed-table.ts');
    const settings = readSettings(process.env);
    const table = deployedTable(process.env.TABLE_NAME);
    const ports = { table, clock: systemClock, ids: makeIds(systemClock), settings };
    const made = await createAccount({ ports, keys: keyTable(settings) }, NEW_ACCOUNT, {
      again: true,
    });
    table.close();
    return { id: made.account.id, key: made.key.key };
  }
  if (!process.env.DATA_DIR) {
    throw new Error(
      'This test makes accounts of its own: set DATA_DIR or TABLE_NAME to that of the service at BASE_URL.',
    );
  }
  const cli = join(import.meta.dirname, '../../infra/admin.ts');
  const { email, name, egress } = NEW_ACCOUNT;
  const words = ['account', 'create', '--email', email, '--name', name, '--egress', egress, '--again', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    cli,
    ...words,
  ]);
  const made = JSON.parse(stdout) as { account: { id: string }; key: string };
  return { id: made.account.id, key: made.key };
}
