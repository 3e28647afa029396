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
  world = await oidcWorld();
  admin = await newAdmin(world);
});
afterAll(() => world[Symbol.asyncDispose]());

const signInPage = (error: string) => `/#/sign-in?error=${error}`;

describe('an invitation', () => {
  it('is accepted by its token for any identity, regardless of the e-mail address', async () => {
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

  it('is valid once', async () => {
    const token = await invited(admin, 'once@example.com');
    await passProvider(world, new PlainBrowser(), newPerson(), { token });
    const second = await new PlainBrowser().call(`${world.page}/v1/sign-in/oidc`, { method: 'POST', body: { token } });
    expect(second).toMatchObject(failure(404, 'NOT_FOUND'));
  });

  it('is invalid if it is withdrawn during the sign-in', async () => {
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

  it('is accepted by an e-mail address that the provider has verified, regardless of letter case', async () => {
    const person = newPerson({ name: 'Ben' });
    await invited(admin, person.email!.toUpperCase());
    const browser = new PlainBrowser();
    expect((await passProvider(world, browser, person)).location).toBe('/');
    expect(await sessionOf(world, browser)).toMatchObject({ user: { name: 'Ben' }, account: { id: admin.id } });
    const { body: team } = await admin.get('/v1/settings/users?limit=1000');
    expect(team.find((one: { name: string }) => one.name === 'Ben')).toMatchObject({ status: 'active', identities: 1 });
  });

  it('confirms a verified e-mail address for the channels of the account', async () => {
    const [verified, other] = [newPerson(), newPerson({ email_verified: false })];
    await passProvider(world, new PlainBrowser(), verified, { token: await invited(admin, verified.email!) });
    await passProvider(world, new PlainBrowser(), other, { token: await invited(admin, other.email!) });
    const config = { to: `${verified.email},${other.email}` };
    const { body } = await admin.post('/v1/notify/channels', { name: 'Mail', channel_type: 'email', config });
    expect(body.addresses).toMatchObject([{ status: 'confirmed' }, { status: 'pending' }]);
    const stranger = await newAdmin(world);
    const elsewhere = await stranger.post('/v1/notify/channels', { name: 'Mail', channel_type: 'email', config });
    expect(elsewhere.body.addresses).toMatchObject([{ status: 'pending' }, { status: 'pending' }]);
  });

  it('is not accepted by e-mail address if two accounts invited the address; the token decides', async () => {
    const person = newPerson();
    const other = await newAdmin(world);
    await invited(admin, person.email!);
    const token = await invited(other, person.email!);
    expect((await passProvider(world, new PlainBrowser(), person)).location).toBe(signInPage('not_invited'));
    expect((await passProvider(world, new PlainBrowser(), person, { token })).location).toBe('/');
  });

  it('is not accepted again by the e-mail address of a member', async () => {
    const { person } = await newMember(world, admin);
    const stranger = newPerson({ email: `invited-${person.email}` });
    expect((await passProvider(world, new PlainBrowser(), stranger)).location).toBe(signInPage('not_invited'));
  });

  it('is required: a sign-in does not create a user', async () => {
    expect((await passProvider(world, new PlainBrowser(), newPerson())).location).toBe(signInPage('not_invited'));
  });
});

describe('an e-mail address', () => {
  const verifiedValues = [true, 'true', false, 'false', undefined];
  const trusting = oidcWorld({ env: { OIDC_TRUST_EMAIL: 'true' } });
  afterAll(async () => (await trusting)[Symbol.asyncDispose]());

  it.each(
    verifiedValues.flatMap((verified) =>
      [false, true].flatMap((inToken) => [false, true].map((trust) => ({ verified, inToken, trust }))),
    ),
  )(
    'is accepted only if verified or trusted: email_verified $verified, in the ID token $inToken, trusted $trust',
    async ({ verified, inToken, trust }) => {
      const here = trust ? await trusting : world;
      const by = await newAdmin(here);
      here.provider.emailInIdToken = inToken;
      here.provider.rotateKeys();
      const requestsBefore = here.provider.userInfoRequests;
      const { email_verified: _, ...person } = newPerson();
      await invited(by, person.email!);
      const claims = verified === undefined ? person : { ...person, email_verified: verified };
      const { location } = await passProvider(here, new PlainBrowser(), claims);
      const isGood = trust || verified === true || verified === 'true';
      expect(location).toBe(isGood ? '/' : signInPage('email_not_verified'));
      expect(here.provider.userInfoRequests - requestsBefore).toBe(inToken ? 0 : 1);
      here.provider.emailInIdToken = false;
      here.provider.rotateKeys();
    },
  );
});

describe('a user of two accounts', () => {
  it('is signed in to the last used account, or to the requested one', async () => {
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

  it('is not added to the same account again', async () => {
    const { person } = await newMember(world, admin);
    const token = await invited(admin, 'second@example.com');
    const { location } = await passProvider(world, new PlainBrowser(), person, { token });
    expect(location).toBe(signInPage('already_linked'));
  });
});
