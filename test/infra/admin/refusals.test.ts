import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runAdmin } from '#infra/admin/run.ts';
import { startService } from '#test/support/service.ts';

let dir: string;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'fleetwatch-admin-'));
  await (await startService({ dir })).stop();
});
afterAll(() => rmSync(dir, { recursive: true }));

const admin = (args: string[], env: Record<string, string> = { DATA_DIR: dir }) => runAdmin(args, env);

describe('admin with invalid input', () => {
  it.each([
    ['an unknown command', ['account', 'remove', 'x']],
    ['a property of every object as command', ['constructor']],
    ['half a command', ['account']],
    ['no e-mail', ['account', 'create', '--name', 'N']],
    ['an invalid e-mail', ['account', 'create', '--email', 'x', '--name', 'N']],
    ['an unknown option', ['account', 'list', '--all']],
    ["another command's option", ['account', 'list', '--email', 'a@b']],
    ['an extra word', ['account', 'list', 'x']],
    ['no id', ['account', 'disable']],
    ['an unknown id', ['account', 'disable', 'acc_none']],
    ['an invalid id', ['account', 'disable', 'Ö']],
    ['no limit', ['account', 'set-limits', 'acc_none']],
    ['a limit that is not a number', ['account', 'set-limits', 'acc_none', '--checks', 'many']],
    ['a negative limit', ['account', 'set-limits', 'acc_none', '--checks=-1']],
    ['a rate of an unknown class', ['account', 'set-limits', 'acc_none', '--rate', 'pull=1/1']],
    ['a default of an unknown class', ['account', 'set-limits', 'acc_none', '--rate', 'pull=default']],
    ['an invalid rate', ['account', 'set-limits', 'acc_none', '--rate', 'push=fast']],
    ['a rate of a class that accounts do not have', ['account', 'set-limits', 'acc_none', '--rate', 'open=1/1']],
    ['too many checks', ['account', 'set-limits', 'acc_none', '--checks', '91']],
    ['an unknown egress', ['account', 'set-limits', 'acc_none', '--egress', 'all']],
    ['nothing to rename', ['account', 'rename', 'acc_none']],
    ['an invalid new e-mail', ['account', 'rename', 'acc_none', '--email', 'x']],
    ['an unknown role', ['user', 'role', 'acc_none', 'usr_none', 'boss']],
    ['a role for an unknown user', ['user', 'role', 'acc_none', 'usr_none', 'admin']],
    ['no key id', ['key', 'delete', 'acc_none']],
    ['deletion of an unknown account', ['account', 'delete', 'acc_none', '--confirm', 'acc_none']],
  ])('exits with 2 and one sentence for %s', async (_name, args) => {
    const { code, out, err } = await admin(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^[^\n]{10,}\n$/);
  });

  it.each([
    [['account', 'crate'], 'did you mean account create?'],
    [['account', 'list', '--jsn'], '--jsn is unknown; did you mean --json?'],
  ])('suggests the closest name for %j', async (args, hint) => {
    expect((await admin(args)).err).toContain(hint);
  });

  it.each([
    ['account', 'create', '--email', 'a@b.example', '--name', 'N'],
    ['user', 'link', 'acc_1'],
  ])('needs PUBLIC_URL for a sign-in link to a deployed service: %s %s', async (...args) => {
    const { code, out, err } = await admin(args, { TABLE_NAME: 'fleet', AWS_REGION: 'eu-central-1' });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Set PUBLIC_URL to the stack output ConsoleUrl.');
  });

  it('reports an unknown setting', async () => {
    const { code, err } = await admin(['account', 'list'], { DATA_DIRS: dir });
    expect({ code, err }).toEqual({
      code: 2,
      err: 'Settings are wrong. DATA_DIRS is not known; did you mean DATA_DIR? See docs/operate/settings.md.\n',
    });
  });

  it('does not create a store in a folder without data', async () => {
    const none = join(dir, 'mistyped');
    const { code, err } = await admin(['account', 'list'], { DATA_DIR: none });
    expect(code).toBe(2);
    expect(err).toContain(none);
    expect(existsSync(none)).toBe(false);
  });
});
