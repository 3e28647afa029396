import { copyFileSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runAdmin } from '#infra/admin/run.ts';
import { migrateStore } from '#infra/local/store/migrate.ts';
import { openTable } from '#infra/local/store/sqlite-table.ts';
import { STORE_FILE } from '#infra/local/store/store.ts';
import { STORE_VERSION } from '#infra/local/store/version.ts';
import { runUntilKilled } from '#test/infra/local/killed/killed-child.ts';
import { clientOf } from '#test/support/client.ts';
import { startRealService } from '#test/support/real-service.ts';
import { startService } from '#test/support/service.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'fleetwatch-copy-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const admin = (...args: string[]) => runAdmin(args, { DATA_DIR: dir });
const silent = { info: () => {}, warn: () => {}, error: () => {} };

/** Creates a store with one item per name. */
async function storeWith(file: string, names: string[]): Promise<string> {
  const table = openTable({ file });
  await table.putMany(names.map((name) => ({ pk: 'TEST', sk: name })));
  table.store.close();
  return file;
}

/** Returns the names in a store, after a check of its integrity. */
function namesIn(file: string): unknown[] {
  const db = new DatabaseSync(file);
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  const rows = db.prepare("SELECT sk FROM items WHERE pk = 'TEST' ORDER BY sk").all();
  db.close();
  return rows.map(({ sk }) => sk);
}

