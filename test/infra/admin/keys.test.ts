import { describe, expect, it } from 'vitest';
import { adminCli } from '#test/support/admin-cli.ts';
import { failure } from '#test/support/client.ts';
import { newCheck } from '#test/support/fleet.ts';

const { admin, as, create, json } = adminCli();

describe('admin key issue', () => {
  it('issues restricted keys and lists their restrictions', async () => {
    const { account, key } = await create();
    const expires = new Date(Date.now() + 86_400_000).toISOString();
    const made = await json(
      'key',
      'issue',
      account.id,
      '--label',
      'Board',
      '--scopes',
      'read, mcp',
      '--expires',
      expires,
    );
    expect(made).toMatchObject({ label: 'Board', scopes: ['read', 'mcp'], expires_at: expires, status: 'active' });
    expect((await as(made.key).get('/v1/me')).body.key).toMatchObject({ scopes: ['read', 'mcp'], expires_at: expires });
    expect(await as(made.key).get('/v1/auth/keys')).toMatchObject(failure(403, 'FORBIDDEN'));
    const check = await newCheck(as(key));
    await as(key).post('/v1/skills', { slug: 'runbook', name: 'Runbook', tools: [] });
    const job = ['--scopes', 'push', '--check-ids', check.id];
    expect(await json('key', 'issue', account.id, ...job)).toMatchObject({ check_ids: [check.id] });
    const agent = ['--scopes', 'mcp', '--skills', 'runbook'];
    expect(await json('key', 'issue', account.id, ...agent)).toMatchObject({ skills: ['runbook'] });
    const { out } = await admin(['key', 'list', account.id]);
    expect(out).toMatch(new RegExp(`read,mcp +expires ${expires} .*Board`));
    expect(out).toMatch(/full +no expiry .*First admin key/);
  });

  it.each([
    ['an unknown scope', ['--scopes', 'all'], 'scopes.0'],
    ['no scope', ['--scopes', ''], 'scopes.0'],
    ['an unknown check', ['--scopes', 'push', '--check-ids', 'chk_0'], 'check_ids.0'],
    ['checks without the scope push', ['--check-ids', 'chk_0'], 'check_ids'],
    ['a past date', ['--expires', '2020-01-31'], 'expires_at'],
    ['an invalid date', ['--expires', 'tomorrow'], 'expires_at'],
  ])('rejects a key with %s', async (_name, options, place) => {
    const { account } = await create();
    const { code, out, err } = await admin(['key', 'issue', account.id, ...options]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^[^\n]{10,}\n$/);
    expect(err).toContain(`${place}: `);
  });
});
