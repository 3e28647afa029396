import { createHash, X509Certificate } from 'node:crypto';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBrowserContext, startBrowser } from '#test/support/browser.ts';
import { makeAuthority } from '#test/support/certificates.ts';
import { newTenantOf } from '#test/support/client.ts';
import { lastingPort } from '#test/support/lasting-port.ts';
import { type Service, startService } from '#test/support/service.ts';
import { binary } from './chromium.ts';
import { addPasskey, signInByKey, signInByPasskey, signOut, waitForPage } from './person.ts';

const HOST = 'status.example.com';

/** Starts a TLS proxy that forwards requests with an unchanged Host header. @param own port of the proxy */
async function proxyTo(port: number, tls: { key: string; cert: string }, own: number) {
  const server = createServer(tls, (incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const forwarded = request({ host: '127.0.0.1', port, method, path: url, headers }, (response) => {
      outgoing.writeHead(response.statusCode!, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', (error) => outgoing.destroy(error));
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(own, '127.0.0.1', resolve));
  return server;
}

describe.skipIf(!binary)('console behind a TLS proxy', () => {
  let browser: Browser;
  let service: Service;
  let proxy: Awaited<ReturnType<typeof proxyTo>>;
  let page: string;
  beforeAll(async () => {
    const issued = await (await makeAuthority()).issue({ names: [HOST] });
    const { publicKey } = new X509Certificate(issued.cert);
    const spki = createHash('sha256')
      .update(publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64');
    browser = await startBrowser(binary!, [spki]);
    const port = await lastingPort();
    page = `https://${HOST}:${port}`;
    service = await startService({ env: { PUBLIC_URL: page } });
    proxy = await proxyTo(Number(new URL(service.url).port), issued, port);
  });
  afterAll(async () => {
    await browser?.close();
    proxy?.close();
    await service?.stop();
  });

  it('signs in with a passkey, and keeps the session in a __Host- cookie', async () => {
    const { key } = await newTenantOf(service);
    const person = await openBrowserContext(browser);
    await person.authenticator();
    await person.page.goto(page);
    await waitForPage(person, 'sign-in');
    await signInByKey(person, key);
    await addPasskey(person, 'laptop');
    await signOut(person);
    await signInByPasskey(person);
    expect(await person.context.cookies()).toEqual([
      expect.objectContaining({
        name: '__Host-fleetwatch_session',
        domain: HOST,
        path: '/',
        httpOnly: true,
        secure: true,
        sameSite: 'Strict',
      }),
    ]);
    expect(person.complaints).toEqual([]);
  });
});
