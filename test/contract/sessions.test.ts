import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Client, clientOf, failure, keyOf, memberOf, newTenant, TIME } from '#test/support/client.ts';
import { newCheck } from '#test/support/fleet.ts';
import { type Page, pageAt, signedInByLink, signedInWith, tokenOf } from '#test/support/page.ts';
import { type Tenant, target } from '#test/support/service.ts';

let url: string;
let admin: Client & Tenant;
/** The admin's user id. */
let adminId: string;
beforeAll(async () => {
  ({ url } = await target());
  admin = await newTenant();
  adminId = (await admin.get('/v1/me')).body.user.id;
});

const ended = failure(401, 'UNAUTHORIZED');
const linkFor = async (user: string, body?: object): Promise<string> =>
  tokenOf((await admin.post(`/v1/settings/users/${user}/sign-in-link`, body)).body.url);
const redeem = (token: string, page: Page = pageAt(url)) => page.post('/v1/sign-in/link', { token });

describe('a session', () => {
  it('stands in a cookie that no script sees, and calls the API in place of a key', async () => {
    const page = pageAt(url);
    const signedIn = await page.post('/v1/sign-in/key', { key: admin.key });
    expect(signedIn.status).toBe(201);
    const [cookie, ...more] = signedIn.headers.getSetCookie();
    const name = `fleetwatch_session_${new URL(url).port || '80'}`;
    if (url.startsWith('https:'))
      expect(cookie).toMatch(/^__Host-fleetwatch_session=\w{43}; Secure; Path=\/; HttpOnly;/);
    else expect(cookie).toMatch(new RegExp(`^${name}=\\w{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000$`));
    expect(more).toEqual([]);
    expect(JSON.stringify(signedIn.body)).not.toContain([...page.cookies.values()][0]);

    const record = {
      id: expect.stringMatching(/^ses_/),
      method: 'key',
      user: { id: adminId, email: 'test@example.com', name: 'Test account' },
      account: { id: admin.id, name: 'Test account' },
      role: 'admin',
      scopes: null,
      created_at: TIME,
      last_seen_at: TIME,
      last_seen_from: expect.any(String),
      user_agent: '',
      expires_at: TIME,
      current: true,
    };
    expect(signedIn.body).toEqual(record);
    expect((await page.get('/v1/session')).body).toEqual(signedIn.body);
    expect((await page.get('/v1/me')).body).toMatchObject({ id: admin.id, role: 'admin', session: signedIn.body });
    expect((await page.post('/v1/blueprints', { slug: 'by-page', name: 'By page' })).status).toBe(201);
  });

  it('is null for a call with a key', async () => {
    expect(await admin.get('/v1/session')).toMatchObject({ status: 200, body: null });
    expect((await admin.get('/v1/me')).body.session).toBeNull();
  });

  it('gives way to a key: with Authorization no cookie is looked at', async () => {
    const page = await signedInWith(url, admin.key);
    const other = await newTenant();
    const headers = { authorization: `Bearer ${other.key}` };
    expect((await page.send('GET', '/v1/me', { headers })).body).toMatchObject({ id: other.id, session: null });
    for (const authorization of ['Bearer fw_nothing', 'Basic YTpi', '']) {
      expect(await page.send('GET', '/v1/me', { headers: { authorization } })).toMatchObject(ended);
    }
  });

  it('is nothing to heartbeats and MCP, which take keys alone', async () => {
    const page = await signedInWith(url, admin.key);
    const { id } = await newCheck(admin);
    expect(await page.post(`/v1/checks/${id}/heartbeat`)).toMatchObject(ended);
    expect(await page.post(`/v1/checks/${id}/results`, { success: true })).toMatchObject(ended);
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect(await page.post('/v1/mcp', body)).toMatchObject({ status: 401 });
  });

  it('is refused when its cookie is garbled or came twice', async () => {
    const page = await signedInWith(url, admin.key);
    const [[name, token] = ['', '']] = page.cookies;
    const other = (await signedInWith(url, admin.key)).cookies.get(name)!;
    const send = (cookie: string) => page.send('GET', '/v1/me', { headers: { cookie } });
    expect((await send(`a=b; ${name}=${token}; c=d`)).status).toBe(200);
    for (const cookie of [
      `${name}=`,
      `${name}=${token}x`,
      `${name}="${token}"`,
      `${name}=${'0'.repeat(43)}`,
      `${name}x=${token}`,
      `${name}=${token}; ${name}=${other}`,
      `${name}=${other}; ${name}=${token}`,
      `${name}=${token}; ${name}=${token}`,
    ]) {
      expect(await send(cookie), cookie).toMatchObject(ended);
    }
  });

  it('ends with its sign-out, for whoever has copied its cookie too', async () => {
    const page = await signedInWith(url, admin.key);
    const copy = new Map(page.cookies);
    const out = await page.del('/v1/session');
    expect(out.status).toBe(204);
    expect(out.headers.getSetCookie()).toMatchObject([
      expect.stringMatching(/=; .*HttpOnly; SameSite=Strict; Max-Age=0$/),
    ]);
    expect(page.cookies.size).toBe(0);
    for (const [name, value] of copy) page.cookies.set(name, value);
    expect(await page.get('/v1/me')).toMatchObject(ended);
    expect((await page.del('/v1/session')).status).toBe(204);
    expect((await pageAt(url).del('/v1/session')).status).toBe(204);
  });

  it('that was known before a sign-in is worth nothing after it', async () => {
    const page = await signedInWith(url, admin.key);
    const planted = new Map(page.cookies);
    expect((await page.post('/v1/sign-in/key', { key: admin.key })).status).toBe(201);
    expect((await page.get('/v1/me')).status).toBe(200);
    const attacker = pageAt(url);
    for (const [name, value] of planted) attacker.cookies.set(name, value);
    expect([...page.cookies.values()]).not.toEqual([...planted.values()]);
    expect(await attacker.get('/v1/me')).toMatchObject(ended);
    // Neither is a token that somebody has thought of.
    const [name = ''] = planted.keys();
    const made = pageAt(url);
    made.cookies.set(name, 'A'.repeat(43));
    await made.post('/v1/sign-in/key', { key: admin.key });
    expect(made.cookies.get(name)).not.toBe('A'.repeat(43));
  });
});

