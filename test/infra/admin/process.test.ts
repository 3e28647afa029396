import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STORE_FILE } from '#infra/local/store/store.ts';
import { clientOf } from '#test/support/client.ts';
import { runCommand } from '#test/support/command.ts';
import { type Service, startService } from '#test/support/service.ts';

describe('admin process', () => {
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

  const admin = (args: string[], more: Record<string, string> = {}) =>
    runCommand('infra/admin/main.ts', args, { DATA_DIR: dir, ...more });
  const create = ['account', 'create', '--email', 'ann@example.com', '--name', 'Ann', '--json'];

  it('changes the running service at once', async () => {
    const made = await admin(create);
    expect(made).toMatchObject({ code: 0, err: '' });
    const { account, key } = JSON.parse(made.out);
    expect((await clientOf(service.url, key).get('/v1/me')).body.id).toBe(account.id);
    expect((await admin(['account', 'disable', account.id])).code).toBe(0);
    expect((await clientOf(service.url, key).get('/v1/me')).status).toBe(403);
  });

  it('exits with 2 and a sentence on stderr when the input is invalid', async () => {
    const { code, out, err } = await admin(['account', 'crate']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^[^\n]+did you mean account create\?\n$/);
  });

  it('exits with 1 when the store fails', async () => {
    const broken = join(dir, 'broken');
    mkdirSync(broken);
    writeFileSync(join(broken, STORE_FILE), 'not a database, and longer than the header of one: '.repeat(100));
    const { code, out, err } = await admin(create, { DATA_DIR: broken });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('is damaged; restore another copy');
  });

  it('creates a store that only its owner can read', async () => {
    const fresh = join(dir, 'fresh');
    expect((await admin(create, { DATA_DIR: fresh })).code).toBe(0);
    expect(statSync(fresh).mode & 0o077).toBe(0);
    expect(statSync(join(fresh, STORE_FILE)).mode & 0o077).toBe(0);
  });
});
