import { beforeAll, describe, expect, it } from 'vitest';
import { openBrowserContext } from '#test/support/browser.ts';
import { newTenant } from '#test/support/client.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import {
  addPasskey,
  button,
  expectDisabled,
  openSignIns,
  passkeys,
  removePasskey,
  signedInUser,
  signInByKey,
  signInByPasskey,
  signOut,
  submitPasskeyForm,
  useLink,
  waitForMessage,
  waitForPage,
} from './person.ts';

describe.skipIf(!binary)('passkeys in a browser', () => {
  const world = browserAndService();
  let local: string;
  beforeAll(() => {
    local = world.url.replace('127.0.0.1', 'localhost');
  });

  /** Opens the console as a member who accepted an invitation to a new account. */
  async function member() {
    const admin = await newTenant();
    const invited = await admin.post('/v1/settings/users/invite', { email: 'ben@example.com', role: 'member' });
    const person = await openBrowserContext(world.browser);
    await person.page.goto(`${local}/#/invitation/${invited.body.invite_token}`);
    await waitForPage(person, 'invitation');
    await person.page.getByLabel(/^Your name/).fill('Ben');
    await button(person, 'Accept').click();
    await waitForPage(person, 'signed-in');
    return { ...person, admin, id: invited.body.id as string };
  }

  it('adds a passkey after an invitation, and signs in with it without typing', async () => {
    const person = await member();
    await waitForMessage(person, /Add a passkey/);
    expect(person.page.url()).not.toContain('fwi_');
    await person.authenticator();
    await addPasskey(person, 'laptop');
    await signOut(person);
    await signInByPasskey(person);
    expect(await signedInUser(person)).toMatch(/^Ben, member of /);
    expect(person.complaints).toEqual([]);
  });

  it('removes one of two passkeys, and rejects a copy of it', async () => {
    const person = await member();
    const laptop = await person.authenticator();
    await addPasskey(person, 'laptop');
    const [copied] = await laptop.credentials();
    await laptop.remove();
    const phone = await person.authenticator();
    await addPasskey(person, 'phone');
    await removePasskey(person, 'laptop');
    expect(await passkeys(person)).toEqual(['phone']);
    await signOut(person);
    await signInByPasskey(person);
    await signOut(person);

    await phone.remove();
    await (await person.authenticator()).addCredential(copied!);
    await button(person, 'Use a passkey').click();
    await waitForMessage(person, /This passkey is unknown; it may have been removed\./);
    await waitForPage(person, 'sign-in');
    expect(person.complaints).toEqual([]);
  });

  it('adds one passkey per authenticator', async () => {
    const person = await member();
    await person.authenticator();
    await addPasskey(person, 'laptop');
    await submitPasskeyForm(person, 'laptop again');
    await waitForMessage(person, /already has a passkey for your account/);
    expect(await passkeys(person)).toEqual(['laptop']);
  });

  it('removes passkeys and sessions when an admin creates a revoking sign-in link', async () => {
    const person = await member();
    await person.authenticator();
    await addPasskey(person, 'laptop');
    const made = await person.admin.post(`/v1/settings/users/${person.id}/sign-in-link`, { revoke: true });
    const url = made.body.url.replace('127.0.0.1', 'localhost');

    await person.page.reload();
    await waitForPage(person, 'sign-in');
    await button(person, 'Use a passkey').click();
    await waitForMessage(person, /is unknown/);

    await useLink(person, url);
    await waitForPage(person, 'signed-in');
    expect(person.page.url()).not.toContain('fwl_');
    expect(await passkeys(person)).toEqual([]);
    await addPasskey(person, 'new laptop');
    await signOut(person);
    await useLink(person, url);
    await waitForMessage(person, /sign-in link is invalid/);
    await person.page.goto(local);
    await waitForPage(person, 'sign-in');
    expect(person.complaints).toEqual([]);
  });

  it('rejects a sign-in without user verification', async () => {
    const person = await member();
    const authenticator = await person.authenticator();
    await addPasskey(person, 'laptop');
    await signOut(person);
    await authenticator.failToVerify();
    await button(person, 'Use a passkey').click();
    await waitForMessage(person, /no matching passkey/);
    await waitForPage(person, 'sign-in');

    // A response without user verification is rejected by the service.
    const reply = await person.page.evaluate(`(async () => {
      const post = async (path, body) => {
        const headers = { 'x-fleetwatch': 'console', 'content-type': 'application/json' };
        const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
        return { status: response.status, body: await response.json() };
      };
      const { body: options } = await post('/v1/sign-in/passkey/options');
      const weakened = { ...options, userVerification: 'discouraged' };
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(weakened);
      const credential = await navigator.credentials.get({ publicKey });
      return post('/v1/sign-in/passkey', { response: credential.toJSON() });
    })()`);
    expect(reply).toMatchObject({ status: 401, body: { error: expect.stringMatching(/did not verify/) } });
  });

  it.each(['127.0.0.1', 'fleetwatch'])(
    'disables passkeys at http://%s, with the reason, and offers the API key',
    async (host) => {
      const { key } = await newTenant();
      const person = await openBrowserContext(world.browser);
      await person.authenticator();
      await person.page.goto(world.url.replace('127.0.0.1', host));
      await waitForPage(person, 'sign-in');
      await expectDisabled(person, 'Use a passkey', /need (a host name|https)/);
      await signInByKey(person, key);
      await openSignIns(person);
      await expectDisabled(person, 'Add passkey', /need (a host name|https)/);
      expect(person.complaints).toEqual([]);
    },
  );

  it('keeps the session in an HttpOnly, same-site cookie', async () => {
    const person = await member();
    const cookies = await person.context.cookies();
    expect(cookies).toEqual([
      expect.objectContaining({
        name: `fleetwatch_session_${new URL(local).port}`,
        domain: 'localhost',
        path: '/',
        httpOnly: true,
        secure: false,
        sameSite: 'Strict',
      }),
    ]);
    expect(await person.page.evaluate('document.cookie')).toBe('');
  });

  it('blocks foreign scripts', async () => {
    const person = await member();
    const refused = await person.page.evaluate(`(() => {
      const tries = [
        () => { const own = document.createElement('script'); own.textContent = 'window.ran = 1'; document.body.append(own); },
        () => document.body.insertAdjacentHTML('beforeend', '<img src="data:," onerror="window.ran = 2">'),
        () => { const other = document.createElement('script'); other.src = 'http://fleetwatch/evil.js'; },
      ];
      return tries.map((attempt) => { try { attempt(); return 'done'; } catch (error) { return error.name; } });
    })()`);
    expect(refused).toEqual(['TypeError', 'TypeError', 'TypeError']);
    await person.page.evaluate(`(() => {
      const link = document.createElement('a');
      link.href = 'javascript:window.ran = 5';
      document.body.append(link);
      link.click();
    })()`);
    expect(await person.page.evaluate('new Promise((done) => setTimeout(() => done(window.ran ?? null)))')).toBeNull();
  });
});