describe('the sessions of a user', () => {
  it('are listed newest first, and end one by one, or all but the one that asks', async () => {
    const member = await memberOf(admin);
    const pages = [];
    for (let i = 0; i < 4; i++) pages.push(await signedInByLink(url, admin, member.id));
    const [first, second, third, last] = pages as [Page, Page, Page, Page];
    const listed = (await last.get('/v1/sessions')).body;
    expect(listed.map(({ current }: { current: boolean }) => current)).toEqual([true, false, false, false]);
    expect(listed[0]).toMatchObject({ method: 'link', role: 'member', user: { id: member.id } });
    expect((await member.get('/v1/sessions')).body.map(({ id }: { id: string }) => id)).toEqual(
      listed.map(({ id }: { id: string }) => id),
    );

    expect((await last.del(`/v1/sessions/${listed[3].id}`)).status).toBe(204);
    expect(await last.del(`/v1/sessions/${listed[3].id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await first.get('/v1/me')).toMatchObject(ended);
    expect((await second.get('/v1/me')).status).toBe(200);
    expect((await last.del('/v1/sessions')).status).toBe(204);
    for (const page of [second, third]) expect(await page.get('/v1/me')).toMatchObject(ended);
    expect((await last.get('/v1/sessions')).body).toMatchObject([{ id: listed[0].id, current: true }]);
    expect((await member.del('/v1/sessions')).status).toBe(204);
    expect(await last.get('/v1/me')).toMatchObject(ended);
  });

  it('are at most 20: with one more the oldest ends', async () => {
    const member = await memberOf(admin);
    const pages = [];
    for (let i = 0; i < 21; i++) pages.push(await signedInByLink(url, admin, member.id));
    expect((await member.get('/v1/sessions')).body).toHaveLength(20);
    expect(await pages[0]!.get('/v1/me')).toMatchObject(ended);
    expect((await pages[1]!.get('/v1/me')).status).toBe(200);
  });

  it('are nobody else’s to see or end, but for an admin, who ends them all', async () => {
    const [member, other] = [await memberOf(admin), await memberOf(admin)];
    const [page, another] = [await signedInByLink(url, admin, member.id), await signedInByLink(url, admin, other.id)];
    const { id } = (await page.get('/v1/session')).body;
    expect((await another.get('/v1/sessions')).body).toHaveLength(1);
    expect(await another.del(`/v1/sessions/${id}`)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await another.del(`/v1/settings/users/${member.id}/sessions`)).toMatchObject(failure(403, 'FORBIDDEN'));
    const stranger = await newTenant();
    expect(await stranger.del(`/v1/settings/users/${member.id}/sessions`)).toMatchObject(failure(404, 'NOT_FOUND'));
    expect((await page.get('/v1/me')).status).toBe(200);
    expect((await admin.del(`/v1/settings/users/${member.id}/sessions`)).status).toBe(204);
    expect(await page.get('/v1/me')).toMatchObject(ended);
    expect((await another.get('/v1/me')).status).toBe(200);
  });
});

describe('a sign-in with a key', () => {
  it('may what the key may, and ends with it', async () => {
    const reader = await keyOf(admin, { is_read_only: true });
    const page = await signedInWith(url, reader.key);
    expect((await page.get('/v1/me')).body).toMatchObject({ is_read_only: true, session: { method: 'key' } });
    expect(await page.post('/v1/blueprints', { slug: 'x', name: 'x' })).toMatchObject(failure(403, 'READ_ONLY'));
    const scoped = await signedInWith(url, (await keyOf(admin, { scopes: ['read'] })).key);
    expect((await scoped.get('/v1/session')).body).toMatchObject({ scopes: ['read'], role: 'admin' });
    expect(await scoped.post('/v1/blueprints', { slug: 'x', name: 'x' })).toMatchObject(failure(403, 'FORBIDDEN'));
    await admin.del(`/v1/auth/keys/${reader.id}`);
    expect(await page.get('/v1/me')).toMatchObject(ended);
    expect((await page.del('/v1/session')).status).toBe(204);
  });

  it('is refused for a key that may not read, and for one that is none', async () => {
    const pushing = await keyOf(admin, { scopes: ['push'] });
    const refused = await pageAt(url).post('/v1/sign-in/key', { key: pushing.key });
    expect(refused).toMatchObject(failure(403, 'FORBIDDEN'));
    expect(refused.body.error).toBe('This key has the scope push; this needs read. Make a key that has it.');
    for (const key of ['fw_', 'x', `fw_${'0'.repeat(43)}`, admin.key.slice(0, -1)]) {
      const answer = await pageAt(url).post('/v1/sign-in/key', { key });
      expect(answer, key).toMatchObject(failure(401, 'UNAUTHORIZED'));
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
    for (const body of [{}, { key: '' }, { key: 1 }, { key: 'x'.repeat(201) }]) {
      expect(await pageAt(url).post('/v1/sign-in/key', body)).toMatchObject(failure(400, 'VALIDATION_ERROR', 'key'));
    }
  });
});

describe('a sign-in link', () => {
  it('signs a member in once, with their own role, for 12 hours', async () => {
    const member = await memberOf(admin);
    const made = await admin.post(`/v1/settings/users/${member.id}/sign-in-link`);
    expect(made).toMatchObject({ status: 201, body: { expires_at: TIME } });
    expect(made.body.url).toMatch(/^https?:\/\/[^/]+\/#\/link\/fwl_[0-9A-Za-z]{43}$/);
    expect(Date.parse(made.body.expires_at) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    const page = pageAt(url);
    const signedIn = await redeem(tokenOf(made.body.url), page);
    expect(signedIn).toMatchObject({ status: 201, body: { method: 'link', role: 'member', user: { id: member.id } } });
    const lasts = Date.parse(signedIn.body.expires_at) - Date.parse(signedIn.body.created_at);
    expect(lasts).toBe(12 * 3_600_000);
    expect(await redeem(tokenOf(made.body.url))).toMatchObject(failure(401, 'UNAUTHORIZED'));
    expect((await page.get('/v1/me')).status).toBe(200);
  });

  it('signs in one of twenty who use it at once', async () => {
    const token = await linkFor(adminId);
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(token)));
    const won = answers.filter(({ status }) => status === 201);
    expect(won).toHaveLength(1);
    for (const lost of answers.filter((one) => one !== won[0])) {
      expect(lost).toMatchObject(failure(401, 'UNAUTHORIZED'));
      expect(lost.headers.getSetCookie()).toEqual([]);
    }
  });

  it('is good no more once a newer one was made', async () => {
    const member = await memberOf(admin);
    const [old, newer] = [await linkFor(member.id), await linkFor(member.id)];
    expect(await redeem(old)).toMatchObject(failure(401, 'UNAUTHORIZED'));
    expect((await redeem(newer)).status).toBe(201);
  });

  it('ends all sessions of the user when it is told to revoke, and no key', async () => {
    const member = await memberOf(admin);
    const page = await signedInByLink(url, admin, member.id);
    const token = await linkFor(member.id, { revoke: true });
    expect(await page.get('/v1/me')).toMatchObject(ended);
    expect((await member.get('/v1/me')).status).toBe(200);
    expect((await redeem(token)).status).toBe(201);
  });

  it.each(['fwl_', 'fwi_x', 'x', `fwl_${'0'.repeat(43)}`])('is refused when it is %s', async (token) => {
    expect(await redeem(token)).toMatchObject(failure(401, 'UNAUTHORIZED'));
  });

  it('is an admin’s to make, for members alone', async () => {
    const member = await memberOf(admin);
    const invited = await admin.post('/v1/settings/users/invite', { email: 'not-yet@example.com', role: 'viewer' });
    const path = (id: string) => `/v1/settings/users/${id}/sign-in-link`;
    expect(await member.post(path(member.id))).toMatchObject(failure(403, 'FORBIDDEN'));
    expect(await admin.post(path(invited.body.id))).toMatchObject(failure(409, 'CONFLICT'));
    expect(await admin.post(path('usr_none'))).toMatchObject(failure(404, 'NOT_FOUND'));
    expect(await admin.post(path(member.id), { revoke: 'yes' })).toMatchObject(
      failure(400, 'VALIDATION_ERROR', 'revoke'),
    );
    expect(await (await newTenant()).post(path(member.id))).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('an invitation', () => {
  it('begins a session in place of a key, when that is wanted', async () => {
    const { invite_token } = (
      await admin.post('/v1/settings/users/invite', { email: 'viewer@example.com', role: 'viewer' })
    ).body;
    const page = pageAt(url);
    const body = { token: invite_token, name: 'Vic', key: false, session: true };
    const accepted = await page.post('/v1/invitations/accept', body);
    expect(accepted).toMatchObject({
      status: 201,
      body: { key: null, session: { method: 'invitation', role: 'viewer' } },
    });
    expect((await page.get('/v1/me')).body).toMatchObject({ role: 'viewer', user: { name: 'Vic' } });
    expect((await page.get('/v1/auth/keys')).body).toEqual([]);
    expect(await page.post('/v1/invitations/accept', body)).toMatchObject(failure(404, 'NOT_FOUND'));
  });
});

describe('who a session belongs to is read at each request', () => {
  it('so that nobody is let in after their user was removed, during a hundred calls a second', async () => {
    const member = await memberOf(admin);
    const page = await signedInByLink(url, admin, member.id);
    let removed = Number.POSITIVE_INFINITY;
    const late: number[] = [];
    const seen = new Set<number>();
    const calls: Promise<void>[] = [];
    const call = async () => {
      const begun = performance.now();
      const { status } = await page.get('/v1/me');
      seen.add(status);
      if (begun > removed) late.push(status);
    };
    const timer = setInterval(() => calls.push(call()), 10);
    await vi.waitFor(() => expect(seen).toContain(200));
    expect((await admin.del(`/v1/settings/users/${member.id}`)).status).toBe(204);
    removed = performance.now();
    await vi.waitFor(() => expect(late.length).toBeGreaterThan(20));
    clearInterval(timer);
    await Promise.all(calls);
    expect(new Set(late)).toEqual(new Set([401]));
    expect(seen).toEqual(new Set([200, 401]));
    expect(await clientOf(url, member.key).get('/v1/me')).toMatchObject(ended);
  });
});