function setVersion(file: string, version: number): void {
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA user_version = ${version}`);
  db.close();
}

/** Writes a store of version 0, which the demo of commit 3a639f34 created before stores had a version number. */
function oldStore(file: string): string {
  writeFileSync(file, gunzipSync(readFileSync(new URL('version-0.db.gz', import.meta.url))));
  return file;
}

describe('admin backup and restore', () => {
  it('copies the data of a running service to a backup, from which a second service starts', async () => {
    await using service = await startRealService();
    const made = await service.client.post('/v1/blueprints', { slug: 'kept', name: 'Kept' });
    const backup = join(dir, 'backup.db');
    const copied = await runAdmin(['backup', backup], { DATA_DIR: service.dir });
    expect(copied).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^Backup .*backup\.db \(\d+\.\d MB, verified\)\n$/),
    });
    const restored = join(dir, 'restored');
    expect(await runAdmin(['restore', backup], { DATA_DIR: restored })).toMatchObject({ code: 0 });
    copyFileSync(join(service.dir, 'admin-key'), join(restored, 'admin-key'));
    const second = await startService({ dir: restored });
    expect((await clientOf(second.url, second.adminKey).get('/v1/blueprints/kept')).body).toEqual(made.body);
    await second.stop();
  });

  it('refuses to overwrite a backup, replace data without --replace, or restore into a folder in use', async () => {
    await storeWith(join(dir, STORE_FILE), ['mine']);
    const backup = join(dir, 'backup.db');
    expect((await admin('backup', backup)).code).toBe(0);
    expect(await admin('backup', backup)).toMatchObject({ code: 2, err: expect.stringContaining('exists. Choose') });
    expect(await admin('restore', backup)).toMatchObject({ code: 2, err: expect.stringContaining('add --replace') });
    const service = await startService({ dir });
    const busy = await admin('restore', backup, '--replace');
    expect(busy).toMatchObject({ code: 1, err: expect.stringMatching(/^Another Fleetwatch is running on .*\n$/) });
    await service.stop();
    expect((await admin('restore', backup, '--replace')).code).toBe(0);
    expect(namesIn(join(dir, STORE_FILE))).toEqual(['mine']);
  });

  it.each([
    ['is damaged', 'not a database, and longer than the header of one: '.repeat(100)],
    ['is not a store of Fleetwatch', ''],
  ])('refuses a backup that %s, and keeps the data', async (reason, content) => {
    await storeWith(join(dir, STORE_FILE), ['mine']);
    writeFileSync(join(dir, 'backup.db'), content);
    const refused = await admin('restore', join(dir, 'backup.db'), '--replace');
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining(reason) });
    expect(namesIn(join(dir, STORE_FILE))).toEqual(['mine']);
  });

  it('replaces damaged data', async () => {
    await storeWith(join(dir, 'backup.db'), ['whole']);
    writeFileSync(join(dir, STORE_FILE), 'not a database, and longer than the header of one: '.repeat(100));
    expect((await admin('restore', join(dir, 'backup.db'), '--replace')).code).toBe(0);
    expect(namesIn(join(dir, STORE_FILE))).toEqual(['whole']);
  });

  it('leaves only complete backups after kill -9', async () => {
    const a = await storeWith(
      join(dir, 'a.db'),
      Array.from({ length: 5000 }, (_, i) => `item-${i}`),
    );
    await runUntilKilled('copy-forever.ts', ['backup', dir, a], 4);
    const backups = globSync(join(dir, 'backup-*.db'));
    expect(backups.length).toBeGreaterThanOrEqual(3);
    for (const backup of backups) expect(namesIn(backup)).toHaveLength(5000);
  });

  it('leaves the old or the new data after kill -9', async () => {
    const a = await storeWith(join(dir, 'a.db'), ['a']);
    const b = await storeWith(join(dir, 'b.db'), ['b']);
    const folder = join(dir, 'data');
    for (const rounds of [2, 3, 4, 5]) {
      await runUntilKilled('copy-forever.ts', ['restore', folder, a, b], rounds);
      expect([['a'], ['b']]).toContainEqual(namesIn(join(folder, STORE_FILE)));
    }
  });
});

describe('version of the store', () => {
  it('migrates a store of the previous version, and keeps a copy of it', async () => {
    oldStore(join(dir, STORE_FILE));
    expect(await admin('account', 'list')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Start the service'),
    });
    migrateStore(dir, silent);
    const [account] = JSON.parse((await admin('account', 'list', '--json')).out);
    expect(account.expressions_per_minute_limit).toBe(12_000);
    const { key } = JSON.parse((await admin('key', 'issue', account.id, '--json')).out);
    writeFileSync(join(dir, 'admin-key'), key);
    const service = await startService({ dir });
    const client = clientOf(service.url, key);
    const get = async (path: string) => {
      const { status, body } = await client.get(path);
      expect(status, path).toBe(200);
      return body;
    };
    const relations = await get('/v1/relations');
    expect(relations.length).toBeGreaterThan(0);
    for (const relation of relations) expect(relation.propagates_failure).toBe(true);
    const checks = await get('/v1/checks');
    expect(checks.length).toBeGreaterThan(3);
    const deliveries: { to_state: string }[] = await get('/v1/notify/logs');
    expect(new Set(deliveries.map(({ to_state }) => to_state))).toEqual(new Set(['down', 'up']));
    const transitions = (
      await Promise.all(checks.map(({ id }: { id: string }) => get(`/v1/checks/${id}/transitions`)))
    ).flat();
    expect(transitions.map(({ cause }) => cause)).toContain('missed_heartbeat');
    for (const { transition_id } of transitions) await get(`/v1/transitions/${transition_id}/explain`);
    for (const { id } of await get('/v1/incidents')) await get(`/v1/incidents/${id}`);
    await service.stop();
    expect(existsSync(join(dir, 'fleetwatch-version-0.db'))).toBe(true);
  });

  it('lists the silences of entities, checks and the account from a store of the previous version', async () => {
    const file = oldStore(join(dir, STORE_FILE));
    const db = new DatabaseSync(file);
    const until = new Date(Date.now() + 86_400_000).toISOString();
    const past = new Date(Date.now() - 1000).toISOString();
    const keyOf = (where: string) =>
      db.prepare(`SELECT pk, sk FROM items WHERE ${where} ORDER BY pk, sk`).all() as { pk: string; sk: string }[];
    const change = (key: { pk: string; sk: string }, members: object) =>
      db
        .prepare('UPDATE items SET body = json_patch(body, ?) WHERE pk = ? AND sk = ?')
        .run(JSON.stringify(members), key.pk, key.sk);
    const [policy, ended] = keyOf("sk = 'POLICY'");
    const [entity] = keyOf("pk LIKE '%#ENTITIES#%'");
    change(policy!, { silenced: true, silenced_until: until, silence_reason: 'moving house' });
    change(ended!, { silenced: true, silenced_until: past });
    change(entity!, { silenced: true });
    const tenant = entity!.pk.split('#')[1]!;
    const own = { pk: `T#${tenant}#ALERTING`, sk: 'SILENCE#sil_1', v: 'x', id: 'sil_1', applies_to: null };
    const settings = { until: Date.parse(until), reason: 'all', created_at: past, created_by: '' };
    const insert = db.prepare('INSERT INTO items (pk, sk, v, body) VALUES (?, ?, ?, ?)');
    insert.run(own.pk, own.sk, own.v, JSON.stringify({ ...own, ...settings }));
    db.close();

    migrateStore(dir, silent);
    const { key } = JSON.parse((await admin('key', 'issue', tenant, '--json')).out);
    writeFileSync(join(dir, 'admin-key'), key);
    const service = await startService({ dir });
    const { body } = await clientOf(service.url, key).get('/v1/notify/silences');
    const check_id = policy!.pk.split('#').at(-1);
    expect(body).toMatchObject([
      { scope: 'account', id: 'sil_1', until, reason: 'all', created_by: 'an API key' },
      { scope: 'entity', entity_id: entity!.sk, check_id: null, until: null, reason: '', created_by: 'unknown' },
      { scope: 'check', check_id, until, reason: 'moving house', created_by: 'unknown' },
    ]);
    await service.stop();
  });

  it('has the old or the new version after kill -9, and the next start migrates it', async () => {
    const old = oldStore(join(dir, 'old.db'));
    await runUntilKilled('copy-forever.ts', ['migrate', dir, old], 3);
    for (const store of globSync(join(dir, 'store-*'))) {
      if (!existsSync(join(store, STORE_FILE))) continue;
      namesIn(join(store, STORE_FILE));
      migrateStore(store, silent);
      expect(namesIn(join(store, STORE_FILE))).toEqual([]);
      const db = new DatabaseSync(join(store, STORE_FILE));
      expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: STORE_VERSION });
      db.close();
    }
  });

  it('refuses data and backups of a newer release in one sentence', async () => {
    const file = await storeWith(join(dir, STORE_FILE), ['newer']);
    copyFileSync(file, join(dir, 'backup.db'));
    setVersion(file, STORE_VERSION + 1);
    setVersion(join(dir, 'backup.db'), STORE_VERSION + 1);
    const refused = new RegExp(`^\\S+ has version ${STORE_VERSION + 1} of the store.*Install a newer release`);
    await expect(startService({ dir })).rejects.toThrow(refused);
    expect(await admin('account', 'list')).toMatchObject({ code: 1, err: expect.stringMatching(refused) });
    const restored = await admin('restore', join(dir, 'backup.db'), '--replace');
    expect(restored).toMatchObject({ code: 1, err: expect.stringMatching(refused) });
  });
});
