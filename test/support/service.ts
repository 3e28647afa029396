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
  metricsUrl: string | undefined;
  adminKey: string;
  ports: LocalPorts;
  keys: Keys;
  stop(): Promise<boolean>;
};

export type ServiceOptions = {
  /** Environment settings, over the embedded defaults. */
  env?: Record<string, string>;
  /** Data directory; default: in memory. */
  dir?: string;
  log?: Log;
  /** Replaces the machine's clock, ids or network. */
  world?: Partial<GivenPorts>;
};

/** Rate limits that tests do not reach, although all tests use one client address. A test of limits sets lower ones. */
export const UNREACHED_LIMITS = ['read', 'write', 'push', 'mcp', 'send', 'store', 'open', 'sign-in', 'ping', 'ping-url']
  .map((of) => `${of}=1000000/10000000`)
  .join(',');

/**
 * Starts the whole embedded service in this process, on a free port. Tests can probe 127.77.0.0/16, whatever
 * CHECK_EGRESS is.
 */
export async function startService({
  env = {},
  dir,
  log = memoryLog(),
  world = {},
}: ServiceOptions = {}): Promise<Service> {
  const { host: own, settings } = readHostSettings({
    EGRESS_ALLOW: '127.77.0.0/16',
    RATE_LIMITS: UNREACHED_LIMITS,
    ...env,
  });
  const ids = notedIds(makeIds(world.clock ?? systemClock));
  const host = await startHost({
    settings,
    log: watchedLog(log),
    dir,
    host: '127.0.0.1',
    port: 0,
    proxies: own.TRUSTED_PROXIES,
    metricsPort: own.METRICS_PORT,
    world: { ids, ...world },
  });
  if (host.adminKey === undefined) throw new Error(`${dir}/admin-key is gone.`);
  return { ...host, adminKey: host.adminKey.raw };
}

export type Tenant = { id: string; key: string };

export type Target = {
  url: string;
  /** An admin key of one of its tenants. */
  key: string;
  /** Creates an empty account. */
  createTenant(): Promise<Tenant>;
};

let shared: Promise<Target> | undefined;

/**
 * Returns the service under test: BASE_URL with ADMIN_KEY, or an embedded one in memory, one per test file.
 */
export function target(): Promise<Target> {
  shared ??= process.env.BASE_URL ? remote(process.env.BASE_URL) : embedded();
  return shared;
}

async function embedded(): Promise<Target> {
  const service = await startService();
  return { url: service.url, key: service.adminKey, createTenant: () => tenantOf(service) };
}

/** Accounts of tests have the same egress as their service. */
const NEW_ACCOUNT = { email: 'test@example.com', name: 'Test account', egress: 'any' } as const;

/** Creates an empty account in a service of this process. */
export async function tenantOf(env: Service): Promise<Tenant> {
  const { account, key } = await createAccount(env, NEW_ACCOUNT, { sharedEmail: true });
  return { id: account.id, key: key.key };
}

/**
 * Returns a remote service, which must run with the RATE_LIMITS of UNREACHED_LIMITS, or `off`. Creates accounts in its
 * DATA_DIR or TABLE_NAME, like the operator.
 */
async function remote(url: string): Promise<Target> {
  const key = process.env.ADMIN_KEY;
  if (!key) throw new Error('BASE_URL is set without ADMIN_KEY: set it to an admin key of that service.');
  return { url: url.replace(/\/$/, ''), key, createTenant };
}

async function createTenant(): Promise<Tenant> {
  if (process.env.TABLE_NAME) {
    // Does what the CLI does, without a process for each account.
    const { deployedTable } = await import('#lib/aws/deployed-table.ts');
    const settings = readSettings(process.env);
    const table = deployedTable(process.env.TABLE_NAME);
    const ports = { table, clock: systemClock, ids: makeIds(systemClock), settings };
    const made = await createAccount({ ports, keys: keyTable(settings) }, NEW_ACCOUNT, {
      sharedEmail: true,
    });
    table.close();
    return { id: made.account.id, key: made.key.key };
  }
  if (!process.env.DATA_DIR) {
    throw new Error('This test creates accounts: set DATA_DIR or TABLE_NAME to that of the service at BASE_URL.');
  }
  const cli = join(import.meta.dirname, '../../infra/admin/main.ts');
  const { email, name, egress } = NEW_ACCOUNT;
  const words = ['account', 'create', '--email', email, '--name', name, '--egress', egress, '--shared-email', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--disable-warning=ExperimentalWarning',
    cli,
    ...words,
  ]);
  const made = JSON.parse(stdout) as { account: { id: string }; key: string };
  return { id: made.account.id, key: made.key };
}
