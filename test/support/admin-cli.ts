import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { runAdmin } from '#infra/admin/run.ts';
import { clientOf } from './client.ts';
import { type Service, startService } from './service.ts';

/**
 * Starts a service for the tests of the calling file, and runs the operator's commands next to it, in this process.
 * @param settings of the service
 */
export function adminCli(settings: Record<string, string> = {}) {
  let dir: string;
  let service: Service;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'fleetwatch-admin-'));
    service = await startService({ dir, env: settings });
  });
  afterAll(async () => {
    await service.stop();
    rmSync(dir, { recursive: true });
  });

  const admin = (args: string[], env: Record<string, string> = { DATA_DIR: dir }) => runAdmin(args, env);
  /** Returns the --json output of a command. Throws its error output if it fails. */
  const json = async (...args: string[]) => {
    const { code, out, err } = await admin([...args, '--json']);
    if (code !== 0) throw new Error(err);
    return JSON.parse(out);
  };
  return {
    admin,
    json,
    create: () => json('account', 'create', '--email', 'ann@example.com', '--name', 'Ann', '--shared-email'),
    as: (key: string) => clientOf(service.url, key),
    service: () => service,
    dir: () => dir,
  };
}
