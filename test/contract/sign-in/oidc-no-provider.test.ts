import { describe, expect, it } from 'vitest';
import { failure } from '#test/support/client.ts';
import {
  invited,
  newAdmin,
  newMember,
  newPerson,
  oidcWorld,
  passProvider,
  sessionOf,
  toCallback,
} from '#test/support/oidc-world.ts';
import { PlainBrowser } from '#test/support/plain-browser.ts';
import { startService } from '#test/support/service.ts';

describe('an unavailable provider', () => {
  it('does not prevent the start, and a sign-in works when it is back', async () => {
    await using away = await oidcWorld({ isDown: true });
    const by = await newAdmin(away);
    const token = await invited(by, 'away@example.com');
    const response = await new PlainBrowser().call(`${away.page}/v1/sign-in/oidc`, { method: 'POST', body: { token } });
    expect(response).toMatchObject(failure(503, 'UNAVAILABLE'));
    expect(response.body.error).toContain('cannot be reached');
    expect((await new PlainBrowser().call(`${away.page}/v1/sign-in/methods`)).body.oidc).not.toBeNull();
    await away.provider.up();
    expect((await passProvider(away, new PlainBrowser(), newPerson(), { token })).location).toBe('/');
  });

  it('is reported during a sign-in, and the next sign-in tries again', async () => {
    await using away = await oidcWorld();
    const { person, browser } = await newMember(away, await newAdmin(away));
    const callback = await toCallback(away, browser, person);
    await away.provider.down();
    expect(await browser.visit(callback)).toMatchObject({ status: 303, location: '/#/sign-in?error=unreachable' });
    expect(await sessionOf(away, browser)).toBeDefined();
    await away.provider.up();
    expect((await passProvider(away, browser, person)).location).toBe('/');
  });
});

it('reports that single sign-on is not available if it is not configured', async () => {
  const service = await startService();
  const page = service.url.replace('127.0.0.1', 'localhost');
  expect((await new PlainBrowser().call(`${page}/v1/sign-in/methods`)).body.oidc).toBeNull();
  const response = await new PlainBrowser().call(`${page}/v1/sign-in/oidc`, { method: 'POST', body: {} });
  expect(response).toMatchObject(failure(404, 'NOT_FOUND'));
  await service.stop();
});
