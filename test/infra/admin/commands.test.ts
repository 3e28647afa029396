import { describe, expect, it } from 'vitest';
import { COMMANDS } from '#infra/admin/commands.ts';
import { adminCli } from '#test/support/admin-cli.ts';
import { failure } from '#test/support/client.ts';

const { admin, as, create, json, service } = adminCli();

describe('admin commands on a running service', () => {
  it('creates an account whose key works at once', async () => {
    const { account, key } = await create();
    expect(account).toMatchObject({ email: 'ann@example.com', name: 'Ann', blueprint_limit: 50, disabled: false });
    expect(await as(key).get('/v1/me')).toMatchObject({ status: 200, body: { id: account.id, role: 'admin' } });
  });

  it('rejects an e-mail address in use, in upper or lower case, without --shared-email', async () => {
    await create();
    const words = ['account', 'create', '--email', 'ANN@Example.com', '--name', 'Ann'];
    const refused = await admin(words);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toMatch(/^Account acc_.* already has the e-mail address ANN@Example\.com\. Use --shared-email/);
    expect((await admin([...words, '--shared-email'])).code).toBe(0);
  });

  it('restricts an added account to public addresses by default and prints that', async () => {
    expect((await create()).account.egress).toBe('public');
    const words = ['account', 'create', '--email', 'eve@example.com', '--name', 'Eve', '--shared-email'];
    expect((await admin(words)).out).toContain('egress   public addresses only');
    const { account } = await json(...words, '--egress', 'any');
    expect(account.egress).toBe('any');
    expect(await json('account', 'set-limits', account.id, '--egress', 'public')).toMatchObject({ egress: 'public' });
  });

  it('renames the first account and sets its e-mail address', async () => {
    const { id } = (await as(service().adminKey).get('/v1/me')).body;
    expect(await json('account', 'rename', id, '--name', 'Example Inc', '--email', 'ops@example.com')).toMatchObject({
      name: 'Example Inc',
      email: 'ops@example.com',
    });
    expect((await as(service().adminKey).get('/v1/me')).body.name).toBe('Example Inc');
    const { account } = await create();
    expect((await admin(['account', 'rename', account.id, '--email', 'OPS@example.com'])).err).toContain(id);
  });

  it('lists the keys of an account without secrets and deletes one', async () => {
    const { account, key } = await create();
    const other = (await as(key).post('/v1/auth/keys', { label: 'other' })).body;
    const listed = await json('key', 'list', account.id);
    expect(listed.map((one: { label: string }) => one.label)).toEqual(['First admin key', 'other']);
    const { out } = await admin(['key', 'list', account.id]);
    expect(out).toContain(other.id);
    expect(out).not.toContain(other.key);
    expect((await admin(['key', 'delete', account.id, other.id])).code).toBe(0);
    expect((await as(other.key).get('/v1/me')).status).toBe(401);
    expect((await admin(['key', 'delete', account.id, other.id])).code).toBe(2);
  });

  it('deletes an account permanently when its id is repeated', async () => {
    const { account, key } = await create();
    const refused = await admin(['account', 'delete', account.id]);
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.err).toContain(`--confirm ${account.id}`);
    expect((await as(key).get('/v1/me')).status).toBe(200);
    expect(await json('account', 'delete', account.id, '--confirm', account.id)).toMatchObject({ disabled: true });
    expect(await as(key).get('/v1/me')).toMatchObject(failure(403, 'ACCOUNT_DISABLED'));
    expect((await admin(['account', 'enable', account.id])).err).toContain('was deleted');
  });

  it('prints the result of every command on the table as JSON with --json', async () => {
    const { account, key: secret } = await create();
    const [admin] = await json('user', 'list', account.id);
    expect(admin).toMatchObject({ email: 'ann@example.com', role: 'admin', status: 'active' });
    const { id: key } = await json('key', 'issue', account.id);
    const { id: page } = (await as(secret).post('/v1/status-pages', { slug: 'acme', title: 'Acme' })).body;
    const lines: Record<string, string[]> = {
      'account create': ['--email', 'again@example.com', '--name', 'N', '--shared-email'],
      'account list': [],
      'account rename': [account.id, '--name', 'Ann again'],
      'account set-limits': [account.id, '--rollup-days', '31'],
      'account show': [account.id],
      'account disable': [account.id],
      'account enable': [account.id],
      'user list': [account.id],
      'user role': [account.id, admin.id, 'admin'],
      'user link': [account.id, admin.id, '--revoke'],
      'session end': [account.id],
      audit: [account.id, '--action', 'account.update'],
      'key list': [account.id],
      'key issue': [account.id],
      'key delete': [account.id, key],
      'status-page set-domain': [page, 'Status.Acme.Example'],
      'status-page remove-domain': [page],
      'account delete': [account.id, '--confirm', account.id],
    };
    const onTable = Object.keys(COMMANDS).filter((name) => 'run' in COMMANDS[name]!);
    expect(new Set(Object.keys(lines))).toEqual(new Set(onTable));
    const answers = new Map<string, unknown>();
    for (const [name, rest] of Object.entries(lines)) answers.set(name, await json(...name.split(' '), ...rest));
    expect(answers.get('account show')).toMatchObject({ id: account.id, name: 'Ann again', rate_limits: {} });
    expect(answers.get('account set-limits')).toMatchObject({ rollup_days: 31 });
    expect(answers.get('status-page set-domain')).toEqual({
      id: page,
      account_id: account.id,
      domain: 'status.acme.example',
    });
    expect(answers.get('user list')).toEqual([admin]);
    expect(answers.get('user link')).toMatchObject({ user_id: admin.id, url: expect.stringContaining('/#/link/fwl_') });
    expect(answers.get('session end')).toEqual({ ended: [admin.id] });
    expect(answers.get('audit')).toContainEqual(expect.objectContaining({ action: 'account.update' }));
  });

  it('changes the role of a user, except that of the last admin', async () => {
    const { account, key } = await create();
    const invited = (await as(key).post('/v1/settings/users/invite', { email: 'bob@example.com', role: 'viewer' }))
      .body;
    const bob = await as(key).post('/v1/invitations/accept', { token: invited.invite_token, name: 'Bob' });
    expect(await json('user', 'role', account.id, invited.id, 'admin')).toMatchObject({
      id: invited.id,
      role: 'admin',
    });
    expect((await as(bob.body.key).get('/v1/me')).body.role).toBe('admin');
    expect(await json('user', 'role', account.id, invited.id, 'viewer')).toMatchObject({ role: 'viewer' });
    const [{ id: last }] = await json('user', 'list', account.id);
    expect(await admin(['user', 'role', account.id, last, 'member'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^This is the last admin of the account\./),
    });
  });

  it('shows all limits and users of an account', async () => {
    const { account } = await create();
    const shown = (await admin(['account', 'show', account.id])).out;
    for (const [name, value] of Object.entries({
      id: account.id,
      retention_days: 30,
      rollup_days: 400,
      egress: 'public',
    })) {
      expect(shown).toMatch(new RegExp(`^${name} +${value}$`, 'm'));
    }
    expect((await admin(['user', 'list', account.id])).out).toMatch(
      /^usr_\w+ {2}admin {6}active {3}ann@example\.com \(Ann\)\n$/,
    );
  });

  it('lists accounts without keys', async () => {
    const { account, key } = await create();
    expect(await json('account', 'list')).toContainEqual(account);
    const { out } = await admin(['account', 'list']);
    expect(out).toContain(account.id);
    expect(out).not.toContain(key);
  });

  it('sets limits that take effect at once', async () => {
    const { account, key } = await create();
    const limits = ['--blueprints', '1', '--entities', '0', '--checks', '90', '--retention-days', '7'];
    expect(await json('account', 'set-limits', account.id, ...limits)).toMatchObject({
      blueprint_limit: 1,
      entity_limit_per_bp: 0,
      check_limit_per_entity: 90,
      retention_days: 7,
    });
    await as(key).post('/v1/blueprints', { slug: 'a', name: 'a' });
    expect(await as(key).post('/v1/blueprints', { slug: 'b', name: 'b' })).toMatchObject(
      failure(409, 'LIMIT_EXCEEDED'),
    );
    expect(await as(key).post('/v1/blueprints/a/entities', { slug: 'e', name: 'e' })).toMatchObject(
      failure(409, 'LIMIT_EXCEEDED'),
    );
  });

  it('sets every limit and the rates of the account, which take effect at once', async () => {
    const { account, key } = await create();
    const numbers = { 'all-checks': 7, 'checks-per-minute': 8, relations: 9, keys: 10, users: 11, invitations: 12 };
    const limits = Object.entries(numbers).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const rates = ['--rate', 'push=1000/10000,read=1/3'];
    expect(await json('account', 'set-limits', account.id, ...limits, ...rates)).toMatchObject({
      check_limit: 7,
      checks_per_minute_limit: 8,
      relation_limit: 9,
      key_limit_per_user: 10,
      user_limit: 11,
      invitation_limit: 12,
      rate_limits: { push: { per_second: 1000, burst: 10_000 }, read: { per_second: 1, burst: 3 } },
    });
    const { status, headers, body } = await as(key).get('/v1/me');
    expect([status, headers.get('ratelimit-policy')]).toEqual([200, '"read";q=3;w=3']);
    expect(body).toMatchObject({ check_limit: 7, invitation_limit: 12, rate_limits: { read: { burst: 3 } } });
    const back = await json('account', 'set-limits', account.id, '--rate', 'read=default');
    expect(back.rate_limits).toEqual({ push: { per_second: 1000, burst: 10_000 } });
  });

  it('disables an account, including reads and unknown routes, and enables it', async () => {
    const { account, key } = await create();
    const other = (await as(key).post('/v1/auth/keys', { label: 'other' })).body.key;
    expect(await json('account', 'disable', account.id)).toMatchObject({ disabled: true });
    for (const one of [key, other]) {
      expect(await as(one).get('/v1/me')).toMatchObject(failure(403, 'ACCOUNT_DISABLED'));
      expect(await as(one).get('/v1/nothing')).toMatchObject(failure(403, 'ACCOUNT_DISABLED'));
    }
    expect((await admin(['key', 'issue', account.id])).code).toBe(2);
    await json('account', 'enable', account.id);
    expect((await as(other).get('/v1/me')).status).toBe(200);
  });

  it('issues a replacement for a lost admin key', async () => {
    const { account, key } = await create();
    const own = (await as(key).get('/v1/auth/keys')).body[0].id;
    expect((await as(key).del(`/v1/auth/keys/${own}`)).status).toBe(204);
    const issued = await json('key', 'issue', account.id, '--label', 'Found again');
    expect(issued.label).toBe('Found again');
    expect((await as(issued.key).get('/v1/me')).body).toMatchObject({ id: account.id, role: 'admin' });
  });

  it('prints its usage', async () => {
    const help = await admin(['--help']);
    expect(help).toMatchObject({ code: 0, err: '' });
    for (const command of ['account create', 'account list', 'set-limits', 'disable', 'enable', 'key issue']) {
      expect(help.out).toContain(command);
    }
    expect(await admin([])).toMatchObject({ code: 2 });
  });
});
