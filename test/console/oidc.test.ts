import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowserContext } from '#test/support/browser.ts';
import { invited, newAdmin, newPerson, type OidcWorld, oidcWorld } from '#test/support/oidc-world.ts';
import { inBrowser } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { button, identities, openSignIns, signedInUser, signOut, waitForMessage, waitForPage } from './person.ts';

describe.skipIf(!binary)('identity provider in a browser', () => {
  const own = inBrowser();
  let world: OidcWorld;
  beforeAll(async () => {
    world = await oidcWorld({ env: { OIDC_NAME: 'Example SSO' } });
  });
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  /** Opens the console as a member who accepted an invitation with the provider. */
  async function member() {
    const admin = await newAdmin(world);
    const token = await invited(admin, 'ben@example.com');
    const who = newPerson({ name: 'Ben' });
    world.provider.person = who;
    const person = await openBrowserContext(own.browser);
    await person.page.goto(`${world.page}/#/invitation/${token}`);
    await waitForPage(person, 'invitation');
    await button(person, 'Accept with Example SSO').click();
    await waitForPage(person, 'signed-in');
    return { ...person, who, admin };
  }

  it('accepts an invitation, and keeps the strict session cookie after the redirect', async () => {
    const { page, context, complaints } = await member();
    expect(await signedInUser({ page })).toMatch(/^Ben, member of /);
    expect(page.url()).toBe(`${world.page}/`);
    const { port } = new URL(world.page);
    expect(await context.cookies(world.page)).toEqual([
      expect.objectContaining({
        name: `fleetwatch_session_${port}`,
        domain: 'localhost',
        path: '/',
        httpOnly: true,
        secure: false,
        sameSite: 'Strict',
      }),
    ]);
    await page.reload();
    await waitForPage({ page }, 'signed-in');
    expect(complaints).toEqual([]);
  });

  it('signs in again and shows the identity', async () => {
    const { page, who, complaints } = await member();
    await signOut({ page });
    await button({ page }, 'Sign in with Example SSO').click();
    await waitForPage({ page }, 'signed-in');
    expect(await identities({ page })).toEqual([who.email]);
    expect(complaints).toEqual([]);
  });

  it('binds a sign-in to the browser with a cookie', async () => {
    const { page, context } = await member();
    await signOut({ page });
    world.provider.person = undefined;
    await context.clearCookies({ domain: '127.0.0.1' });
    const [callback] = await Promise.all([
      page.waitForRequest((request) => request.url().includes('/v1/sign-in/oidc/callback')),
      button({ page }, 'Sign in with Example SSO').click(),
    ]);
    expect((await callback.allHeaders()).cookie).toMatch(/^fleetwatch_oidc_\d+=[0-9A-Za-z]{43}$/);
    await waitForMessage({ page }, /You denied the request/);
    await waitForPage({ page }, 'sign-in');
  });

  it('shows why a sign-in is rejected', async () => {
    world.provider.person = newPerson();
    const { page } = await openBrowserContext(own.browser);
    await page.goto(world.page);
    await waitForPage({ page }, 'sign-in');
    await button({ page }, 'Sign in with Example SSO').click();
    await waitForMessage({ page }, /You are not a member here/);
  });

  it('links another identity in the current session', async () => {
    const { page, context, complaints } = await member();
    const [session] = await context.cookies(world.page);
    await context.clearCookies({ domain: '127.0.0.1' });
    const second = newPerson();
    world.provider.person = second;
    await openSignIns({ page });
    await button({ page }, 'Link Example SSO').click();
    await page.getByRole('cell', { name: second.email! }).waitFor();
    expect(await context.cookies(world.page)).toEqual([session]);
    expect(complaints).toEqual([]);
  });
});
