import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure } from '#test/support/client.ts';
import {
  newAdmin,
  newMember,
  newPerson,
  type OidcWorld,
  oidcWorld,
  passProvider,
  sessionOf,
} from '#test/support/oidc-world.ts';
import { PlainBrowser } from '#test/support/plain-browser.ts';

let world: OidcWorld;
let admin: Client & { id: string };
beforeAll(async () => {
  world = await oidcWorld({ env: { OIDC_NAME: 'Example SSO' } });
  admin = await newAdmin(world);
});
afterAll(() => world[Symbol.asyncDispose]());

const signInPage = (error: string) => `/#/sign-in?error=${error}`;

describe('a sign-in at the provider', () => {
  it('is offered under the name that the operator configured', async () => {
    const { body } = await new PlainBrowser().call(`${world.page}/v1/sign-in/methods`);
    expect(body.oidc).toEqual({ name: 'Example SSO' });
  });

  it('requests a code with PKCE, state and nonce, and returns to the service', async () => {
    const { status, body } = await new PlainBrowser().call(`${world.page}/v1/sign-in/oidc`, {
      method: 'POST',
      body: {},
    });
    expect(status).toBe(200);
    const url = new URL(body.url);
    expect(url.origin).toBe(world.provider.issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'fleetwatch',
      response_type: 'code',
      redirect_uri: `${world.page}/v1/sign-in/oidc/callback`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it('ends in a session of 24 hours, at the requested page', async () => {
    const { person, browser } = await newMember(world, admin);
    const { status, location, headers } = await passProvider(world, browser, person, { return_to: '/#/checks?a=b' });
    expect({ status, location }).toEqual({ status: 303, location: '/#/checks?a=b' });
    expect(headers.get('cache-control')).toBe('no-store');
    const session = await sessionOf(world, browser);
    expect(session).toMatchObject({ method: 'oidc', account: { id: admin.id }, role: 'member', current: true });
    expect(Date.parse(session.expires_at) - Date.parse(session.created_at)).toBe(24 * 3_600_000);
  });

  it('is bound to the browser by a cookie that is deleted afterwards', async () => {
    const { browser } = await newMember(world, admin);
    const [begun] = browser.setCookies.filter((text) => text.includes('_oidc_'));
    const { port } = new URL(world.page);
    expect(begun).toMatch(
      new RegExp(`^fleetwatch_oidc_${port}=[0-9A-Za-z]{43}; Path=/; HttpOnly; SameSite=Lax; Max-Age=600$`),
    );
    expect(Object.keys(browser.cookies(world.page))).toEqual([`fleetwatch_session_${port}`]);
  });

  it('ends the previous session of the browser', async () => {
    const { person, browser } = await newMember(world, admin);
    const before = browser.copy();
    expect(await sessionOf(world, before)).toBeDefined();
    await passProvider(world, browser, person);
    expect(await sessionOf(world, before)).toBeUndefined();
    expect(await sessionOf(world, browser)).toBeDefined();
  });

  it('identifies the user by issuer and subject, whatever the e-mail address', async () => {
    const { person } = await newMember(world, admin);
    const other = new PlainBrowser();
    await passProvider(world, other, { ...person, email: 'renamed@example.com', email_verified: false });
    expect((await sessionOf(world, other)).user.email).toBe(`invited-${person.email}`);
  });

  it('works without a client secret, with only PKCE', async () => {
    await using publicly = await oidcWorld({ isPublic: true });
    const { browser } = await newMember(publicly, await newAdmin(publicly));
    expect(await sessionOf(publicly, browser)).toMatchObject({ method: 'oidc' });
  });

  it('continues after the provider rotates its keys', async () => {
    const { person, browser } = await newMember(world, admin);
    world.provider.rotateKeys();
    expect((await passProvider(world, browser, person)).location).toBe('/');
  });
});

describe('identity settings', () => {
  const begin = (browser: PlainBrowser) =>
    browser.call(`${world.page}/v1/sign-in/oidc`, { method: 'POST', body: { purpose: 'link', return_to: '/#/me' } });

  it('let a member link another identity and keep the session', async () => {
    const { person, browser } = await newMember(world, admin);
    const session = await sessionOf(world, browser);
    const second = newPerson({ name: 'Second' });
    const response = await passProvider(world, browser, second, { purpose: 'link', return_to: '/#/me' });
    expect(response.location).toBe('/#/me');
    expect(await sessionOf(world, browser)).toEqual(session);
    const { body: own } = await browser.call(`${world.page}/v1/sign-in/identities`);
    const record = { issuer: world.provider.issuer, id: expect.stringMatching(/^idn_/) };
    expect(own).toMatchObject([
      { ...record, subject: person.sub, name: person.email },
      { ...record, subject: second.sub, name: second.email },
    ]);
    const other = new PlainBrowser();
    await passProvider(world, other, second);
    expect((await sessionOf(world, other)).user).toEqual(session.user);
  });

  it('let a user remove an identity, which then cannot sign in', async () => {
    const { person, browser } = await newMember(world, admin);
    const { body: own } = await browser.call(`${world.page}/v1/sign-in/identities`);
    const path = `${world.page}/v1/sign-in/identities/${own[0].id}`;
    expect(await browser.call(path, { method: 'DELETE' })).toMatchObject({ status: 204 });
    expect(await browser.call(path, { method: 'DELETE' })).toMatchObject({ status: 404 });
    expect((await browser.call(`${world.page}/v1/sign-in/identities`)).body).toEqual([]);
    expect((await passProvider(world, new PlainBrowser(), person)).location).toBe(signInPage('not_invited'));
  });

  it('do not link an identity without a session, or with a key', async () => {
    expect(await begin(new PlainBrowser())).toMatchObject({ status: 401 });
    const byKey = new PlainBrowser();
    await byKey.call(`${world.page}/v1/sign-in/key`, { method: 'POST', body: { key: admin.key } });
    expect(await begin(byKey)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await admin.post('/v1/sign-in/oidc', { purpose: 'link' })).toMatchObject(failure(403, 'FORBIDDEN'));
  });

  it.each(['signed out', 'ended all their sessions'])(
    'do not link an identity for a user who has %s since',
    async (what) => {
      const { person, browser } = await newMember(world, admin);
      const begun = await begin(browser);
      const second = newPerson();
      world.provider.person = second;
      const callback = await browser.follow(begun.body.url, world.page);
      if (what === 'signed out') await browser.call(`${world.page}/v1/session`, { method: 'DELETE' });
      else {
        const other = new PlainBrowser();
        await passProvider(world, other, person);
        await other.call(`${world.page}/v1/sessions`, { method: 'DELETE' });
      }
      expect((await browser.visit(callback)).location).toBe(signInPage('expired'));
      expect((await passProvider(world, new PlainBrowser(), second)).location).toBe(signInPage('not_invited'));
    },
  );

  it('limit a user to ten identities', async () => {
    const { browser } = await newMember(world, admin);
    for (let i = 1; i < 10; i++) await passProvider(world, browser, newPerson(), { purpose: 'link' });
    expect(await begin(browser)).toMatchObject({ status: 409, body: { code: 'LIMIT_EXCEEDED' } });
  });
});

describe('a sign-in link', () => {
  it('signs in by the provider and links the identity', async () => {
    const { person, browser } = await newMember(world, admin);
    const { user } = await sessionOf(world, browser);
    const made = await admin.post(`/v1/settings/users/${user.id}/sign-in-link`, { revoke: true });
    expect((await passProvider(world, new PlainBrowser(), person)).location).toBe(signInPage('not_invited'));
    const token = made.body.url.split('/').at(-1);
    const other = new PlainBrowser();
    const second = newPerson();
    expect((await passProvider(world, other, second, { token })).location).toBe('/');
    expect((await sessionOf(world, other)).user).toEqual(user);
    const again = await new PlainBrowser().call(`${world.page}/v1/sign-in/oidc`, { method: 'POST', body: { token } });
    expect(again.status).toBe(401);
  });
});

describe('a removed user', () => {
  it('is signed out and cannot sign in by the provider', async () => {
    const { person, browser } = await newMember(world, admin);
    const { user } = await sessionOf(world, browser);
    await admin.del(`/v1/settings/users/${user.id}`);
    expect(await sessionOf(world, browser)).toBeUndefined();
    expect((await passProvider(world, new PlainBrowser(), person)).location).toBe(signInPage('not_invited'));
  });
});
