import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Client, clientOf, failure, memberOf, newTenant, TIME } from '#test/support/client.ts';
import { newCheck } from '#test/support/fleet.ts';
import { type Page, pageAt, signedInByLink, signedInWith } from '#test/support/page.ts';
import { type Tenant, target } from '#test/support/service.ts';

let url: string;
let admin: Client & Tenant;
/** User id of the admin. */
let adminId: string;
beforeAll(async () => {
  ({ url } = await target());
  admin = await newTenant();
  adminId = (await admin.get('/v1/me')).body.user.id;
});

const ended = failure(401, 'UNAUTHORIZED');

describe('a session', () => {
  it('is in a cookie that no script can read, and authenticates instead of a key', async () => {
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

  it('is ignored when the request has an Authorization header', async () => {
    const page = await signedInWith(url, admin.key);
    const other = await newTenant();
    const headers = { authorization: `Bearer ${other.key}` };
    expect((await page.send('GET', '/v1/me', { headers })).body).toMatchObject({ id: other.id, session: null });
    for (const authorization of ['Bearer fw_nothing', 'Basic YTpi', '']) {
      expect(await page.send('GET', '/v1/me', { headers: { authorization } })).toMatchObject(ended);
    }
  });

  it('is ignored by heartbeats and MCP, which accept only keys', async () => {
    const page = await signedInWith(url, admin.key);
    const { id } = await newCheck(admin);
    expect(await page.post(`/v1/checks/${id}/heartbeat`)).toMatchObject(ended);
    expect(await page.post(`/v1/checks/${id}/results`, { success: true })).toMatchObject(ended);
    const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect(await page.post('/v1/mcp', body)).toMatchObject({ status: 401 });
  });

  it('is rejected when its cookie is garbled or duplicated', async () => {
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

  it('ends with its sign-out, even for a copied cookie', async () => {
    const page = await signedInWith(url, admin.key);
    const copy = new Map(page.cookies);
    const out = await page.del('/v1/session');
    expect(out.status).toBe(204);
    expect(out.headers.getSetCookie()).toMatchObject([
      expect.stringMatching(/=; .*HttpOnly; SameSite=Strict; Max-Age=0$/),
    ]);
    expect(page.cookies.size).toBe(0);
    for (const [name, value] of copy) page.cookies.set(name, value);
    expect(await page.get('/v1/me')).toMatchObject({
      status: 401,
      body: { error: 'This session has ended. Sign in again.' },
    });
    expect((await page.del('/v1/session')).status).toBe(204);
    expect((await pageAt(url).del('/v1/session')).status).toBe(204);
  });

  it('gets a new token at each sign-in, which prevents session fixation', async () => {
    const page = await signedInWith(url, admin.key);
    const planted = new Map(page.cookies);
    expect((await page.post('/v1/sign-in/key', { key: admin.key })).status).toBe(201);
    expect((await page.get('/v1/me')).status).toBe(200);
    const attacker = pageAt(url);
    for (const [name, value] of planted) attacker.cookies.set(name, value);
    expect([...page.cookies.values()]).not.toEqual([...planted.values()]);
    expect(await attacker.get('/v1/me')).toMatchObject(ended);
    // An invented token is replaced as well.
    const [name = ''] = planted.keys();
    const made = pageAt(url);
    made.cookies.set(name, 'A'.repeat(43));
    await made.post('/v1/sign-in/key', { key: admin.key });
    expect(made.cookies.get(name)).not.toBe('A'.repeat(43));
  });
});

describe('the sessions of a user', () => {
  it('are listed newest first, and can be ended one by one, or all except the current one', async () => {
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

  it('are limited to 20: one more ends the oldest', async () => {
    const member = await memberOf(admin);
    const pages = [];
    for (let i = 0; i < 21; i++) pages.push(await signedInByLink(url, admin, member.id));
    expect((await member.get('/v1/sessions')).body).toHaveLength(20);
    expect(await pages[0]!.get('/v1/me')).toMatchObject(ended);
    expect((await pages[1]!.get('/v1/me')).status).toBe(200);
  });

  it('are visible only to that user, but an admin can end them all', async () => {
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

describe('the user of a session', () => {
  it('is read at each request, so that a removed user is rejected immediately, even at a hundred calls per second', async () => {
    const member = await memberOf(admin);
    const page = await signedInByLink(url, admin, member.id);
    let removed = Number.POSITIVE_INFINITY;
    const afterRemoval: number[] = [];
    const seen = new Set<number>();
    const calls: Promise<void>[] = [];
    const call = async () => {
      const begun = performance.now();
      const { status } = await page.get('/v1/me');
      seen.add(status);
      if (begun > removed) afterRemoval.push(status);
    };
    const timer = setInterval(() => calls.push(call()), 10);
    await vi.waitFor(() => expect(seen).toContain(200));
    expect((await admin.del(`/v1/settings/users/${member.id}`)).status).toBe(204);
    removed = performance.now();
    await vi.waitFor(() => expect(afterRemoval.length).toBeGreaterThan(20));
    clearInterval(timer);
    await Promise.all(calls);
    expect(new Set(afterRemoval)).toEqual(new Set([401]));
    expect(seen).toEqual(new Set([200, 401]));
    expect(await clientOf(url, member.key).get('/v1/me')).toMatchObject(ended);
  });
});
