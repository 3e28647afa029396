import { describe, expect, it } from 'vitest';
import { openBrowserContext } from '#test/support/browser.ts';
import { startRealService } from '#test/support/real-service.ts';
import { inBrowser } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { passkeys, signInByPasskey, signOut, takeOffer, useLink, waitForMessage, waitForPage } from './person.ts';

const LINK = /Sign-in link, valid once, for an hour: (http:\/\/localhost:\d+\/#\/link\/fwl_[0-9A-Za-z]{43})/;

describe.skipIf(!binary)('first start in a browser', () => {
  const world = inBrowser();

  it('leads from the printed link to a passkey that works after kill -9', async () => {
    await using service = await startRealService();
    const link = LINK.exec(service.out())![1]!;
    const person = await openBrowserContext(world.browser);
    await useLink(person, link);
    await waitForPage(person, 'signed-in');
    await waitForMessage(person, /Add a passkey/);
    await person.authenticator();
    await takeOffer(person, 'laptop');
    await signOut(person);
    await signInByPasskey(person);

    await service.kill();
    await service.start();
    expect(service.out()).not.toMatch(LINK);
    await person.page.reload();
    await waitForPage(person, 'signed-in');
    expect(await passkeys(person)).toEqual(['laptop']);
    await signOut(person);
    await signInByPasskey(person);

    // The used link is opened again.
    await person.page.goto('about:blank');
    await useLink(person, link);
    await waitForMessage(person, /sign-in link is invalid/);
    expect(person.complaints).toEqual([]);
    // The token is not in the log.
    const [token] = /fwl_\w+/.exec(link)!;
    expect(service.err()).not.toContain(token);
  });
});
