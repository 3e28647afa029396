import { afterEach, describe, expect, it } from 'vitest';
import { browserAddress, firstLink } from '#infra/local/first-link.ts';
import type { UserItem } from '#lib/access/account.ts';
import { disableAccount, enableAccount } from '#lib/access/change-account.ts';
import { memoryWorld } from '#test/support/memory-world.ts';
import { pageAt, tokenOf } from '#test/support/page.ts';
import { cleanUp, newDir, start } from './host-process.ts';

afterEach(cleanUp);

describe('sign-in link of a new service', () => {
  it('prints a single-use link for its admin at each start until there is another way to sign in', async () => {
    const dir = newDir();
    const signIn = async (service: ReturnType<typeof start>) => {
      const { url } = await service.ready;
      const printed = /^Sign-in link, valid once, for an hour: (http:\/\/localhost:(\d+)\/#\/link\/fwl_\w+)$/m.exec(
        service.out(),
      );
      const here = `http://localhost:${new URL(url).port}`;
      expect(printed?.[2]).toBe(new URL(url).port);
      expect(service.out()).toContain(
        `\nLinks in alerts lead to ${here}; set PUBLIC_URL if users open another address\n`,
      );
      return { url, page: pageAt(url), token: tokenOf(printed![1]!) };
    };
    const first = start({ DATA_DIR: dir });
    const unused = await signIn(first);
    first.child.kill('SIGTERM');
    await first.exited;

    const second = start({ DATA_DIR: dir });
    const { page, token } = await signIn(second);
    expect((await page.post('/v1/sign-in/link', { token: unused.token })).status).toBe(401);
    expect(await page.post('/v1/sign-in/link', { token })).toMatchObject({ status: 201, body: { role: 'admin' } });
    expect((await page.get('/v1/me')).body).toMatchObject({ email: 'admin@localhost', session: { method: 'link' } });
    expect((await page.post('/v1/sign-in/link', { token })).status).toBe(401);
    expect(second.err()).not.toContain(token);
    second.child.kill('SIGTERM');
    await second.exited;

    // The session survives restarts, because it is in the store.
    const third = start({ DATA_DIR: dir, PUBLIC_URL: 'https://status.example.com' });
    const { url } = await third.ready;
    expect(third.out()).toMatch(
      /^Sign-in link, valid once, for an hour: https:\/\/status\.example\.com\/#\/link\/fwl_\w+$/m,
    );
    expect(third.out()).not.toContain('Links in alerts');
    const [[, value] = []] = page.cookies;
    const later = pageAt(url);
    later.cookies.set(`fleetwatch_session_${new URL(url).port}`, value!);
    expect((await later.get('/v1/me')).status).toBe(200);
  });
});

describe('firstLink', () => {
  it('creates a link while no admin has a passkey or an identity and the account is enabled', async () => {
    const world = memoryWorld();
    expect(await firstLink(world, 'http://localhost')).toBeUndefined();
    const { user, context } = await world.account();
    expect(await firstLink(world, 'http://localhost')).toMatch(/^http:\/\/localhost\/#\/link\/fwl_/);
    await disableAccount(context);
    expect(await firstLink(world, 'http://localhost')).toBeUndefined();
    await enableAccount(context);
    const place = world.keys.user(context.tenant, user.id);
    const stored = (await world.store.get<UserItem>(place))!;
    const credentials = [{ id: 'x', digest: 'd', name: 'Laptop' }];
    for (const more of [{ passkeys: credentials }, { identities: credentials }]) {
      await world.store.putMany([{ ...stored, ...more }]);
      expect(await firstLink(world, 'http://localhost')).toBeUndefined();
    }
    await world.store.putMany([stored]);
    expect(await firstLink(world, 'http://localhost')).toBeDefined();
  });

  it.each([
    ['http://127.0.0.1:8787', 'http://localhost:8787'],
    ['http://0.0.0.0:80', 'http://localhost'],
    ['http://[::]:8787', 'http://localhost:8787'],
    ['http://192.168.1.5:8787', 'http://192.168.1.5:8787'],
  ])('links to a service that listens at %s with %s', (url, address) => {
    expect(browserAddress(url)).toBe(address);
  });
});
