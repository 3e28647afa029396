import { startHost } from '#infra/local/host.ts';
import type { LocalPorts } from '#infra/local/ports.ts';
import { readHostSettings } from '#infra/local/settings.ts';
import { createAccount } from '#lib/access/create-account.ts';
import type { Keys } from '#lib/keys.ts';
import type { Log } from '#lib/platform/ports.ts';
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
};

/** The whole embedded service in this process, on a free port. Tests may probe 127.77.0.0/16, whatever CHECK_EGRESS says. */
export async function startService({ env = {}, dir, log = memoryLog() }: ServiceOptions = {}): Promise<Service> {
  const { settings } = readHostSettings({ EGRESS_ALLOW: '127.77.0.0/16', ...env });
  const host = await startHost({ settings, log, dir, host: '127.0.0.1', port: 0 });
  if (host.adminKey === undefined) throw new Error(`${dir}/admin-key is gone.`);
  return { ...host, adminKey: host.adminKey };
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
 * file. Against a BASE_URL new accounts come from the command in CREATE_TENANT, which prints `{"id":…,"key":…}`.
 */
export function target(): Promise<Target> {
  shared ??= process.env.BASE_URL ? remote(process.env.BASE_URL) : embedded();
  return shared;
}

async function embedded(): Promise<Target> {
  const { url, adminKey, ports, keys } = await startService();
  return {
    url,
    key: adminKey,
    createTenant: async () => {
      const { account, key } = await createAccount(ports, keys, { email: 'test@example.com', name: 'Test account' });
      return { id: account.id, key: key.key };
    },
  };
}

async function remote(url: string): Promise<Target> {
  const key = process.env.ADMIN_KEY;
  if (!key) throw new Error('BASE_URL is set without ADMIN_KEY: give an admin key of the service there.');
  return {
    url: url.replace(/\/$/, ''),
    key,
    createTenant: async () => {
      const command = process.env.CREATE_TENANT;
      if (!command)
        throw new Error('This test needs accounts of its own: set CREATE_TENANT to a command that makes one.');
      const { execFile } = await import('node:child_process');
      const { promisify } = await import('node:util');
      const { stdout } = await promisify(execFile)('sh', ['-c', command]);
      return JSON.parse(stdout) as Tenant;
    },
  };
}
