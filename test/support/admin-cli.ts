import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { runAdmin } from '#infra/admin-run.ts';
import { clientOf } from './client.ts';
import { type Service, startService } from './service.ts';

/**
 * The operator's commands, called as functions beside a running service, which lasts as long as the file of tests that
 * asks for it.
 */
export function adminCli() {
  let dir: string;
  let service: Service;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'fleetwatch-admin-'));
    service = await startService({ dir });
  });
  afterAll(async () => {
    await service.stop();
    rmSync(dir, { recursive: true });
  });

  const admin = (args: string[], env: Record<string, string> = { DATA_DIR: dir }) => runAdmin(args, env);
  /** What it answers with --json. Throws what it says where it fails. */
  const json = async (...args: string[]) => {
    const { code, out, err } = await admin([...args, '--json']);
    if (code !== 0) throw new Error(err);
    return JSON.parse(out);
  };
  return {
    admin,
    json,
    create: () => json('account', 'create', '--email', 'ann@example.com', '--name', 'Ann', '--again'),
    as: (key: string) => clientOf(service.url, key),
    service: () => service,
    dir: () => dir,
  };
}
