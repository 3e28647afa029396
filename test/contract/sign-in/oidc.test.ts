import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, failure } from '#test/support/client.ts';
import {
  invited,
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

describe('a sign-in by the provider', () => {
  it('is offered by the name that the operator gave it', async () => {
    const { body } = await new PlainBrowser().call(`${world.page}/v1/sign-in/methods`);
    expect(body.oidc).toEqual({ name: 'Example SSO' });
  });

  it('asks for a code by PKCE, with state and nonce, and leads back here', async () => {
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

  it('ends in a session of 24 hours, where it was to lead', async () => {
    const { person, browser } = await newMember(world, admin);
    const { status, location, headers } = await passProvider(world, browser, person, { return_to: '/#/checks?a=b' });
    expect({ status, location }).toEqual({ status: 303, location: '/#/checks?a=b' });
    expect(headers.get('cache-control')).toBe('no-store');
    const session = await sessionOf(world, browser);
    expect(session).toMatchObject({ method: 'oidc', account: { id: admin.id }, role: 'member', current: true });
    expect(Date.parse(session.expires_at) - Date.parse(session.created_at)).toBe(24 * 3_600_000);
  });

  it('holds its browser by a cookie that is gone afterwards', async () => {
    const { browser } = await newMember(world, admin);
    const [begun] = browser.told.filter((text) => text.includes('_oidc_'));
    const { port } = new URL(world.page);
    expect(begun).toMatch(
      new RegExp(`^fleetwatch_oidc_${port}=[0-9A-Za-z]{43}; Path=/; HttpOnly; SameSite=Lax; Max-Age=600$`),
    );
    expect(Object.keys(browser.cookies(world.page))).toEqual([`fleetwatch_session_${port}`]);
  });

  it('ends the session that the browser had before', async () => {
    const { person, browser } = await newMember(world, admin);
    const before = browser.copy();
    expect(await sessionOf(world, before)).toBeDefined();
    await passProvider(world, browser, person);
    expect(await sessionOf(world, before)).toBeUndefined();
    expect(await sessionOf(world, browser)).toBeDefined();
  });

  it('goes by issuer and subject, whatever becomes of the e-mail address', async () => {
    const { person } = await newMember(world, admin);
    const other = new PlainBrowser();
    await passProvider(world, other, { ...person, email: 'renamed@example.com', email_verified: false });
    expect((await sessionOf(world, other)).user.email).toBe(`invited-${person.email}`);
  });

  it('works without a client secret, by PKCE alone', async () => {
    await using publicly = await oidcWorld({ isPublic: true });
    const { browser } = await newMember(publicly, await newAdmin(publicly));
    expect(await sessionOf(publicly, browser)).toMatchObject({ method: 'oidc' });
  });

  it('goes on after the provider has new keys', async () => {
    const { person, browser } = await newMember(world, admin);
    world.provider.rotateKeys();
    expect((await passProvider(world, browser, person)).location).toBe('/');
  });
});

describe('an invitation', () => {
  it('by its token is accepted by whoever the provider says it is, whatever their address', async () => {
    const person = newPerson({ email: 'private@elsewhere.example', email_verified: false, name: 'Ann Example' });
    const token = await invited(admin, 'ann@example.com', 'responder');
    const browser = new PlainBrowser();
    await passProvider(world, browser, person, { token });
    expect(await sessionOf(world, browser)).toMatchObject({
      user: { email: 'ann@example.com', name: 'Ann Example' },
      role: 'responder',
    });
    const again = await passProvider(world, new PlainBrowser(), person);
    expect(again.location).toBe('/');
  });

  it('is good once', async () => {
    const token = await invited(admin, 'once@example.com');
    await passProvider(world, new PlainBrowser(), newPerson(), { token });
    const second = await new PlainBrowser().call(`${world.page}/v1/sign-in/oidc`, { method: 'POST', body: { token } });
    expect(second).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('that is withdrawn while they are at the provider is none any more', async () => {
    const { body } = await admin.post('/v1/settings/users/invite', { email: 'late@example.com', role: 'member' });
    const browser = new PlainBrowser();
    const begun = await browser.call(`${world.page}/v1/sign-in/oidc`, {
      method: 'POST',
      body: { token: body.invite_token },
    });
    world.provider.person = newPerson();
    const callback = await browser.follow(begun.body.url, world.page);
    await admin.del(`/v1/settings/users/${body.id}`);
    expect((await browser.visit(callback)).location).toBe(signInPage('expired'));
  });

  it('by e-mail address is accepted where the provider says that it is theirs, in any case of letters', async () => {
    const person = newPerson({ name: 'Ben' });
    await invited(admin, person.email!.toUpperCase());
    const browser = new PlainBrowser();
    expect((await passProvider(world, browser, person)).location).toBe('/');
    expect(await sessionOf(world, browser)).toMatchObject({ user: { name: 'Ben' }, account: { id: admin.id } });
    const { body: team } = await admin.get('/v1/settings/users?limit=1000');
    expect(team.find((one: { name: string }) => one.name === 'Ben')).toMatchObject({ status: 'active', identities: 1 });
  });

  it('of two accounts by one e-mail address is accepted by neither: its token says which', async () => {
    const person = newPerson();
    const other = await newAdmin(world);
    await invited(admin, person.email!);
    const token = await invited(other, person.email!);
    expect((await passProvider(world, new PlainBrowser(), person)).location).toBe(signInPage('not_invited'));
    expect((await passProvider(world, new PlainBrowser(), person, { token })).location).toBe('/');
  });

  it('never lets in by the e-mail address of a member', async () => {
    const { person } = await newMember(world, admin);
    const stranger = newPerson({ email: `invited-${person.email}` });
    expect((await passProvider(world, new PlainBrowser(), stranger)).location).toBe(signInPage('not_invited'));
  });

  it('is needed: nobody becomes a user by signing in', async () => {
    expect((await passProvider(world, new PlainBrowser(), newPerson())).location).toBe(signInPage('not_invited'));
  });
});

describe('an e-mail address', () => {
  const said = [true, 'true', false, 'false', undefined];
  const trusting = oidcWorld({ env: { OIDC_TRUST_EMAIL: 'true' } });
  afterAll(async () => (await trusting)[Symbol.asyncDispose]());

  it.each(
    said.flatMap((verified) =>
      [false, true].flatMap((inToken) => [false, true].map((trust) => ({ verified, inToken, trust }))),
    ),
  )(
    'with email_verified $verified, in the ID token: $inToken, trusted: $trust',
    async ({ verified, inToken, trust }) => {
      const here = trust ? await trusting : world;
      const by = await newAdmin(here);
      here.provider.emailInIdToken = inToken;
      here.provider.rotateKeys();
      const asked = here.provider.userInfoAsked;
      const { email_verified: _, ...person } = newPerson();
      await invited(by, person.email!);
      const claims = verified === undefined ? person : { ...person, email_verified: verified };
      const { location } = await passProvider(here, new PlainBrowser(), claims);
      const isGood = trust || verified === true || verified === 'true';
      expect(location).toBe(isGood ? '/' : signInPage('email_not_verified'));
      expect(here.provider.userInfoAsked - asked).toBe(inToken ? 0 : 1);
      here.provider.emailInIdToken = false;
      here.provider.rotateKeys();
    },
  );
});

describe('a person in two accounts', () => {
  it('is signed in to the one used last, or to the one that is meant', async () => {
    const other = await newAdmin(world);
    const { person } = await newMember(world, admin);
    await newMember(world, other, person);
    const signIn = async (body = {}) => {
      const browser = new PlainBrowser();
      const { location } = await passProvider(world, browser, person, body);
      return location === '/' ? (await sessionOf(world, browser)).account.id : location;
    };
    expect(await signIn()).toBe(other.id);
    expect(await signIn({ account_id: admin.id })).toBe(admin.id);
    expect(await signIn()).toBe(admin.id);
    expect(await signIn({ account_id: 'acc_nowhere' })).toBe(signInPage('not_invited'));
  });

  it('is no second user of an account that they are in', async () => {
    const { person } = await newMember(world, admin);
    const token = await invited(admin, 'second@example.com');
    const { location } = await passProvider(world, new PlainBrowser(), person, { token });
    expect(location).toBe(signInPage('already_linked'));
  });
});

describe('in the settings', () => {
  const begin = (browser: PlainBrowser) =>
    browser.call(`${world.page}/v1/sign-in/oidc`, { method: 'POST', body: { purpose: 'link', return_to: '/#/me' } });

  it('a member links a further identity, and keeps the session', async () => {
    const { person, browser } = await newMember(world, admin);
    const session = await sessionOf(world, browser);
    const second = newPerson({ name: 'Second' });
    const answer = await passProvider(world, browser, second, { purpose: 'link', return_to: '/#/me' });
    expect(answer.location).toBe('/#/me');
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

  it('an identity is removed, and signs nobody in any more', async () => {
    const { person, browser } = await newMember(world, admin);
    const { body: own } = await browser.call(`${world.page}/v1/sign-in/identities`);
    const path = `${world.page}/v1/sign-in/identities/${own[0].id}`;
    expect(await browser.call(path, { method: 'DELETE' })).toMatchObject({ status: 204 });
    expect(await browser.call(path, { method: 'DELETE' })).toMatchObject({ status: 404 });
    expect((await browser.call(`${world.page}/v1/sign-in/identities`)).body).toEqual([]);
    expect((await passProvider(world, new PlainBrowser(), person)).location).toBe(signInPage('not_invited'));
  });

  it('nobody links who is not signed in, nor by a key', async () => {
    expect(await begin(new PlainBrowser())).toMatchObject({ status: 401 });
    const byKey = new PlainBrowser();
    await byKey.call(`${world.page}/v1/sign-in/key`, { method: 'POST', body: { key: admin.key } });
    expect(await begin(byKey)).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    expect(await admin.post('/v1/sign-in/oidc', { purpose: 'link' })).toMatchObject(failure(403, 'FORBIDDEN'));
  });

  it.each(['signed out', 'ended all their sessions'])(
    'nothing is linked by somebody who has %s since',
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

  it('a user has ten identities at most', async () => {
    const { browser } = await newMember(world, admin);
    for (let i = 1; i < 10; i++) await passProvider(world, browser, newPerson(), { purpose: 'link' });
    expect(await begin(browser)).toMatchObject({ status: 409, body: { code: 'LIMIT_EXCEEDED' } });
  });
});

describe('a sign-in link', () => {
  it('signs in by the provider, and links the identity', async () => {
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

describe('whoever is removed', () => {
  it('is out, and stays out at the provider', async () => {
    const { person, browser } = await newMember(world, admin);
    const { user } = await sessionOf(world, browser);
    await admin.del(`/v1/settings/users/${user.id}`);
    expect(await sessionOf(world, browser)).toBeUndefined();
    expect((await passProvider(world, new PlainBrowser(), person)).location).toBe(signInPage('not_invited'));
  });
});
