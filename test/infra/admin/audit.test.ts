import { describe, expect, it } from 'vitest';
import { adminCli } from '#test/support/admin-cli.ts';

const { admin, as, create, json, service } = adminCli();

describe('audit log of operator commands', () => {
  it('records each command in the audit log of the account and shows it', async () => {
    const { account, key } = await create();
    await json('account', 'set-limits', account.id, '--checks', '7');
    await json('account', 'disable', account.id);
    await json('account', 'disable', account.id);
    await json('account', 'enable', account.id);
    const issued = await json('key', 'issue', account.id);
    await json('key', 'delete', account.id, issued.id);
    const entries = await json('audit', account.id);
    expect(entries.map((entry: { action: string }) => entry.action)).toEqual([
      'key.delete',
      'key.create',
      'account.enable',
      'account.disable',
      'account.update',
      // Creating an account also creates a sign-in link.
      'user.link',
      'account.create',
    ]);
    for (const entry of entries) expect(entry).toMatchObject({ actor: { type: 'operator', email: null }, via: 'cli' });
    expect(entries[4].changes).toEqual([{ path: 'check_limit_per_entity', from: 25, to: 7 }]);
    expect((await as(key).get('/v1/audit')).body).toEqual(entries);
    const { out } = await admin(['audit', account.id, '--kind', 'access', '--limit', '1']);
    expect(out).toMatch(
      /^\S+Z {2}The operator deleted API key "Issued by the operator"\.\nMore entries exist; use --limit 2 /,
    );
    expect(await json('audit', account.id, '--action', 'account.', '--until', '2026-01-01')).toEqual([]);
    expect(await json('audit', account.id, '--target', issued.id, '--actor', 'operator')).toHaveLength(2);
  });

  it('queues a deleted account for reclamation by the running service', async () => {
    const accounts = [await create(), await create(), await create(), await create()];
    for (const { account } of accounts) {
      await json('account', 'delete', account.id, '--confirm', account.id);
      // Read at once, before the service reclaims it.
      const { items } = await service().ports.table.query({ partition: service().keys.entries(0) });
      expect(items.map(({ sk }) => sk)).toContain(`account_end#${account.id}#${account.id}`);
    }
    expect((await json('audit', accounts[0]!.account.id))[0]).toMatchObject({ action: 'account.delete' });
  });
});

describe('admin audit', () => {
  it('prints "No entries." for an account without entries', async () => {
    expect(await admin(['audit', 'acc_none'])).toMatchObject({ code: 0, out: 'No entries.\n' });
  });

  it.each([
    ['account missing', ['audit'], 'audit needs an account id'],
    ['unknown kind', ['audit', 'acc_none', '--kind', 'all'], 'kind'],
    ['unknown action', ['audit', 'acc_none', '--action', 'check'], 'check.update'],
    ['since after until', ['audit', 'acc_none', '--since', '2026-11-22', '--until', '2026-11-21'], 'since'],
    ['limit of 0', ['audit', 'acc_none', '--limit', '0'], '--limit must be a whole number'],
    ['option of another command', ['audit', 'acc_none', '--label', 'x'], '--label'],
  ])('exits with 2 and one sentence: %s', async (_name, args, message) => {
    const { code, out, err } = await admin(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^[^\n]{10,}\n$/);
    expect(err).toContain(message);
  });
});
