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
